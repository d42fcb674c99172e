// Package command runs the git command for the packages that ask it and that change something with it.
package command

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"tasker/internal/child"
	"tasker/internal/child/purpose"
	"tasker/internal/fault"
)

// ErrMissing is the cause of the error that Run returns where there is no git.
var ErrMissing = child.ErrNotFound

// Run runs git in a directory and returns what it printed. Nothing of the user's may colour, page or translate what it
// says, or ask somebody. The variables of env come last.
func Run(ctx context.Context, dir string, env []string, args ...string) (string, error) {
	return RunWithout(ctx, nil, dir, env, args...)
}

// RunWithout is Run without some variables of our own environment.
func RunWithout(ctx context.Context, without []string, dir string, env []string, args ...string) (string, error) {
	var out, said bytes.Buffer
	res, err := child.Run(ctx, child.Command{
		For: purpose.Git, Args: append([]string{"git"}, args...), Dir: dir, Output: &out, Errors: &said, Brief: true,
		Env: slices.Concat(lacking(os.Environ(), without), []string{"LC_ALL=C", "GIT_OPTIONAL_LOCKS=0", "GIT_TERMINAL_PROMPT=0"}, env),
	})
	switch {
	case ctx.Err() != nil && (err != nil || res.ExitCode != 0):
		return "", ctx.Err()
	case err != nil:
		return "", fault.New(fault.Internal, "git cannot be run: %s", fault.Of(err).Message).WithCause(err)
	case res.ExitCode != 0:
		why := strings.ToValidUTF8(strings.TrimSpace(said.String()), "\ufffd")
		return out.String(), fault.New(fault.Internal, "git %s: %s", name(args), why).WithHint("run it by hand in %s", dir).WithCause(exit(res.ExitCode))
	}
	return out.String(), nil
}

// exit is the code of a git that ran and said no.
type exit int

func (e exit) Error() string { return fmt.Sprintf("exit code %d", int(e)) }

// Refused reports whether git ran and said no.
func Refused(err error) bool {
	var e exit
	return errors.As(err, &e)
}

// Exit returns the code that git ended with, and -1 where it did not run.
func Exit(err error) int {
	var e exit
	if errors.As(err, &e) {
		return int(e)
	}
	return -1
}

// name returns the subcommand among the arguments of git.
func name(args []string) string {
	for i := 0; i < len(args); i++ {
		switch {
		case args[i] == "-c" || args[i] == "-C":
			i++
		case !strings.HasPrefix(args[i], "-"):
			return args[i]
		}
	}
	return ""
}

// lacking returns the variables that are not named.
func lacking(env, names []string) []string {
	return slices.DeleteFunc(env, func(v string) bool {
		name, _, _ := strings.Cut(v, "=")
		return slices.Contains(names, name)
	})
}
