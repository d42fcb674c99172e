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

// Bounds of winding back.
const (
	maxEvents  = 100_000
	maxTasks   = 20_000
	pageEvents = 1_000
)

// Back returns the scene as it was after an event, and which moment that is; the scene itself, and nil, where at is nil.
func Back(sc core.Scene, at *int64) (core.Scene, *Was, error) {
	if at == nil {
		return sc, nil, nil
	}
	if newest := sc.Tx.Log.LastEvent(); *at < 1 || *at > newest {
		return sc, nil, fault.Bad("at is %d, and no event has that id", *at).WithMissing(fault.Parameter("at")).
			WithHint("the id of an event from 1 to %d", newest)
	}
	if err := core.LogHas(sc.Tx, *at); err != nil {
		return sc, nil, err
	}
	n := sc.Project.Tasks
	if n.Open+n.InProgress+n.InReview+n.Done+n.Cancelled > maxTasks {
		return sc, nil, fault.Decline("%s has more than %d tasks, which is too many to wind back", sc.Project.Slug, maxTasks).
			WithHint("leave at out; what happened to each task is in the log")
	}
	now, _, _, err := sc.Tx.Tasks.List(query.List{Project: sc.Project.Slug})
	if err != nil {
		return sc, nil, err
	}
	if err := withDeps(sc.Tx, now); err != nil {
		return sc, nil, err
	}
	state := rewind.New(sc.Project.Slug, now)
	was, err := wind(sc, state, *at)
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
