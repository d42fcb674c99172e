package workspace

import (
	"context"

	"tasker/internal/core"
	"tasker/internal/fault"
	"tasker/internal/hint"
	"tasker/internal/store"
	"tasker/internal/task"
)

// Service records workspaces.
type Service struct{ *core.Env }

// New returns a service in an environment.
func New(env *core.Env) *Service { return &Service{env} }

// maxListed is how many workspaces a list has at most.
const maxListed = 10_000

// View is a workspace as commands show it.
type View struct {
	Task     task.ID     `json:"task"`
	Path     string      `json:"path"`
	Host     string      `json:"host"`
	Strategy string      `json:"strategy"`
	Branch   task.Opt    `json:"branch"`
	Base     task.Opt    `json:"base"`
	Ports    []int       `json:"ports"`
	State    State       `json:"state"`
	Claim    *task.Claim `json:"claim"`
	OpenedAt task.Time   `json:"openedAt"`
	Steps    []Step      `json:"steps"`
	Warnings []string    `json:"warnings"`

	Record *Workspace `json:"-"`
	Closed bool       `json:"-"` // the task is closed
}

func view(w *Workspace, t *task.Task, now task.Time) View {
	v := View{
		Task: w.Task, Path: w.Path, Host: w.Host, Strategy: w.Strategy, Branch: task.Opt(w.Branch), Base: task.Opt(w.Base),
		Ports: append([]int{}, w.Ports...), State: w.StateWith(t, now), OpenedAt: w.OpenedAt, Steps: append([]Step{}, w.Steps...),
		Warnings: w.Warnings(), Record: w, Closed: t.Status.Closed(),
	}
	if t.Claim.Live(now) {
		v.Claim = t.Claim
	}
	return v
}

// List returns workspaces, by task and host.
func (s *Service) List(ctx context.Context, in Query) ([]View, error) {
	return core.Read(ctx, s.Env, func(tx *store.Tx) ([]View, error) {
		found, err := Find(tx, in, maxListed)
		if err != nil {
			return nil, err
		}
		ids := make([]task.ID, len(found))
		for i, w := range found {
			ids[i] = w.Task
		}
		tasks, err := tx.TasksByID(ids)
		if err != nil {
			return nil, err
		}
		by := make(map[task.ID]*task.Task, len(tasks))
		for _, t := range tasks {
			by[t.ID] = t
		}
		out := make([]View, 0, len(found))
		for _, w := range found {
			if t := by[w.Task]; t != nil {
				out = append(out, view(w, t, tx.Now()))
			}
		}
		return out, nil
	})
}

// PortsIn names a host.
type PortsIn struct{ Host string }

// Ports returns the taken ports of a host, and the task of each.
func (s *Service) Ports(ctx context.Context, in PortsIn) (map[int]task.ID, error) {
	return core.Read(ctx, s.Env, func(tx *store.Tx) (map[int]task.ID, error) { return portsTaken(tx, in.Host) })
}

// UseIn names a task, what the caller is about to do with its workspace, and the claim under which
// it does.
type UseIn struct {
	Task  task.ID
	To    Use
	Fence *int64
}

// Used says what the caller may do with a task.
type Used struct {
	Holds    bool  // the caller may work under the claim on it
	Database int64 // the number by which the database that has the task is recognized, wherever its file is
}

// Use refuses an act on the workspace of a task that the caller may not use. Callers check it
// before looking at or changing anything; operations that change the record check again in their
// transaction.
func (s *Service) Use(ctx context.Context, in UseIn) (Used, error) {
	return core.Read(ctx, s.Env, func(tx *store.Tx) (Used, error) {
		t, who, err := s.load(ctx, tx, in.Task, in.Fence, in.To)
		if err != nil {
			return Used{}, err
		}
		return Used{Holds: who.Holds(t.Claim), Database: tx.Head.Instance}, nil
	})
}

// BeginIn is a workspace to be made.
type BeginIn struct {
	Workspace Workspace
	Fence     *int64
}

// Begin records a workspace that is about to be made, and takes its ports. An existing workspace of
// the task on that host is a conflict: callers look first.
func (s *Service) Begin(ctx context.Context, in BeginIn) (View, error) {
	return core.Write(ctx, s.Env, func(tx *store.Tx) (View, error) {
		w := in.Workspace
		t, who, err := s.load(ctx, tx, w.Task, in.Fence, ToOpen)
		if err != nil {
			return View{}, err
		}
		if err := CheckOpen(t); err != nil {
			return View{}, err
		}
		there, err := Find(tx, Query{Task: w.Task, Host: w.Host}, 1)
		if err != nil {
			return View{}, err
		}
		if len(there) > 0 {
			return View{}, fault.Stale("%s already has a workspace on %s, in %s", w.Task, w.Host, there[0].Path).
				WithHint("open it again: %s", hint.Command("workspace open "+string(w.Task)))
		}
		w.State, w.OpenedAt, w.OpenedBy = Opening, tx.Now(), who.Full()
		if t.Claim.Live(tx.Now()) {
			w.Fence = t.Claim.Fence
		}
		if err := add(tx, &w); err != nil {
			return View{}, err
		}
		return view(&w, t, tx.Now()), nil
	})
}

// load returns a task, and the caller as it counts for that task. It refuses an act that the caller may not do there; ""
// means no act.
func (s *Service) load(ctx context.Context, tx *store.Tx, id task.ID, fence *int64, to Use) (*task.Task, task.Actor, error) {
	t, err := tx.Task(id)
	if err != nil {
		return nil, task.Actor{}, err
	}
	p, err := tx.Project(t.Project)
	if err != nil {
		return nil, task.Actor{}, err
	}
	who, _, err := s.Writer(ctx, tx, p, t, fence)
	if err == nil && to != "" {
		err = CheckUse(t, who, fence, tx.Now(), to)
	}
	return t, who, err
}

// Made says how far a workspace has come.
type Made struct {
	Workspace Workspace
	From      State
	Opened    bool   // it has just been opened
	Taken     bool   // it was open, and now belongs to another claim
	Looked    bool   // it was only looked at: only Seen is recorded
	Step      *Step  // the step that has just ended
	Phase     string // setup or teardown
	Asked     string // the file and line that configures the step
	To        Use    // the act that starts here; "" if it continues one, or records what was seen
	Fence     *int64 // the claim under which it starts
}

// Save records how far a workspace has come: the given workspace replaces one in the state From. It
// checks whether the caller may when an act starts. It records the result of an act even if the
// task has changed hands in the meantime.
func (s *Service) Save(ctx context.Context, in Made) (View, error) {
	var guidance core.Prints
	if in.Opened || in.Taken { // from now on its holder follows the workspace's files
		guidance = s.PrintsAt(ctx, in.Workspace.Path)
	}
	return core.Write(ctx, s.Env, func(tx *store.Tx) (View, error) {
		t, _, err := s.load(ctx, tx, in.Workspace.Task, in.Fence, in.To)
		if err != nil {
			return View{}, err
		}
		w := in.Workspace
		if in.Looked { // the rest may have changed since it was read
			there, err := Find(tx, Query{Task: w.Task, Host: w.Host}, 1)
			if err != nil {
				return View{}, err
			}
			if len(there) > 0 {
				there[0].Seen = w.Seen
				w = *there[0]
			}
		}
		if w.Seen != nil && w.Seen.CheckedAt == 0 {
			seen := *w.Seen
			seen.CheckedAt = tx.Now()
			w.Seen = &seen
		}
		if (in.Opened || in.Taken) && t.Claim.Live(tx.Now()) {
			if in.Taken || w.Fence == 0 {
				w.Fence = t.Claim.Fence
			}
			if err := guidance.Keep(tx, t); err != nil {
				return View{}, err
			}
		}
		return view(&w, t, tx.Now()), save(tx, &w, in.From, in.events(&w)...)
	})
}

func (in Made) events(w *Workspace) []task.Draft {
	var out []task.Draft
	if in.Step != nil {
		out = append(out, task.Draft{Kind: task.WorkspaceStep, Payload: task.Payload{
			"name": in.Step.Name, "phase": in.Phase, "exitCode": in.Step.ExitCode, "durationMs": in.Step.DurationMs, "optional": in.Step.Optional,
			"host": w.Host, "file": in.Asked,
		}})
	}
	if in.Opened {
		out = append(out, task.Draft{Kind: task.WorkspaceOpened, Payload: w.Payload()})
	}
	return out
}

// DropIn names a workspace that is gone.
type DropIn struct {
	Task    task.ID
	Host    string
	Kind    task.Kind // the event; "" for none: it was never open
	Removed bool      // its directory
	Kept    string    // the ref under which its changes are stored
	Why     string    // for a prune
	Fence   *int64
}

// Drop removes the record of a workspace and frees its ports. For a workspace that is opening or
// closing it checks no permission: that was done at the start, and its directory is gone.
func (s *Service) Drop(ctx context.Context, in DropIn) (struct{}, error) {
	return core.Write(ctx, s.Env, func(tx *store.Tx) (struct{}, error) {
		t, who, err := s.load(ctx, tx, in.Task, in.Fence, "")
		if err != nil {
			return struct{}{}, err
		}
		there, err := Find(tx, Query{Task: in.Task, Host: in.Host}, 1)
		if err != nil || len(there) == 0 {
			return struct{}{}, err
		}
		if there[0].State == Open {
			if err := CheckUse(t, who, in.Fence, tx.Now(), ToClose); err != nil {
				return struct{}{}, err
			}
		}
		var events []task.Draft
		if in.Kind != "" {
			p := there[0].Payload()
			p["removed"] = in.Removed
			if in.Kept != "" {
				p["kept"] = in.Kept
			}
			if in.Why != "" {
				p["why"] = in.Why
			}
			events = []task.Draft{{Kind: in.Kind, Payload: p}}
		}
		return struct{}{}, drop(tx, in.Task, in.Host, events...)
	})
}
