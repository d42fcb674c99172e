// Tasker keeps graphs of tasks that people and agents plan, claim, prove and close.
package main

import (
	"os"

	"tasker/internal/app"
	"tasker/internal/cli"
)

func main() { os.Exit(cli.Main(cli.OS(), app.CommandLine())) }
