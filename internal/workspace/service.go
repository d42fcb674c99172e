package workspace

import (
	"context"

	"tasker/internal/core"
	"tasker/internal/store"
	"tasker/internal/task"
)

// Service records workspaces.
type Service struct{ *core.Env }

// New returns a service in an environment.
func New(env *core.Env) *Service { return &Service{env} }

// maxListed is how many workspaces a list has at most.
const maxListed = 10_000

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
				out = append(out, Standing{Task: t, Now: tx.Now()}.View(w))
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
		at, err := s.standing(ctx, tx, in.Task, in.Fence)
		if err != nil {
			return Used{}, err
		}
		return in.Decide(at, tx.Head.Instance)
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
		at, err := s.standing(ctx, tx, in.Workspace.Task, in.Fence)
		if err != nil {
			return View{}, err
		}
		there, err := Find(tx, Query{Task: in.Workspace.Task, Host: in.Workspace.Host}, 1)
		if err != nil {
			return View{}, err
		}
		w, err := in.Decide(at, first(there))
		if err != nil {
			return View{}, err
		}
		return at.View(&w), add(tx, &w)
	})
}

// first returns the first of some workspaces, or nil if there is none.
func first(all []*Workspace) *Workspace {
	if len(all) == 0 {
		return nil
	}
	return all[0]
}

// standing returns a task, and the caller as it counts for that task.
func (s *Service) standing(ctx context.Context, tx *store.Tx, id task.ID, fence *int64) (Standing, error) {
	t, err := tx.Task(id)
	if err != nil {
		return Standing{}, err
	}
	p, err := tx.Project(t.Project)
	if err != nil {
		return Standing{}, err
	}
	who, _, err := s.Writer(ctx, tx, p, t, fence)
	return Standing{Task: t, Who: who, Now: tx.Now()}, err
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
		at, err := s.standing(ctx, tx, in.Workspace.Task, in.Fence)
		if err != nil {
			return View{}, err
		}
		var there []*Workspace
		if in.Looked {
			if there, err = Find(tx, Query{Task: in.Workspace.Task, Host: in.Workspace.Host}, 1); err != nil {
				return View{}, err
			}
		}
		w, events, err := in.Decide(at, first(there))
		if err != nil {
			return View{}, err
		}
		if (in.Opened || in.Taken) && at.Task.Claim.Live(at.Now) {
			if err := guidance.Keep(tx, at.Task); err != nil {
				return View{}, err
			}
		}
		return at.View(&w), save(tx, &w, in.From, events...)
	})
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
		at, err := s.standing(ctx, tx, in.Task, in.Fence)
		if err != nil {
			return struct{}{}, err
		}
		there, err := Find(tx, Query{Task: in.Task, Host: in.Host}, 1)
		if err != nil || len(there) == 0 {
			return struct{}{}, err
		}
		events, err := in.Decide(at, there[0])
		if err != nil {
			return struct{}{}, err
		}
		return struct{}{}, drop(tx, in.Task, in.Host, events...)
	})
}
