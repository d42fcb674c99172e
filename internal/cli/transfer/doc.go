// Package transfer has the commands by which tasks come in from other tools and go out to them: import and export.
package transfer
