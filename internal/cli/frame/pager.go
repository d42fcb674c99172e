package frame

import (
	"context"
	"slices"
	"strings"

	"tasker/internal/child/purpose"
)

// defaultPager passes colours through, and exits at once if everything fits.
const defaultPager = "less -FRX"

// pager returns the command that shows long answers. It returns "" in a pipe, on a terminal that cannot page, with
// --no-pager, after a write, and while a view is repainted.
func pager(f *Factory) string {
	if !f.Process.OutTTY || f.Process.Height == nil || f.Flags.NoPager || f.wrote || f.Repaints || f.Env("TERM") == "dumb" {
		return ""
	}
	for _, name := range []string{"TASKER_PAGER", "PAGER"} {
		if command, set := f.Process.Env(name); set {
			return command
		}
	}
	return defaultPager
}

// Paged prints an answer, through the pager if it is longer than the screen. Output to standard error follows it.
func Paged(f *Factory, show func() error) error {
	command := pager(f)
	if command == "" || command == "cat" {
		return show()
	}
	f.Out.Hold()
	f.Err.Hold()
	err := show()
	shown := false
	if text := f.Out.Held(); strings.Count(text, "\n") >= f.Process.Height() {
		shown = page(f, command, text)
	}
	f.Out.Release(shown)
	f.Err.Release(false)
	return err
}

// page shows a text in the pager, and reports whether the pager could be started.
func page(f *Factory, command, text string) bool {
	env := f.Process.Environ()
	if !slices.ContainsFunc(env, func(v string) bool { return strings.HasPrefix(v, "LESS=") }) {
		env = append(env, "LESS=FRX") // makes any less show colours, as git does
	}
	run := f.Process.Foreground(purpose.Pager, []string{"sh", "-c", command}, f.Process.Dir, env)
	run.Stdin = strings.NewReader(text)
	done, err := f.Wiring.Exec(context.Background(), run)
	return err == nil && done.ExitCode != notFound && done.ExitCode != notExecutable
}

// The exit codes of a shell that cannot start a command.
const (
	notExecutable = 126
	notFound      = 127
)
