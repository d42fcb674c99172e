package arch_test

import "slices"

// doors are the ways by which the program starts another one, asks another system, and changes the place of a task. What a process is
// given, that it is masked and ends with us, what git may run, where a credential goes, what is kept of a foreign answer, and whose a place
// is, is decided in one place each.
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
		pkg:   "tasker/internal/workspace",
		names: []string{"UseIn", "BeginIn", "Made", "DropIn"}, // what the service that keeps the record is given
		in:    []string{"workspace/machine/close.go", "workspace/machine/manager.go", "workspace/machine/open.go", "workspace/machine/prune.go", "workspace/machine/refresh.go", "workspace/machine/steps.go"},
		why:   "package workspace asks whose a task's place is before it acts there",
	},
	{
		pkg:   "net/http",
		names: []string{"Client", "Transport", "DefaultClient", "DefaultTransport", "Get", "Head", "Post", "PostForm"},
		in:    []string{"site/line.go"},
		why:   "package site asks other systems: bounded, and following nobody to another host",
	},
	{
		pkg:   "net",
		names: []string{"Dial", "DialTimeout", "DialTCP", "DialUDP", "DialIP", "DialUnix", "Dialer"},
		in: []string{
			"site/line.go",
			"notify/channel/address.go", // each address that a webhook resolves to is checked before it is connected to; site sends over it
			"db/postgres/dial.go",       // a database is no site: its driver speaks to it
		},
		why: "package site connects to other systems",
	},
	{pkg: "crypto/tls", names: []string{"Dial", "DialWithDialer", "Dialer", "Client"}, why: "package site connects to other systems"},
	{pkg: "net/http/httputil", names: []string{"DumpRequestOut", "DumpResponse", "ReverseProxy"}, why: "credentials and foreign text would be written out"},
	{pkg: "net/url", names: []string{"Error"}, why: "the errors of requests quote what the other system sent: site.Why tells their cause"},
}

// ways are all ways out.
var ways = slices.Concat(exits, doors)
