// Package command runs the git command for the packages that ask it and that change something with it.
package command

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"slices"
	"strings"
	"time"

	"tasker/internal/fault"
)

// ErrMissing is the cause of the error that Run returns where there is no git.
var ErrMissing = exec.ErrNotFound

// waitDelay is how long is waited for the output of a git that has ended: what it started may still hold it.
const waitDelay = time.Second

// Run runs git in a directory and returns what it printed. Nothing of the user's may colour, page or translate what it
// says, or ask somebody. The variables of env come last.
func Run(ctx context.Context, dir string, env []string, args ...string) (string, error) {
	return RunWithout(ctx, nil, dir, env, args...)
}

// RunWithout is Run without some variables of our own environment.
func RunWithout(ctx context.Context, without []string, dir string, env []string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, "git", args...) //nolint:gosec // the arguments are those of the packages above, which check names first
	cmd.Dir = dir
	cmd.Env = slices.Concat(lacking(os.Environ(), without), []string{"LC_ALL=C", "GIT_OPTIONAL_LOCKS=0", "GIT_TERMINAL_PROMPT=0"}, env)
	var out, said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &said
	cmd.WaitDelay = waitDelay
	alone(cmd)
	err := cmd.Run()
	switch {
	case err == nil || errors.Is(err, exec.ErrWaitDelay): // it ended well, and something that it left running holds its output
		return out.String(), nil
	case ctx.Err() != nil:
		return "", ctx.Err()
	case Refused(err):
		why := strings.ToValidUTF8(strings.TrimSpace(said.String()), "\ufffd")
		return out.String(), fault.New(fault.Internal, "git %s: %s", name(args), why).WithHint("run it by hand in %s", dir).WithCause(err)
	}
	return "", fault.New(fault.Internal, "git cannot be run: %v", err).WithCause(err)
}

// Refused reports whether git ran and said no.
func Refused(err error) bool {
	var exit *exec.ExitError
	return errors.As(err, &exit)
}

// Exit returns the code that git ended with, and -1 where it did not run.
func Exit(err error) int {
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return exit.ExitCode()
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
