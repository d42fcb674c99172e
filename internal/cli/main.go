package cli

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"
	"syscall"

	"tasker/internal/cli/frame"
)

// Main runs one command line and returns the exit code of the process.
func Main(p frame.Process, w frame.Wiring) int {
	f := frame.New(p, w)
	root := root(f, commandIn(p.Args))
	root.SetArgs(p.Args)
	root.SetIn(p.Stdin)
	root.SetOut(f.Out)
	root.SetErr(f.Err)
	cmd, err := root.ExecuteContextC(context.Background())
	f.TellNotices(context.Background())
	err = cmp.Or(err, f.Close())
	if err == nil && !errors.Is(f.Out.Err(), syscall.EPIPE) { // a reader that stopped early has what it wanted
		err = f.Out.Err()
	}
	if err == nil {
		frame.TellUnshaped(f)
	} else { // parsing may have stopped before the --json flag, and before Begin was called
		f.Flags.JSON = f.Flags.JSON || wantsJSON(p.Args)
		f.Begin()
	}
	f.Takes = func(flag string) bool { return cmd.Flags().Lookup(flag) != nil }
	f.Report(err)
	return frame.ExitCode(err)
}

// wantsJSON reports whether a command line asks for JSON, even if another flag is faulty.
func wantsJSON(args []string) bool {
	if at := slices.Index(args, "--"); at >= 0 {
		args = args[:at]
	}
	return slices.Contains(args, "--json") || slices.Contains(args, "--json=true")
}

// commandIn returns the name of the command in a command line, or "" if only a full parse can tell. It lets a process
// build only the command that it runs. Without a command, tasker runs as status, its other name.
func commandIn(args []string) string {
	for i := 0; i < len(args); i++ {
		switch a := args[i]; {
		case a == "-p" || slices.Contains(valueFlags, strings.TrimPrefix(a, "--")) && strings.HasPrefix(a, "--"):
			i++
		case a == "-h" || a == "--help" || a == "--":
			return ""
		case !strings.HasPrefix(a, "-"):
			return a
		}
	}
	return "status"
}

// valueFlags are the global flags that take a value.
var valueFlags = []string{"project", "actor", "db", "server", "config", "color", "jq", "template"}
