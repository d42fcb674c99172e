// Package past shows a project as it was: a scene whose reads of tasks, edges and counts are answered from the tasks as they
// were at an event, wound back from now (package rewind). Rules and reader are today's.
package past

import (
	"slices"

	"tasker/internal/core"
	"tasker/internal/fault"
	"tasker/internal/task"
	"tasker/internal/task/query"
	"tasker/internal/task/rewind"
)

// Was says which moment an answer is of.
type Was = rewind.Was

// MaxTasks is how many tasks a project may have to be wound back: all of them are held in memory, about a kilobyte each.
const MaxTasks = 100_000

const (
	maxEvents  = 100_000
	pageEvents = 1_000
)

// Back calls fn with the scene as it was after an event, and with which moment that is; with the scene itself, and nil, where at
// is nil.
func Back(env *core.Env, sc core.Scene, at *int64, fn func(core.Scene, *Was) error) error {
	if at == nil {
		return fn(sc, nil)
	}
	if err := mayWind(sc, *at); err != nil {
		return err
	}
	leave, err := env.Wound.Take(all(sc.Project.Tasks))
	if err != nil {
		return err
	}
	defer leave()
	then, was, err := back(sc, *at)
	if err != nil {
		return err
	}
	return fn(then, was)
}

func all(n task.Counts) int { return n.Open + n.InProgress + n.InReview + n.Done + n.Cancelled }

// mayWind refuses an event that there is not, and a project that is too large.
func mayWind(sc core.Scene, at int64) error {
	if newest := sc.Tx.Log.LastEvent(); at < 1 || at > newest {
		return fault.Bad("at is %d, and no event has that id", at).WithMissing(fault.Parameter("at")).
			WithHint("the id of an event from 1 to %d", newest)
	}
	if err := core.LogHas(sc.Tx, at); err != nil {
		return err
	}
	if all(sc.Project.Tasks) > MaxTasks {
		return fault.Decline("%s has more than %d tasks, which is too many to wind back", sc.Project.Slug, MaxTasks).
			WithHint("leave at out; what happened to each task is in the log")
	}
	return nil
}

// back winds a scene back.
func back(sc core.Scene, at int64) (core.Scene, *Was, error) {
	now, _, _, err := sc.Tx.Tasks.List(query.List{Project: sc.Project.Slug})
	if err != nil {
		return sc, nil, err
	}
	if err := withDeps(sc.Tx, now); err != nil {
		return sc, nil, err
	}
	state := rewind.New(sc.Project.Slug, now)
	was, err := wind(sc, state, at)
	if err != nil {
		return sc, nil, err
	}
	s := newSnapshot(sc, state, was)
	tx := *sc.Tx
	tx.Clock, tx.Projects, tx.Tasks, tx.Graph, tx.Frontier, tx.Log = clock{was.At}, projects{sc.Tx.Projects, s}, tasks{sc.Tx.Tasks, s},
		edges{sc.Tx.Graph, tasks{sc.Tx.Tasks, s}, s}, frontier{sc.Tx.Frontier, s}, log{sc.Tx.Log, s}
	tx.Pace, tx.Annotations, tx.Waiting, tx.Guidance, tx.Workspaces = pace{s}, beside{sc.Tx.Annotations, sc.Tx.Log, s}, waiting{}, guidance{sc.Tx.Guidance},
		workspaces{sc.Tx.Workspaces}
	sc.Tx, sc.Project = &tx, s.project
	return sc, was, nil
}

// withDeps reads the dependencies of tasks.
func withDeps(tx *core.ReadTx, list []*task.Task) error {
	at := make(map[task.ID]*task.Task, len(list))
	ids := make([]task.ID, 0, len(list))
	for _, t := range list {
		at[t.ID] = t
		if !t.NoDeps {
			ids = append(ids, t.ID)
			t.Deps = nil
		}
	}
	found, err := tx.Graph.Edges(ids)
	for _, e := range found {
		t := at[e.From]
		t.Deps = append(t.Deps, e.To)
	}
	return err
}

// wind takes back the events of the project past one, newest first, page by page.
func wind(sc core.Scene, state *rewind.State, at int64) (*Was, error) {
	before := sc.Tx.Log.LastEvent() + 1
	was := &Was{Event: at}
	for taken := 0; ; {
		page, err := sc.Tx.Log.Events(query.Events{Project: sc.Project.Slug, BeforeID: &before, Limit: pageEvents})
		if err != nil {
			return nil, err
		}
		for _, ev := range slices.Backward(page) {
			if ev.ID <= at {
				was.At = ev.At
				return was, nil
			}
			if taken == maxEvents {
				was.Event, was.At, was.Cut = ev.ID, ev.At, true
				return was, nil
			}
			if err := state.Undo(ev); err != nil {
				return nil, err
			}
			taken, before = taken+1, ev.ID
		}
		if len(page) < pageEvents {
			return was, fault.Bad("at is %d, which was before %s was made", at, sc.Project.Slug).WithMissing(fault.Parameter("at")).
				WithHint("its first event is %d", before)
		}
	}
}
