package machine

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"tasker/internal/child/tail"
	"tasker/internal/config"
	"tasker/internal/fault"
	"tasker/internal/text/words"
	"tasker/internal/workspace"
)

// The limits of the end of a failed step's output, which the refusal shows.
const (
	tailLines = 20
	maxTail   = 8 << 10 // bytes
)

// stage is a list of steps of a workspace.
type stage struct {
	phase  string // setup or teardown
	steps  []config.Step
	state  workspace.State // of the workspace during the steps
	forced bool            // a failed required step does not stop the rest
	env    []string
	secret []string // the values of the providers
}

// steps runs the steps of setup or teardown in order, and records each with its event. It skips
// steps that succeeded before a crash.
func (m *Manager) steps(ctx context.Context, w *workspace.Workspace, g stage) error {
	asked := m.asked()
	for i, s := range g.steps {
		if i < len(w.Steps) && endedWell(w.Steps[i], s) {
			continue
		}
		w.Steps = w.Steps[:min(i, len(w.Steps))]
		what := fmt.Sprintf("%s %d of %d: %s", g.phase, i+1, len(g.steps), s.Name)
		m.Tell("%s", what)
		sh := Shell{What: what, Line: s.Run, Dir: w.Path, Env: g.env, Secret: g.secret, Timeout: s.Timeout()}
		if err := m.step(ctx, w, g, s, asked[config.StepKey(g.phase, i)], sh); err != nil {
			return err
		}
	}
	return nil
}

// endedWell reports whether done records step s, and the steps after it may run.
func endedWell(done workspace.Step, s config.Step) bool {
	return done.Name == s.Name && (done.ExitCode == 0 || s.Optional)
}

// asked returns every command of the configuration by its key, with the file and line of its
// setting.
func (m *Manager) asked() map[string]config.Command {
	out := map[string]config.Command{}
	for _, c := range config.Commands(m.Config) {
		out[c.Key] = c
	}
	return out
}

// provide asks the providers of a workspace. For each that runs a command it adds a line to the
// workspace's log, with the file that configures it.
func (m *Manager) provide(ctx context.Context, w *workspace.Workspace) (workspace.Provided, error) {
	if err := m.home(w); err != nil {
		return workspace.Provided{}, err
	}
	if err := m.logProviders(w); err != nil {
		return workspace.Provided{}, err
	}
	return m.Provide(ctx, workspace.At{Root: w.Root, Dir: w.Path, Task: string(w.Task), Env: m.Env})
}

func (m *Manager) logProviders(w *workspace.Workspace) (err error) {
	var lines []string
	for _, name := range m.Config.Workspace.Providers {
		for _, c := range config.Commands(m.Config) {
			if rest, ok := strings.CutPrefix(c.Key, config.ProviderKey(name)); ok && strings.HasPrefix(rest, ".") {
				lines = append(lines, fmt.Sprintf("== provider: %s (%s)\n%s\n", name, c.Where(), c.Command))
			}
		}
	}
	if len(lines) == 0 {
		return nil
	}
	log, err := m.log(w)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, log.Close()) }()
	log.head(strings.Join(lines, ""))
	return nil
}

func (m *Manager) step(
	ctx context.Context, w *workspace.Workspace, g stage, s config.Step, from config.Command, sh Shell,
) (err error) {
	log, err := m.log(w)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, log.Close()) }()
	log.head(fmt.Sprintf("== %s: %s (%s)\n%s\n", g.phase, s.Name, from.Where(), s.Run))
	end := tail.New(maxTail)
	limited, stop := context.WithTimeout(ctx, s.Timeout())
	sh.Output = io.MultiWriter(log, end, &prefixed{to: m.Output, before: s.Name + "  "})
	exit, took, err := m.Run(limited, sh)
	late := limited.Err() != nil && ctx.Err() == nil
	stop()
	if err != nil && late && errors.Is(err, context.DeadlineExceeded) { // its time was over before it started
		exit, err = -1, nil
	}
	if err != nil {
		return err
	}
	if late && exit == 0 { // it exited with 0 only because it was stopped
		exit = -1
	}
	done := workspace.Step{Name: s.Name, ExitCode: exit, DurationMs: took.Milliseconds(), Optional: s.Optional}
	w.Steps = append(w.Steps, done)
	if err := m.made(ctx, w, g.state); err != nil {
		return err
	}
	if _, err := m.call(context.WithoutCancel(ctx), workspace.Made{Workspace: *w, From: g.state, Step: &done, Phase: g.phase, Asked: from.Where()}); err != nil {
		return err
	}
	switch {
	case ctx.Err() != nil:
		return fault.Unready("stopped during the step %q", s.Name)
	case exit == 0, s.Optional, g.forced: // the answer warns about a step that failed
		return nil
	}
	how := words.Either(late, fmt.Sprintf("was stopped after %s", s.Timeout()), fmt.Sprintf("ended with exit code %d", exit))
	return fault.Unready("the step %q %s%s", s.Name, how, said(end)).WithHint("the whole output is in %s", w.Log)
}

// made remembers which ignored files the setup has made so far, so that after a crash they are told from those that
// somebody has put there since.
func (m *Manager) made(ctx context.Context, w *workspace.Workspace, state workspace.State) error {
	if !w.OwnTree || state != workspace.Opening {
		return nil
	}
	repo, err := m.repo(ctx, w)
	if err != nil {
		return err
	}
	seen, err := repo.Look(context.WithoutCancel(ctx), w.Path, "", true)
	if err == nil {
		w.Ignored = seen.Ignored
	}
	return err
}

// said returns the last lines of what a step printed.
func said(end *tail.Writer) string {
	text := strings.TrimSpace(end.String())
	if text == "" {
		return ""
	}
	lines := strings.Split(text, "\n")
	return ":\n" + strings.Join(lines[max(0, len(lines)-tailLines):], "\n")
}

// prefixed writes whole lines, each after a prefix.
type prefixed struct {
	to     io.Writer
	before string
	rest   []byte
}

func (p *prefixed) Write(b []byte) (int, error) {
	p.rest = append(p.rest, b...)
	for {
		i := bytes.IndexByte(p.rest, '\n')
		if i < 0 && len(p.rest) < 4<<10 {
			return len(b), nil
		}
		if i < 0 {
			i = len(p.rest) - 1
		}
		if _, err := io.WriteString(p.to, p.before+string(bytes.TrimRight(p.rest[:i+1], "\r\n"))+"\n"); err != nil {
			return 0, err
		}
		p.rest = p.rest[i+1:]
	}
}
