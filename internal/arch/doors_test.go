package arch_test

import "slices"

// doors are the ways by which the program starts another one, and by which it changes the place of a task. What a process is
// given, that it is masked and ends with us, what git may run, and whose a place is, is decided in one place each.
var doors = []exit{
	{
		pkg:   "os/exec",
		names: []string{""},
		in:    []string{"child/child.go", "child/attached.go", "child/attached_unix.go", "child/attached_other.go", "child/group_unix.go", "child/group_other.go"},
		why:   "package child starts processes, and decides by what they are for which of our credentials they are given",
	},
	{pkg: "os", names: []string{"StartProcess"}, why: "package child starts processes"},
	{pkg: "syscall", names: []string{"ForkExec", "StartProcess", "Exec"}, why: "package child starts processes"},
	{pkg: "golang.org/x/sys/unix", names: []string{"Exec", "ForkExec"}, why: "package child starts processes"},
	{
		word: "git",
		in:   []string{"git/command/command.go", "child/purpose/purpose.go"}, // where it is run, and the name of what it is run for
		why:  "package git/command runs git, with everything off that a repository can name",
	},
	{
		pkg:   "tasker/internal/op",
		names: []string{"WorkspaceUse", "WorkspaceBegin", "WorkspaceSave", "WorkspaceDrop"},
		in:    []string{"workspace/manager.go", "workspace/open.go", "workspace/close.go", "workspace/prune.go"},
		why:   "package workspace asks whose a task's place is before it acts there",
	},
}

// ways are all ways out.
var ways = slices.Concat(exits, doors)
