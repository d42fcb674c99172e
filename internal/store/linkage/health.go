package linkage

import (
	"github.com/go-json-experiment/json"

	"tasker/internal/db"
	"tasker/internal/task"
	"tasker/internal/task/merge"
)

// The rows beside those of systems.
const (
	ownership = "ownership"
	loop      = "loop"
)

// detail reads a row of what a project is linked to, and reports whether there is one.
func (r Reader) detail(project, system string, into any) (found bool, err error) {
	p, err := r.Find(project)
	if err != nil {
		return false, err
	}
	err = r.C.Query(`SELECT detail FROM linked WHERE project=$1 AND system=$2`, []any{p.ID, system}, db.Scan1(func(text []byte) error {
		found = true
		return json.Unmarshal(text, into)
	}))
	return found, err
}

func (w Writer) saveDetail(project, system string, v any) error {
	p, err := w.Find(project)
	if err != nil {
		return err
	}
	text, err := encoded(v)
	if err != nil {
		return err
	}
	return w.C.Exec(1, `INSERT INTO linked (project, system, detail) VALUES ($1,$2,$3)
		ON CONFLICT (project, system) DO UPDATE SET detail=excluded.detail`, p.ID, system, text)
}

// Ownership returns what a project decides about the owners of fields.
func (r Reader) Ownership(project string) (out merge.Ownership, err error) {
	_, err = r.detail(project, ownership, &out)
	return out, err
}

// SaveOwnership stores it.
func (w Writer) SaveOwnership(project string, o merge.Ownership, ev ...task.Draft) error {
	if err := w.saveDetail(project, ownership, o); err != nil {
		return err
	}
	return w.AppendEach(project, "", ev...)
}

// Health returns how a link of a project fares.
func (r Reader) Health(project, system string) (out merge.Health, err error) {
	_, err = r.detail(project, system, &out)
	return out, err
}

// SaveHealth stores it. A success is no event of its own, as nothing has changed.
func (w Writer) SaveHealth(project, system string, h merge.Health, ev ...task.Draft) error {
	for _, d := range ev {
		id, err := w.Append(project, "", d)
		if err != nil {
			return err
		}
		if h.Event == 0 {
			h.Event = id
		}
	}
	return w.saveDetail(project, system, h)
}

// Loop returns the background loop of a project, nil where none ever ran.
func (r Reader) Loop(project string) (*merge.Loop, error) {
	out := &merge.Loop{}
	found, err := r.detail(project, loop, out)
	if !found {
		return nil, err
	}
	return out, err
}

// SaveLoop stores it. A lease is no record of the project, so it has no event.
func (w Writer) SaveLoop(project string, l merge.Loop) error { return w.saveDetail(project, loop, l) }

// Unclosed returns what the rules for done keep open of a task that another system has closed, nil where it has not.
func (r Reader) Unclosed(id task.ID) (out *merge.Unclosed, err error) {
	_, ref, err := r.KeyOf(id)
	if err != nil {
		return nil, err
	}
	err = r.C.Query(`SELECT event, why FROM unclosed WHERE task=$1`, []any{ref}, db.Scan2(func(event int64, why string) error {
		out = &merge.Unclosed{Task: id, Event: event, Why: why}
		return nil
	}))
	return out, err
}

// SaveUnclosed stores that the rules for done keep a task open which another system has closed, with the event that says
// so; why is empty where they do not any more.
func (w Writer) SaveUnclosed(id task.ID, why string, ev ...task.Draft) error {
	p, ref, err := w.KeyOf(id)
	if err != nil {
		return err
	}
	if why == "" {
		return w.C.Exec(db.Any, `DELETE FROM unclosed WHERE task=$1`, ref)
	}
	event := int64(0)
	for _, d := range ev {
		if event, err = w.Append(p.Rec.Slug, id, d); err != nil {
			return err
		}
	}
	return w.C.Exec(1, `INSERT INTO unclosed (task, project, event, why) VALUES ($1,$2,$3,$4)
		ON CONFLICT (task) DO UPDATE SET event=excluded.event, why=excluded.why`, ref, p.ID, event, why)
}
