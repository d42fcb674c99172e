package frame

import (
	"errors"
	"strconv"
	"strings"

	"tasker/internal/cli/term"
	"tasker/internal/fault"
	"tasker/internal/op/wire"
	"tasker/internal/task"
	"tasker/internal/text/words"
)

// ExitCodes lists what each exit code means, for the help.
var ExitCodes = []struct {
	Code int
	What string
}{
	{fault.ExitDone, "done"},
	{fault.ExitUnexpected, "unexpected: a fault of the program, the machine, the network, or what doctor found"},
	{fault.ExitInvalid, "invalid: usage, a document, a value, the configuration"},
	{fault.ExitDeclined, "declined: state, policy or identity says no"},
	{fault.ExitNotFound, "not found"},
	{fault.ExitConflict, "conflict: the version or the fence no longer matches"},
	{fault.ExitUnauthorized, "unauthorized: the server wants a credential, or refuses the request"},
	{fault.ExitNothing, "nothing to do (next and apply --dry-run, with --exit-code), or the time ran out (wait, ask --wait)"},
}

// ErrExit ends a command with an exit code and no message: a child command has ended with it, or the command has already
// printed why.
type ErrExit int

// What a command ends with that has nothing to do, or that has findings.
const (
	ErrNothing = ErrExit(fault.ExitNothing)
	ErrFound   = ErrExit(fault.ExitUnexpected)
)

func (e ErrExit) Error() string { return "the command ended with exit code " + strconv.Itoa(int(e)) }

// ExitCode maps an error to the exit code of the process.
func ExitCode(err error) int {
	if err == nil {
		return fault.ExitDone
	}
	var exit ErrExit
	if errors.As(err, &exit) {
		return min(max(int(exit), 1), 255)
	}
	return fault.Of(err).Kind.Exit()
}

// Report prints an error: as a JSON object with --json, otherwise as the sentence, for a completion the count of all that
// is missing, what is missing line by line, and the hint.
func (f *Factory) Report(err error) {
	var exit ErrExit
	if err == nil || errors.As(err, &exit) {
		return
	}
	e := fault.Of(err)
	if f.Flags.JSON && !f.plainRefusals {
		failure := wire.FailureOf(e, f.AsCommand)
		failure.Missing = e.MissingIn(f.asFlag)
		doc, _ := f.JSON(failure.Told()) // a Failure can always be written
		f.Err.Document(doc)
		return
	}
	r := RefusalOf(f, e)
	f.Err.Line(term.Red.Of("tasker: "), term.Textf("%s", r.Message))
	if strings.Contains(e.Message, " cannot complete because of ") {
		if lacks := task.CountMissing(e.Missing); lacks != "" {
			f.Err.Printf("missing: %s\n", lacks)
		}
	}
	for _, m := range r.Missing {
		f.Err.Printf("  - %s\n", m)
	}
	if len(e.Recorded) > 0 {
		f.Err.Printf("recorded all the same: %s\n", words.List(e.Recorded))
	}
	if r.Hint != "" {
		f.Err.Printf("hint: %s\n", r.Hint)
	}
}

// listed returns the lines below the message, leaving out a single one that only repeats the message: how it ends, or
// the flag that it begins with.
func (f *Factory) listed(e *fault.Error) []string {
	if len(e.Missing) == 1 {
		one := e.Missing[0]
		if strings.HasSuffix(e.Message, one) || strings.HasPrefix(one, "--") && strings.HasPrefix(e.Message, one) {
			return nil
		}
	}
	return e.MissingIn(f.asFlag)
}

var capital = words.Pattern("[A-Z]")

// asFlag returns a parameter of a route as the command line calls it: by its flag (since_id is --since-id, heldBy is
// --held-by), or as an argument if the command has no such flag.
func (f *Factory) asFlag(name string) string {
	flag := strings.ToLower(capital().ReplaceAllString(strings.ReplaceAll(name, "_", "-"), "-$0"))
	if f.Takes != nil && f.Takes(flag) {
		return "--" + flag
	}
	return "argument " + name
}

// AsCommand returns a call from a hint as a command that can be pasted: it repeats the given flags that decide what the
// command works on. It leaves out an address or a database that may contain a password.
func (f *Factory) AsCommand(c fault.Call) string {
	if c.Field != "" {
		return c.String()
	}
	line, child, starts := strings.Cut(c.String(), " -- ") // what follows belongs to another program
	if here, err := f.Project(); err == nil && here != "" && f.Flags.Project == "" {
		line = strings.Replace(line, " -p "+here+" ", " ", 1)
		line = strings.TrimSuffix(line, " -p "+here) // this directory assumes it
	}
	add := func(flag, value string) {
		if value != "" {
			line += " " + flag + " " + words.Shell(value)
		}
	}
	if c.Scoped {
		add("-p", f.Flags.Project)
	}
	if !c.ByOther {
		add("--actor", f.Flags.Actor)
	}
	if !words.Address(f.Flags.DB) {
		add("--db", f.Flags.DB)
	}
	if !strings.Contains(f.Flags.Server, "@") {
		add("--server", f.Flags.Server)
	}
	add("--config", f.Flags.Config)
	if starts {
		line += " -- " + child
	}
	return line
}
