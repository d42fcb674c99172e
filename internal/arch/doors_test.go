package arch_test

import "slices"

// doors lists the ways in which the program starts another program, calls another system, or changes a task's workspace.
// Each of these questions is answered in exactly one place: what a process is given, whether its output is masked and it
// ends with us, what git may run, where a credential goes, what is stored of a foreign answer, and who owns a workspace.
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
		in:   []string{"git/command/command.go", "child/purpose/purpose.go"}, // where it is run, and the name of its purpose
		why:  "package git/command runs git, with everything off that a repository can name",
	},
	{
		pkg:   "tasker/internal/workspace",
		names: []string{"UseIn", "BeginIn", "Made", "DropIn"}, // the calls to the service that keeps the record
		in:    []string{"workspace/kept/kept.go", "workspace/machine/close.go", "workspace/machine/manager.go", "workspace/machine/open.go", "workspace/machine/prune.go", "workspace/machine/refresh.go", "workspace/machine/steps.go"},
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
			"notify/channel/address.go", // checks each address that a webhook resolves to before connecting; site sends over it
			"db/postgres/dial.go",       // a database is not a site: its driver connects to it
		},
		why: "package site connects to other systems",
	},
	{pkg: "crypto/tls", names: []string{"Dial", "DialWithDialer", "Dialer", "Client"}, why: "package site connects to other systems"},
	{pkg: "net/http/httputil", names: []string{"DumpRequestOut", "DumpResponse", "ReverseProxy"}, why: "credentials and foreign text would be written out"},
	{pkg: "net/url", names: []string{"Error"}, why: "the errors of requests quote what the other system sent: site.Why gives their cause"},
}

// ways lists all ways out.
var ways = slices.Concat(exits, doors)
