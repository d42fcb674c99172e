// Package transfer holds the commands that bring tasks in from other tools and send them out: import and export.
package transfer
