package importer

import (
	"fmt"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"

	"tasker/internal/fault"
	"tasker/internal/plan"
	"tasker/internal/task"
	"tasker/internal/task/query"
)

// FromRecords makes a batch from whole records, as our own export writes them. If there are several
// projects it takes the one of the same name. Records of the past (events, claims, approvals) have
// no place in a plan.
func FromRecords(project string, next func() (*query.Record, error)) (*Batch, error) {
	r := &recordReader{b: &Batch{Kind: "tasker", Project: project}, projects: map[int64]string{}, items: map[int64]int{}}
	for {
		rec, err := next()
		if err != nil {
			return nil, err
		}
		if rec == nil {
			break
		}
		if r.take(rec); r.kept > MaxBytes {
			return nil, fault.New(fault.TooLarge, "the tasks in the export take more than %d MiB, which is the limit", MaxBytes>>20).
				WithHint("import it whole, into an empty database; nothing was written")
		}
		if len(r.b.Items) > task.MaxTasks { // the rest would be refused
			break
		}
	}
	if len(r.projects) > 1 && !slices.Contains(r.slugs, project) {
		return nil, fault.Bad("the export holds several projects, but none is called %s", project).WithMissing(r.slugs...).
			WithHint("import one of them under its own name, or everything into an empty database")
	}
	r.finish()
	return r.b, r.b.end()
}

// recordReader turns records into items.
type recordReader struct {
	b        *Batch
	projects map[int64]string
	slugs    []string
	items    map[int64]int // by the task's key in the database
	refs     []ref
	n        int
	kept     int // rough size in bytes of the records kept
}

// ofRecord is roughly how many bytes a record takes on top of its texts.
const ofRecord = 64

// ref is a reference of an item, resolved when all items are there.
type ref struct {
	item   int
	on     int64
	parent bool
}

// row gives a record's values by name.
type row map[string]any

func (r row) text(name string) string { s, _ := r[name].(string); return s }
func (r row) int(name string) int64   { n, _ := r[name].(int64); return n }

func (r *recordReader) take(rec *query.Record) {
	r.n++
	values := make(row, len(rec.Columns))
	for i, c := range rec.Columns {
		values[c] = rec.Values[i]
	}
	switch rec.Table {
	case "project":
		r.keep(values)
		r.projects[values.int("id")] = values.text("slug")
		r.slugs = append(r.slugs, values.text("slug"))
		if gates := values.text("gates"); len(r.projects) == 1 || values.text("slug") == r.b.Project {
			r.b.Gates = nil
			if gates != "" && json.Unmarshal([]byte(gates), &r.b.Gates) != nil {
				r.b.fault(fmt.Sprintf("record %d", r.n), "the gates cannot be read")
			}
		}
	case "task":
		r.task(values)
	case "task_body":
		if it := r.item(values); it != nil {
			it.Def.Body = plan.Give(task.Opt(values.text("body")))
		}
	case "dep":
		if at, ok := r.items[values.int("task")]; ok {
			r.keep(values)
			r.refs = append(r.refs, ref{item: at, on: values.int("on_task")})
		}
	case "note":
		if it := r.item(values); it != nil {
			it.note(said(values.text("actor"), task.Time(values.int("at")).String(), values.text("text")))
		}
	case "evidence":
		if it := r.item(values); it != nil {
			e := task.EvidenceItem{Kind: values.text("kind"), Value: values.text("value"), Note: task.Opt(values.text("note"))}
			it.Def.Evidence = plan.Give(append(it.Def.Evidence.Value, e))
		}
	}
}

// keep counts the size of a kept record.
func (r *recordReader) keep(v row) {
	r.kept += ofRecord
	for _, value := range v {
		if s, ok := value.(string); ok {
			r.kept += len(s)
		}
	}
}

// item returns the item that a record belongs to, or nil if its task is not imported.
func (r *recordReader) item(v row) *Item {
	if at, ok := r.items[v.int("task")]; ok {
		r.keep(v)
		return &r.b.Items[at]
	}
	return nil
}

// task adds a task of the imported project.
func (r *recordReader) task(v row) {
	slug := r.projects[v.int("project")]
	if len(r.projects) > 1 && slug != r.b.Project {
		return
	}
	t := task.Task{
		Title: v.text("title"), Priority: int(v.int("priority")), Severity: task.Severity(v.int("severity")), Due: task.Opt(v.text("due")),
		Gate: task.Opt(v.text("gate")), Autonomy: task.Opt(v.text("autonomy")), PreferredActor: task.Opt(v.text("preferred_actor")),
	}
	for name, into := range map[string]any{"may_execute": &t.MayExecute, "touches": &t.Touches, "criteria": &t.Criteria, "links": &t.Links} {
		if text := v.text(name); strings.TrimSpace(text) != "" {
			if err := json.Unmarshal([]byte(text), into); err != nil {
				r.b.fault(fmt.Sprintf("record %d", r.n), "%s cannot be read", name)
			}
		}
	}
	it := Item{Where: fmt.Sprintf("record %d", r.n), Key: v.text("key"), Title: t.Title, Def: &plan.TaskDef{Fields: plan.FieldsOf(&t)}}
	it.Def.Key, it.Def.Status = it.Key, plan.Give(task.Status(v.text("status")))
	for _, c := range t.Criteria {
		it.Criteria = append(it.Criteria, Criterion{Text: c.Text, Checked: c.Checked, Seen: string(c.Note)})
	}
	r.keep(v)
	at := r.b.add(it)
	r.items[v.int("id")] = at
	if parent := v.int("parent"); parent != 0 {
		r.refs = append(r.refs, ref{item: at, on: parent, parent: true})
	}
}

// finish resolves references.
func (r *recordReader) finish() {
	for _, ref := range r.refs {
		it := &r.b.Items[ref.item]
		at, ok := r.items[ref.on]
		if !ok {
			r.b.leave(it.Key, "dependency", fmt.Sprint(ref.on))
			continue
		}
		if key := r.b.Items[at].Key; ref.parent {
			it.Parent = key
		} else {
			it.Deps = append(it.Deps, key)
		}
	}
	for i := range r.b.Items {
		it := &r.b.Items[i]
		it.Def.Parent, it.Def.Deps = plan.GiveAny(task.Opt(it.Parent)), plan.GiveList(it.Deps)
	}
}
