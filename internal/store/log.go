package store

import (
	"slices"

	"tasker/internal/fault"
	"tasker/internal/store/eventlog"
	"tasker/internal/store/textindex"
	"tasker/internal/task"
	"tasker/internal/task/query"
)

// Events returns events, oldest first: those after SinceID or Since, or else the newest. With BeforeID, it returns only
// earlier ones.
func (tx *Tx) Events(q query.Events) ([]task.Event, error) {
	return tx.Log().Events(q)
}

// LogStart returns where the log begins.
func (tx *Tx) LogStart() (query.LogStart, error) { return tx.Log().Start() }

// EventBefore returns the last event before a time, or 0.
func (tx *Tx) EventBefore(t task.Time) (int64, error) { return tx.Log().EventBefore(t) }

// Unneeded looks at up to limit stored events in a range. It returns how many of them no record needs, and where to
// continue, or 0 at the end.
func (tx *Tx) Unneeded(from, before int64, limit int) (n int, next int64, err error) {
	found, next, err := tx.Log().Unneeded(from, before, limit)
	return len(found), next, err
}

// Generation returns how often the database was restored, from 1.
func (tx *Tx) Generation() int64 { return tx.Head.Generation }

// History returns up to limit of a task's newest events that fit a page of some bytes, oldest first, and whether there
// may be earlier ones.
func (tx *Tx) History(id task.ID, limit, bytes int) ([]task.Event, bool, error) {
	if out, ok, err := eventsAhead(tx, id, limit); ok || err != nil {
		return out, len(out) == limit, err
	}
	return tx.Log().History(query.Events{Task: id, Limit: limit, Bytes: bytes})
}

// Latest calls each with up to limit of a project's newest events of a kind, after a given one, newest first.
func (tx *Tx) Latest(slug string, kind task.Kind, after int64, limit int, each func(task.Event)) error {
	return tx.Log().Latest(slug, kind, after, limit, each)
}

// EventsByID calls each with events, in any order.
func (tx *Tx) EventsByID(ids []int64, each func(task.Event)) error {
	return tx.Log().EventsByID(ids, each)
}

// LastRestore returns the event of the last restore, even if the caller may not see everything, or nil.
func (tx *Tx) LastRestore() (*task.Event, error) { return tx.Log().Restored() }

// Spoken looks for events of an actor in a project, under any of some names. It returns the last event of the write
// before the actor's newest one, or 0.
func (tx *Tx) Spoken(slug string, names []string) (int64, error) {
	return tx.Log().Spoken(slug, names)
}

// Wrote reports whether an actor has written in a project, under any instance of its name.
func (tx *Tx) Wrote(slug, name string) (bool, error) {
	return tx.Log().Wrote(slug, name, tx.LastEvent())
}

// WroteUntil reports whether an actor had written in a project when an event was the newest.
func (tx *Tx) WroteUntil(slug, name string, event int64) (bool, error) {
	return tx.Log().Wrote(slug, name, event)
}

// Concerned returns what concerns an actor in a project, apart from one task.
func (tx *Tx) Concerned(slug string, names []string, besides task.ID, limit int) (query.Concern, error) {
	if got, ok, err := concernAhead(tx, names, besides, limit); ok || err != nil {
		return got, err
	}
	var but int64
	if besides != "" {
		keys, err := tx.Keys([]task.ID{besides})
		if err != nil {
			return query.Concern{}, err
		}
		but = keys[0]
	}
	return tx.Log().Concerned(slug, names, but, limit)
}

// Log returns the event log as the reader sees it.
func (tx *Tx) Log() eventlog.Log { return eventlog.New(tx.C, keys{tx}) }

// LastEvent returns the id of the newest event.
func (tx *Tx) LastEvent() int64 {
	if tx.member != nil {
		return tx.Turn.LastEvent
	}
	return tx.Head.LastEvent
}

// Prune removes the events that Unneeded counts, and their entries in the text index.
func (tx *Tx) Prune(from, before int64, limit int) (n int, next int64, err error) {
	found, next, err := tx.Log().Unneeded(from, before, limit)
	if err != nil {
		return 0, 0, err
	}
	ids := make([]int64, len(found))
	for i, ev := range found {
		ids[i] = ev.ID
		tx.Index.RemoveEvent(ev.Project, ev.ID, ev.Kind)
	}
	return len(found), next, eventlog.Delete(tx.Turn, ids)
}

// Undoing adds the event that is undone, if there is one, to the payload of an event.
func Undoing(p task.Payload, undoes []int64) task.Payload {
	for _, event := range undoes {
		p["undoes"] = event
	}
	return p
}

// TextIndex returns the text index as the reader sees it.
func (tx *Tx) TextIndex() textindex.Index {
	return textindex.New(tx.C, tx.Head.Now, keys{tx}, tx.Log())
}

// keys gives the log and the index what they need from the records.
type keys struct{ *Tx }

func (k keys) ProjectKey(slug string) (int64, error) {
	p, err := k.Find(slug)
	if err != nil {
		return 0, err
	}
	return p.ID, nil
}

func (k keys) TaskKey(id task.ID) (slug string, project, key int64, err error) {
	p, key, err := k.KeyOf(id)
	if err != nil {
		return "", 0, 0, err
	}
	return p.Rec.Slug, p.ID, key, nil
}

func (k keys) Visible() (ids []int64, all bool, err error) {
	if len(k.scope) == 0 {
		return nil, true, nil
	}
	for _, slug := range k.scope {
		p, err := k.Loaded(slug)
		if fault.Is(err, fault.NotFound) {
			continue
		}
		if err != nil {
			return nil, false, err
		}
		ids = append(ids, p.ID)
	}
	slices.Sort(ids)
	return slices.Compact(ids), false, nil
}

func (k keys) Slugs() (map[int64]string, error) { return k.SlugsByID() }

// Record adds events to a project and a task, in the member's name; either may be empty.
func (tx *Tx) Record(slug string, id task.ID, ev ...task.Draft) error {
	_, err := tx.AppendAll(slug, id, ev)
	return err
}

// AppendAll is Record that returns the id of the last event, or 0 if there are none.
func (tx *Tx) AppendAll(slug string, id task.ID, ev []task.Draft) (last int64, err error) {
	for _, d := range ev {
		if last, err = tx.Append(slug, id, d); err != nil {
			return 0, err
		}
	}
	return last, nil
}

// Append appends one event in the member's name and returns its id.
func (tx *Tx) Append(slug string, id task.ID, d task.Draft) (int64, error) {
	n, err := tx.recordAs(tx.Appender, slug, id, d)
	if err != nil || slug == "" || d.Kind == task.TaskClaimed || d.Kind == task.ClaimRenewed {
		return n, err
	}
	p, err := tx.Loaded(slug)
	if err != nil {
		return n, err
	}
	return n, tx.Acted(p, n)
}

func (tx *Tx) recordAs(log *eventlog.Appender, slug string, id task.ID, d task.Draft) (int64, error) {
	of, err := tx.eventOf(slug, id)
	if err != nil {
		return 0, err
	}
	ev, err := log.Append(of, d)
	if err != nil {
		return 0, err
	}
	return ev.ID, tx.Index.AddEvent(of.Project, ev.ID, log.Actor(), d.Kind, ev.Payload)
}

// eventOf returns the project and task of an event. A sweep also records events of projects that the writer does not
// see.
func (tx *Tx) eventOf(slug string, id task.ID) (of eventlog.Of, err error) {
	if slug == "" {
		return of, nil
	}
	p, err := tx.Loaded(slug)
	if err != nil {
		return of, err
	}
	of.Project = p.ID
	if id != "" {
		_, n, _ := task.ParseID(string(id))
		of.Task = p.Ref(n)
	}
	return of, nil
}

// Acted indexes the member's actor the first time it writes to a project; event is the event of that write.
func (tx *Tx) Acted(p *Project, event int64) error {
	return tx.Index.Introduce(p.ID, p.Rec.CreatedAt, tx.By.Actor.Name, event)
}
