// Package settings shows what every key of the configuration changes, by running the program with it and without it.
package settings
