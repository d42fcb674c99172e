// Package command runs git, both for packages that only ask it and for packages that change
// something. No other package runs git: a repository that somebody unpacked can name programs in
// every setting that runs one, and this package switches all of them off in every call.
//
// A call still runs git and the programs that belong to it, ssh, and the filters, merge drivers and
// credential helpers of the user's and the system's configuration.
package command

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"

	"tasker/internal/child"
	"tasker/internal/child/purpose"
	"tasker/internal/child/tail"
	"tasker/internal/fault"
)

// Excludes is the file, in git's record of a work tree, with the patterns of the files hidden only
// there.
const Excludes = "tasker.exclude"

// ErrMissing is the cause of the error that Run returns if git is not installed.
var ErrMissing = child.ErrNotFound

// maxOutput is how much git may print, and maxErrors how much of its errors is kept.
const (
	maxOutput = 256 << 20
	maxErrors = 64 << 10
)

// Elsewhere lists the variables that git sets for the commands of a hook or an alias. They would
// name a repository other than that of the directory.
var Elsewhere = []string{
	"GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_OBJECT_DIRECTORY", "GIT_ALTERNATE_OBJECT_DIRECTORIES", "GIT_COMMON_DIR",
	"GIT_NAMESPACE", "GIT_PREFIX", "GIT_CONFIG_PARAMETERS", "GIT_QUARANTINE_PATH",
}

// Git says how to run git. The zero value uses the environment of this process and knows no
// repository's own settings.
type Git struct {
	Environ []string // replaces this process's environment unless nil
	Without []string // variables to leave out
	Own     Own      // of the repository that git looks at
	Limit   int      // of git's output, in bytes; 0: maxOutput
}

// Run runs git in a directory and returns its output. None of the user's settings may colour, page
// or translate it, and git may not prompt. The variables of env come last.
func Run(ctx context.Context, dir string, env []string, args ...string) (string, error) {
	return Git{}.Run(ctx, dir, env, args...)
}

// Run is the function Run with the settings of g.
func (g Git) Run(ctx context.Context, dir string, env []string, args ...string) (string, error) {
	inner, full := context.WithCancel(ctx)
	defer full()
	limit := cmp.Or(g.Limit, maxOutput)
	out, said := tail.NewStart(limit, full), tail.NewStart(maxErrors, func() {})
	res, err := child.Run(inner, child.Command{
		For: purpose.Git, Args: append([]string{"git"}, plain(args)...), Dir: dir, Output: out, Errors: said, Brief: true,
		Env: append(g.environ(), env...),
	})
	switch {
	case ctx.Err() != nil && (err != nil || res.ExitCode != 0):
		return "", ctx.Err()
	case out.Cut():
		return "", fault.Decline("git %s printed more than %d bytes", name(args), limit)
	case err != nil:
		return "", fault.New(fault.Internal, "git cannot be run: %s", fault.Of(err).Message).WithCause(err)
	case res.ExitCode != 0:
		why := strings.ToValidUTF8(strings.TrimSpace(said.String()), "\ufffd")
		return out.String(), fault.New(fault.Internal, "git %s: %s", name(args), why).WithHint("run it by hand in %s", dir).WithCause(exit(res.ExitCode))
	}
	return out.String(), nil
}

// environ returns the environment of a call, with the settings that override every file's. They are
// variables because -c takes no name with an equals sign in it; git passes them on to what it
// starts in submodules.
func (g Git) environ() []string {
	env := g.Environ
	if env == nil {
		env = os.Environ()
	}
	var out []string
	count := 0
	for _, v := range env {
		name, value, _ := strings.Cut(v, "=")
		switch {
		case slices.Contains(g.Without, name):
			continue
		case name == "GIT_CONFIG_COUNT": // the user's own come before ours
			n, _ := strconv.Atoi(value)
			count = max(0, n)
			continue
		case name == "GIT_ALLOW_PROTOCOL":
			v = name + "=" + withoutExt(value)
		}
		out = append(out, v)
	}
	settings := append(always(), g.Own.settings...)
	for i, s := range settings {
		n := strconv.Itoa(count + i)
		out = append(out, "GIT_CONFIG_KEY_"+n+"="+s.key, "GIT_CONFIG_VALUE_"+n+"="+s.value)
	}
	return append(append(out, g.Own.env...), "GIT_CONFIG_COUNT="+strconv.Itoa(count+len(settings)),
		"LC_ALL=C", "GIT_OPTIONAL_LOCKS=0", "GIT_TERMINAL_PROMPT=0")
}

// withoutExt removes the transport that runs any command from a list of allowed ones.
func withoutExt(list string) string {
	return strings.Join(slices.DeleteFunc(strings.Split(list, ":"), func(p string) bool { return p == "ext" }), ":")
}

// exit is the exit code of a git that ran and failed.
type exit int

func (e exit) Error() string { return fmt.Sprintf("exit code %d", int(e)) }

// Refused reports whether git ran and exited with an error.
func Refused(err error) bool {
	var e exit
	return errors.As(err, &e)
}

// Agreed reports whether git ran and succeeded.
func Agreed(err error) (bool, error) {
	if Refused(err) {
		return false, nil
	}
	return err == nil, err
}

// Answered returns git's output, or "" if git ran and exited with an error.
func Answered(out string, err error) (string, error) {
	if Refused(err) {
		return "", nil
	}
	return out, err
}

// Exit returns the exit code of git, or -1 if it did not run.
func Exit(err error) int {
	var e exit
	if errors.As(err, &e) {
		return int(e)
	}
	return -1
}

// name returns the subcommand among the arguments of git.
func name(args []string) string {
	if i := subcommand(args); i < len(args) {
		return args[i]
	}
	return ""
}

// subcommand returns the index of the subcommand among the arguments of git.
func subcommand(args []string) int {
	for i := 0; i < len(args); i++ {
		switch {
		case args[i] == "-c" || args[i] == "-C":
			i++
		case !strings.HasPrefix(args[i], "-"):
			return i
		}
	}
	return len(args)
}

// differing lists the subcommands that can show differences through a program of the user's or the
// repository's.
var differing = []string{"diff", "diff-files", "diff-index", "diff-tree", "log", "show", "whatchanged", "format-patch"}

// plain makes a subcommand that can show differences compute them itself.
func plain(args []string) []string {
	i := subcommand(args)
	if i == len(args) || !slices.Contains(differing, args[i]) {
		return args
	}
	return slices.Concat(args[:i+1], []string{"--no-ext-diff", "--no-textconv"}, args[i+1:])
}
