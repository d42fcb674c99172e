package store

import (
	"slices"

	"tasker/internal/fault"
	"tasker/internal/store/eventlog"
	"tasker/internal/task"
)

// log is the event log as the reader sees it.
func (r *tx) log() eventlog.Log { return eventlog.New(r.c, keys{r}) }

// Events reads the log, oldest first: past SinceID or Since, else the newest; and only what is before BeforeID.
func (r LogReader) Events(q task.EventQuery) ([]task.Event, error) {
	if out, ok, err := r.eventsAhead(q); ok || err != nil {
		return out, err
	}
	return r.log().Events(q)
}

// Latest returns the newest events of a kind in a project, past one, oldest first, at most limit of them.
func (r LogReader) Latest(slug string, kind task.Kind, after int64, limit int) ([]task.Event, error) {
	return r.log().Latest(slug, kind, after, limit)
}

// EventsByID returns events by their ids.
func (r LogReader) EventsByID(ids []int64) (map[int64]task.Event, error) {
	return r.log().EventsByID(ids)
}

// LastEvent is the id of the newest event.
func (r *tx) LastEvent() int64 {
	if r.member != nil {
		return r.member.turn.LastEvent
	}
	return r.head.LastEvent
}

// keys answers what the log and the index ask of the records.
type keys struct{ *tx }

func (k keys) ProjectKey(slug string) (int64, error) {
	p, err := k.project(slug)
	if err != nil {
		return 0, err
	}
	return p.id, nil
}

func (k keys) TaskKey(id task.ID) (slug string, project, key int64, err error) {
	p, key, err := k.refOf(id)
	if err != nil {
		return "", 0, 0, err
	}
	return p.rec.Slug, p.id, key, nil
}

func (k keys) Visible() (ids []int64, all bool, err error) {
	if len(k.scope) == 0 {
		return nil, true, nil
	}
	for _, slug := range k.scope {
		p, err := k.loaded(slug)
		if fault.Is(err, fault.NotFound) {
			continue
		}
		if err != nil {
			return nil, false, err
		}
		ids = append(ids, p.id)
	}
	slices.Sort(ids)
	return slices.Compact(ids), false, nil
}

func (k keys) Slugs() (map[int64]string, error) { return k.slugs() }

// Record adds events to a project and a task; either may be empty.
func (w LogWriter) Record(slug string, id task.ID, ev ...task.Draft) error {
	return w.recordEach(slug, id, ev...)
}

func (w *member) recordEach(slug string, id task.ID, ev ...task.Draft) error {
	for _, d := range ev {
		if _, err := w.record(slug, id, d); err != nil {
			return err
		}
	}
	return nil
}

// record adds one event in the member's name and returns its id.
func (w *member) record(slug string, id task.ID, d task.Draft) (int64, error) {
	n, err := w.recordAs(w.events, slug, id, d)
	if err != nil || slug == "" || d.Kind == task.TaskClaimed || d.Kind == task.ClaimRenewed {
		return n, err
	}
	p, err := w.loaded(slug)
	if err != nil {
		return n, err
	}
	return n, w.acted(p, n)
}

func (w *member) recordAs(log *eventlog.Appender, slug string, id task.ID, d task.Draft) (int64, error) {
	of, err := w.eventOf(slug, id)
	if err != nil {
		return 0, err
	}
	ev, err := log.Append(of, d)
	if err != nil {
		return 0, err
	}
	return ev.ID, w.index.AddEvent(of.Project, ev.ID, log.Actor(), d.Kind, ev.Payload)
}

// eventOf returns what an event is of. A sweep records for projects that the writer does not see.
func (w *member) eventOf(slug string, id task.ID) (of eventlog.Of, err error) {
	if slug == "" {
		return of, nil
	}
	p, err := w.loaded(slug)
	if err != nil {
		return of, err
	}
	of.Project = p.id
	if id != "" {
		_, n, _ := task.ParseID(string(id))
		of.Task = p.ref(n)
	}
	return of, nil
}
