package store

import (
	"slices"

	"tasker/internal/fault"
	"tasker/internal/store/eventlog"
	"tasker/internal/store/textindex"
	"tasker/internal/task"
)

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

// AppendEach appends events in the member's name.
func (tx *Tx) AppendEach(slug string, id task.ID, ev ...task.Draft) error {
	_, err := tx.AppendAll(slug, id, ev)
	return err
}

// AppendAll is AppendEach that returns the id of the last event, or 0 if there are none.
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
