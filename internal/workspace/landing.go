package workspace

import (
	"context"

	"tasker/internal/core"
	"tasker/internal/store"
	"tasker/internal/task"
	"tasker/internal/task/proven"
)

// LandedIn says where the work on a closed task is.
type LandedIn struct{ Landing Landing }

// Landed records where the work on a done task is. If it has landed and had not before, that is an
// event.
func (s *Service) Landed(ctx context.Context, in LandedIn) (Landing, error) {
	return core.Write(ctx, s.Env, func(tx *store.Tx) (Landing, error) {
		t, err := tx.Task(in.Landing.Task)
		if err != nil {
			return in.Landing, err
		}
		before, err := Landings(tx, []*task.Task{t})
		if err != nil {
			return in.Landing, err
		}
		var events []task.Draft
		if was := before[t.ID]; was != nil && !was.HasLanded() && in.Landing.HasLanded() {
			events = []task.Draft{landed(in.Landing, "", nil)}
		}
		return record(tx, t, in.Landing, events...)
	})
}

// Land records that the caller has put a branch of a done task on the base, after runs on the merged files. It is an event,
// whether or not somebody looked before; if it is known already, nothing is recorded.
func Land(tx *store.Tx, t *task.Task, l Landing, branch string, runs any) (Landing, error) {
	before, err := Landings(tx, []*task.Task{t})
	if err != nil {
		return l, err
	}
	if was := before[t.ID]; was != nil && was.HasLanded() {
		return *was, nil
	}
	return record(tx, t, l, landed(l, branch, runs))
}

// landed returns the event of work that is on its base now.
func landed(l Landing, branch string, runs any) task.Draft {
	p := task.Payload{"base": l.Base, "commit": l.Commit}
	if branch != "" {
		p["branch"], p["runs"] = branch, runs
	}
	return task.Draft{Kind: task.TaskLanded, Payload: p}
}

// record stores where the work on a done task is.
func record(tx *store.Tx, t *task.Task, l Landing, events ...task.Draft) (Landing, error) {
	if err := CheckLanding(t); err != nil {
		return l, err
	}
	l.CheckedAt = tx.Now()
	return l, saveLanding(tx, t, &l, events...)
}

// UnlandedIn names a project.
type UnlandedIn struct{ Project string }

// maxUnlanded is how many tasks are checked again.
const maxUnlanded = 100

// Unlanded returns where the work on tasks of a project was, newest first, if it was not on its
// base at the last check.
func (s *Service) Unlanded(ctx context.Context, in UnlandedIn) ([]Landing, error) {
	return core.Read(ctx, s.Env, func(tx *store.Tx) ([]Landing, error) {
		ids, err := unlanded(tx, in.Project, maxUnlanded)
		if err != nil {
			return nil, err
		}
		tasks, err := tx.TasksByID(ids)
		if err != nil {
			return nil, err
		}
		landings, err := Landings(tx, tasks)
		if err != nil {
			return nil, err
		}
		out := []Landing{}
		for _, t := range tasks {
			if l := landings[t.ID]; l != nil && t.Status == task.Done { // it may be open again
				out = append(out, *l)
			}
		}
		return out, nil
	})
}

// TracesIn names a task.
type TracesIn struct{ Task string }

// Traces is what shows where the work on a task is.
type Traces struct {
	Task      task.ID
	Marks     []Mark // from its evidence: the newest item of each kind, if it was run on a commit
	Workspace bool   // it has one, on this machine or another
}

// Traces returns what shows where the work on a task is, for a command that then asks git. It reads
// nothing else: a bundle would cost many times as much.
func (s *Service) Traces(ctx context.Context, in TracesIn) (Traces, error) {
	return core.Read(ctx, s.Env, func(tx *store.Tx) (out Traces, err error) {
		t, err := core.Find(ctx, tx, in.Task)
		if err != nil {
			return out, err
		}
		out.Task = t.ID
		evidence, _, err := tx.NewestEvidence(t.ID, task.MaxListed)
		if err != nil {
			return out, err
		}
		out.Marks = marks(evidence)
		there, err := Find(tx, Query{Task: t.ID}, 1)
		out.Workspace = len(there) > 0
		return out, err
	})
}

// marks returns what evidence shows about where the work is.
func marks(evidence []task.Evidence) (out []Mark) {
	newest := map[string]int64{}
	for _, e := range evidence {
		newest[e.Kind] = max(newest[e.Kind], e.ID)
	}
	for _, e := range evidence {
		if r, ok := proven.Parse(e.Value); ok && r.ExitCode == 0 && r.Commit != "" && newest[e.Kind] == e.ID {
			out = append(out, Mark{Proved: e.Kind, Commit: string(r.Commit), Tree: string(r.Tree), Dirty: r.Dirty})
		}
	}
	return out
}
