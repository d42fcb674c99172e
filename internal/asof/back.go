// Package asof shows a project as it was after an event: a scene whose reads of tasks, edges and counts come from the
// store at the moment of that event, with the tasks that have changed since rewound (package rewind). So the cost
// depends on what has happened since, not on the size of the project. The rules, and what the reader may see, are
// today's.
package asof

import (
	"errors"
	"slices"

	"tasker/internal/core"
	"tasker/internal/event/rewind"
	"tasker/internal/fault"
	"tasker/internal/store"
	"tasker/internal/task"
	"tasker/internal/task/query"
)

// Was says which moment an answer shows.
type Was = rewind.Was

// MaxTasks is how many rewound tasks all readers together may hold at once: about two kilobytes each.
const MaxTasks = 150_000

const (
	maxEvents  = 100_000
	pageEvents = 1_000
)

// Back returns what fn returns for the scene as it was after an event; fn also gets that moment. If at is nil, it gets
// the scene itself, and nil.
func Back[T any](env *core.Env, sc core.Scene, at *int64, fn func(core.Scene, *Was) (T, error)) (out T, err error) {
	if at == nil {
		return fn(sc, nil)
	}
	if newest := sc.Tx.LastEvent(); *at < 1 || *at > newest {
		return out, fault.Bad("at is %d, and no event has that id", *at).WithMissing(fault.Parameter("at")).
			WithHint("the id of an event from 1 to %d", newest)
	}
	if err := core.LogHas(sc.Tx, *at); err != nil {
		return out, err
	}
	for events := maxEvents; ; events /= 2 {
		out, err = back(env, sc, *at, events, fn)
		if !errors.Is(err, errTooMany) || events == 0 { // taking back no events changes nothing
			return out, err
		}
	}
}

// errTooMany says that too many tasks have changed since; Back retries with fewer events.
var errTooMany = errors.New("too many tasks have changed since")

// back is Back that takes back at most the given number of events.
func back[T any](env *core.Env, sc core.Scene, at int64, events int, fn func(core.Scene, *Was) (T, error)) (out T, err error) {
	w := &winder{tx: sc.Tx.At(0), project: sc.Project, room: env.Rewound, state: rewind.New(sc.Project.Slug)}
	defer w.leave()
	was, err := w.wind(at, events)
	if err != nil {
		return out, err
	}
	if err := w.settle(); err != nil {
		return out, err
	}
	then, err := sceneThen(sc, w.state, was)
	if err != nil {
		return out, err
	}
	return fn(then, was)
}

// winder rewinds tasks. It reads them as stored, including lapsed claims, which may not have lapsed yet at the moment
// asked for.
type winder struct {
	tx      *store.Tx
	project *task.Project
	room    *core.Room
	taken   int
	state   *rewind.State
}

func (w *winder) leave() { w.room.Give(w.taken) }

// wind takes back the project's events after one, newest first, page by page, and at most most of them.
func (w *winder) wind(at int64, most int) (*Was, error) {
	before := w.tx.LastEvent() + 1
	was := &Was{Event: at}
	for taken := 0; ; {
		limit := int(min(pageEvents, before-at)) // down to that event, and including it
		page, err := w.tx.Events(query.Events{Project: w.project.Slug, BeforeID: &before, Limit: limit})
		if err != nil {
			return nil, err
		}
		first := max(0, len(page)-(most-taken)) // the first one to take back
		for first < len(page) && page[first].ID <= at {
			first++
		}
		if err := w.loadFor(page[first:]); err != nil {
			return nil, err
		}
		for _, ev := range slices.Backward(page) {
			if ev.ID <= at {
				was.At = ev.At
				return was, nil
			}
			if taken == most {
				was.Event, was.At, was.Cut = ev.ID, ev.At, true
				return was, nil
			}
			if err := w.state.Undo(ev); err != nil {
				return nil, err
			}
			taken, before = taken+1, ev.ID
		}
		if len(page) < limit {
			return was, fault.Bad("at is %d, which was before %s was created", at, w.project.Slug).WithMissing(fault.Parameter("at")).
				WithHint("its first event is %d", before)
		}
	}
}

// loadFor adds the tasks of events to the state.
func (w *winder) loadFor(events []task.Event) error {
	var ids []task.ID
	for i := range events {
		if id := events[i].Task; id != "" {
			ids = append(ids, task.ID(id))
		}
	}
	return w.load(ids)
}

// load adds tasks that are missing from the state, with their dependencies.
func (w *winder) load(ids []task.ID) error {
	ids = slices.DeleteFunc(slices.Clone(ids), w.state.Has)
	slices.Sort(ids)
	ids = slices.Compact(ids)
	if len(ids) == 0 {
		return nil
	}
	if !w.room.Fits(w.taken + len(ids)) {
		return errTooMany
	}
	if err := w.room.Take(len(ids)); err != nil {
		return err
	}
	w.taken += len(ids)
	found, err := w.tx.TasksByID(ids)
	if err != nil {
		return err
	}
	if err := withDeps(w.tx, found); err != nil {
		return err
	}
	for _, id := range ids {
		w.state.Add(id, nil)
	}
	for _, t := range found {
		w.state.Add(t.ID, t)
	}
	return nil
}

// withDeps reads the dependencies of tasks.
func withDeps(tx *store.Tx, list []*task.Task) error {
	at := task.ByID(list)
	var ids []task.ID
	for _, t := range list {
		if !t.NoDeps {
			ids = append(ids, t.ID)
			t.Deps = nil
		}
	}
	found, err := tx.Edges(ids)
	for _, e := range found {
		t := at[e.From]
		t.Deps = append(t.Deps, e.To)
	}
	return err
}
