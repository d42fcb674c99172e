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
	if len(args) != 2 {
		return fmt.Errorf("usage: field prepare DIR, or field report DIR")
	}
	dir, err := filepath.Abs(args[1])
	if err != nil {
		return err
	}
	switch args[0] {
	case "prepare":
		program, err := realProgram()
		if err != nil {
			return err
		}
		if err := prepare(dir, program); err != nil {
			return err
		}
		_, err = fmt.Fprintf(out, start, dir, len(jobs))
		return err
	case "report":
		r, err := reported(dir)
		if err != nil {
			return err
		}
		return r.print(out)
	default:
		return fmt.Errorf("there is no %q: prepare and report are what there is", args[0])
	}
}

// start says how an agent begins.
const start = `A repository with a plan of %[2]d tasks is in %[1]s/repo.
Start an agent there, with the recording tasker first in its path:

  cd %[1]s/repo
  export PATH=%[1]s/bin:$PATH TASKER_DB=%[1]s/tasker.db TASKER_ACTOR=bot

In a shell, tell it:  Run "tasker prime" and work until there is nothing left.
With tools, register: tasker mcp   (the same variables) and tell it: Work until there is nothing left.

Afterwards: make field-report, or: field report %[1]s
`
