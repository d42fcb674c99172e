// Package settings shows what every key of the configuration changes, by running the program with it and without it. It
// drives the chain of environment providers from a configuration file to the variables of a workspace, and compares
// docs/providers.md with what the providers declare.
package settings
