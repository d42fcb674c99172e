package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
)

func main() {
	if name := strings.TrimSuffix(filepath.Base(os.Args[0]), ".exe"); name == "tasker" {
		os.Exit(record(os.Args[1:]))
	}
	if err := run(os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "field:", err)
		os.Exit(1)
	}
}

func run(args []string, out io.Writer) error {
	if len(args) < 2 || len(args) > 3 || args[0] == "report" && len(args) > 2 {
		return fmt.Errorf("usage: field prepare DIR [PLAN], or field report DIR; plans: %s", choice())
	}
	dir, err := filepath.Abs(args[1])
	if err != nil {
		return err
	}
	switch args[0] {
	case "prepare":
		p, err := named(strings.Join(args[2:], ""))
		if err != nil {
			return err
		}
		program, err := realProgram()
		if err != nil {
			return err
		}
		if err := prepare(dir, p, program); err != nil {
			return err
		}
		_, err = fmt.Fprintf(out, start, dir, p.about, choice())
		return err
	case "report":
		r, err := reported(dir)
		if err != nil {
			return err
		}
		return r.print(out)
	default:
		return fmt.Errorf("there is no command %q: the commands are prepare and report", args[0])
	}
}

// start says how an agent begins.
const start = `A repository with a plan (%[2]s) is in %[1]s/repo.
Start an agent there, with the recording tasker first in its path:

  cd %[1]s/repo
  export PATH=%[1]s/bin:$PATH TASKER_DB=%[1]s/tasker.db TASKER_ACTOR=bot

In a shell, tell it:  Run "tasker prime" and work until there is nothing left.
With tools, register: tasker mcp   (the same variables) and tell it: Work until there is nothing left.

Questions are answered and reviews are settled by the kit itself, as ann, right after the agent's call: do nothing for her.
Afterwards: make field-report, or: field report %[1]s
Plans for make field PLAN=…: %[3]s
`
