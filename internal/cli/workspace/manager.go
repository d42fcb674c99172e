package workspace

import (
	"context"
	"path/filepath"
	"sync/atomic"
	"time"

	"tasker/internal/bundle"
	"tasker/internal/child/purpose"
	"tasker/internal/cli/frame"
	"tasker/internal/core"
	"tasker/internal/op"
	"tasker/internal/task"
	"tasker/internal/text/words"
	"tasker/internal/views/reading"
	"tasker/internal/work"
	"tasker/internal/workspace"
	"tasker/internal/workspace/machine"
)

// Manager returns what makes and clears workspaces on this machine, and the context to call it with.
func Manager(ctx context.Context, f *frame.Factory) (context.Context, *machine.Manager, error) {
	if f.ServerURL() != "" {
		c, err := f.Dial(ctx)
		if err != nil {
			return ctx, nil, err
		}
		m, err := manager(ctx, f, atServer{f, c, f.News.Keep}.records())
		return ctx, m, err
	}
	ctx, s, err := f.Acting(ctx)
	if err != nil {
		return ctx, nil, err
	}
	m, err := manager(ctx, f, s.Workspaces)
	if err == nil {
		m.Landings = s.Workspaces
	}
	return ctx, m, err
}

// ManagerFor is Manager for a worker of its own name, whose operations are carried out by caller.
func ManagerFor(ctx context.Context, f *frame.Factory, caller op.Caller) (context.Context, *machine.Manager, error) {
	if f.ServerURL() != "" {
		m, err := manager(ctx, f, atServer{f, caller, func(core.News) {}}.records())
		return ctx, m, err
	}
	return Manager(ctx, f)
}

// recorded carries out an operation of the service that records workspaces in the local database.
func recorded[In, Out any](
	ctx context.Context, f *frame.Factory, name string, do func(*workspace.Service, context.Context, In) (Out, error), in In,
) (out Out, err error) {
	ctx, s, err := f.Acting(ctx)
	if err != nil {
		return out, err
	}
	return do(s.Workspaces, core.Doing(ctx, name), in)
}

func manager(ctx context.Context, f *frame.Factory, records machine.Records) (*machine.Manager, error) {
	settings, err := f.Effective(ctx)
	if err != nil {
		return nil, err
	}
	loaded, err := f.Configuration()
	if err != nil {
		return nil, err
	}
	screen := &screen{f: f}
	m := &machine.Manager{
		Dir:        words.Either(loaded.File != "", filepath.Dir(loaded.File), f.Process.Dir),
		Workspaces: records, Host: f.Process.Host(), Config: settings, Env: f.Process.Environ(),
		Free: f.Wiring.FreePorts, Logs: filepath.Join(f.Wiring.StateDir(), "workspaces"), Output: screen,
		Tell: func(format string, args ...any) {
			if !f.Flags.Quiet && !f.Flags.JSON {
				f.Err.Printf(format+"\n", args...)
			}
		},
		Fence:  func(ctx context.Context, id task.ID) (*int64, error) { return f.Fence(ctx, nil, string(id)) },
		Writes: func() ([]string, error) { return f.Wiring.Writes(settings.Config) },
		Provide: func(ctx context.Context, at workspace.At) (workspace.Provided, error) {
			return f.Wiring.Provide(ctx, settings.Config, at)
		},
		Run: func(ctx context.Context, s machine.Shell) (int, time.Duration, error) {
			end := screen.during(s.What)
			defer end()
			done, err := f.Wiring.Exec(ctx, frame.Execution{
				For: purpose.Step, Args: []string{"sh", "-c", s.Line}, Dir: s.Dir, Env: s.Env, Whole: true, Output: s.Output, Secret: s.Secret,
			})
			return done.ExitCode, done.Took, err
		},
	}
	return m, m.FindRepo(ctx)
}

// Given makes a manager act under the claim that the flag names, or else the environment.
func Given(f *frame.Factory, m *machine.Manager, flag *int64) {
	m.Fence = func(ctx context.Context, id task.ID) (*int64, error) { return f.Fence(ctx, flag, string(id)) }
}

// Under returns the fence of a claim just made, for a manager that acts on its task.
func Under(fence int64) func(context.Context, task.ID) (*int64, error) {
	return func(context.Context, task.ID) (*int64, error) { return &fence, nil }
}

// screen shows the output of steps. On a terminal, it appears above a line that names the running step, once a step has
// taken a second.
type screen struct {
	f   *frame.Factory
	bar atomic.Pointer[frame.Progress]
}

// during shows that something is running, until end is called.
func (s *screen) during(what string) (end func()) {
	bar := s.f.Progress(what, 0)
	s.bar.Store(bar)
	return func() {
		bar.End()
		s.bar.Store(nil)
	}
}

func (s *screen) Write(text []byte) (int, error) {
	if bar := s.bar.Load(); bar != nil {
		return bar.Write(text)
	}
	return s.f.Err.Write(text)
}

// finder finds the task that an argument names.
type finder func(ctx context.Context, name string) (id string, err error)

// found returns the task that an argument names, and a manager for its workspace.
func found(ctx context.Context, f *frame.Factory, name string, find finder) (context.Context, *machine.Manager, task.ID, error) {
	id, err := find(ctx, name)
	if err != nil {
		return ctx, nil, "", err
	}
	ctx, m, err := Manager(ctx, f)
	return ctx, m, task.ID(id), err
}

// For resolves the task that an argument names, and returns a manager for its workspace.
func For(ctx context.Context, f *frame.Factory, arg string) (context.Context, *machine.Manager, machine.Subject, error) {
	ctx, m, id, err := found(ctx, f, arg, f.TaskID)
	if err != nil {
		return ctx, nil, machine.Subject{}, err
	}
	b, err := frame.Call(ctx, f, op.Show, reading.ShowIn{Task: string(id)})
	if err != nil {
		return ctx, nil, machine.Subject{}, err
	}
	return ctx, m, Of(b), nil
}

// Of returns what a workspace needs to know about the task of a bundle, including the done tasks that it builds on.
func Of(b *bundle.Bundle) machine.Subject {
	s := machine.Subject{ID: b.Task.ID, Title: b.Task.Title}
	for _, d := range b.Deps {
		if d.Status == task.Done {
			s.Deps = append(s.Deps, machine.Subject{ID: d.ID, Title: d.Title})
		}
	}
	return s
}

// GiveBack releases a task whose workspace could not be made.
func GiveBack(ctx context.Context, f *frame.Factory, claim task.Claim, because error) {
	note := "its workspace could not be made: " + because.Error()
	_, err := frame.Call(ctx, f, op.Release, work.ReleaseIn{Task: string(claim.Task), Fence: &claim.Fence, Note: &note})
	if err != nil {
		f.Warn([]string{"the claim on " + string(claim.Task) + " could not be given back: " + err.Error()})
	}
}

// OpenFor opens the workspace of a task just claimed, and gives the task back if that fails, unless the claim was only
// renewed: then somebody is at work.
func OpenFor(ctx context.Context, f *frame.Factory, b *bundle.Bundle, claim task.Claim) (v workspace.View, err error) {
	ctx, m, err := Manager(ctx, f)
	if err == nil {
		m.Fence = Under(claim.Fence)
		v, err = m.Open(ctx, Of(b), machine.OpenOptions{})
	}
	if err != nil && claim.RenewedAt == 0 {
		GiveBack(context.WithoutCancel(ctx), f, claim, err)
	}
	return v, err
}
