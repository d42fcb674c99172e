// Tasker keeps graphs of tasks that people and agents plan, claim, prove and close.
package main

import (
	"os"

	"tasker/internal/app"
	"tasker/internal/cli"
	"tasker/internal/cli/frame"
)

func main() { os.Exit(cli.Main(frame.OS(), app.CommandLine())) }
