package store

import (
	"slices"

	"tasker/internal/db"
	"tasker/internal/search"
	"tasker/internal/store/rows"
	"tasker/internal/task"
	"tasker/internal/task/query"
)

// CreateTasks assigns ids in order and writes the tasks with their dependencies, evidence and events. Parents' counts,
// the frontier and the totals of the project are updated in the same write.
func (tx *Tx) CreateTasks(slug string, tasks []task.NewTask) error {
	p, err := tx.Find(slug)
	if err != nil {
		return err
	}
	tx.Touch(p)
	p.Rec.GraphVersion++
	p.Rec.FlowVersion++
	refs := make([]int64, len(tasks))
	for i := range tasks {
		t := tasks[i].Task
		if t.Key == "" {
			if err := tx.skipKeys(p); err != nil {
				return err
			}
		}
		refs[i] = p.Ref(p.Rec.NextNumber)
		t.ID, t.Project = task.MakeID(slug, p.Rec.NextNumber), slug
		p.Rec.NextNumber++
		if t.Key == "" {
			t.Key = string(t.ID)
		}
		t.HasBody = t.Body != ""
		t.Evidences = len(tasks[i].Evidence)
		t.OpenDeps, t.OpenChildren, t.Parts = 0, 0, 0
		*p.Rec.Tasks.Of(t.Status)++
	}
	edges, err := tx.newEdges(tasks, refs)
	if err != nil {
		return err
	}
	parents := tx.newChildren(tasks)
	for from := 0; from < len(tasks); {
		n := runOf(tasks[from:])
		if err := tx.insertRun(p, tasks[from:from+n], refs[from:from+n]); err != nil {
			return err
		}
		from += n
	}
	db.Bulk(tx.C, "dep", []string{"task", "on_task"}, edges)
	if err := tx.insertFrontier(p, tasks, refs); err != nil {
		return err
	}
	if err := tx.parents(p, parents); err != nil || len(tasks) == 0 {
		return err
	}
	return tx.introduce(p, tasks[0].Task.LastEvent)
}

// runOf returns how many of the new tasks to write at once. Their texts are written several times over, in the row, the
// event and the index: writing a whole plan at once would take several times its own memory.
func runOf(tasks []task.NewTask) (n int) {
	taken := query.Page{Bytes: 4 << 20}.Taken()
	for ; n < len(tasks); n++ {
		bytes := query.TaskBytes(tasks[n].Task)
		for _, it := range tasks[n].Evidence {
			bytes += len(it.Value) + len(it.Note)
		}
		if !taken.Add(bytes) {
			break
		}
	}
	return n
}

// insertRun writes tasks with their events, evidence and words.
func (tx *Tx) insertRun(p *Project, tasks []task.NewTask, refs []int64) error {
	made, err := tx.rowsFor(p, tasks, refs)
	if err != nil {
		return err
	}
	if err := tx.insertTasks(tasks, refs); err != nil {
		return err
	}
	_ = tx.Turn.Bulk("event", eventNames, len(made.events), func(i int) []any { return made.events[i].values })
	db.Bulk(tx.C, "evidence", rows.EvidenceNames, made.evidence)
	db.Bulk(tx.C, "evidence_output", []string{"id", "task", "text"}, made.outputs)
	tx.indexTasks(tasks, refs, made.records)
	return nil
}

// skipKeys skips numbers whose id another task already uses as its key: a new task without a key gets its id as key.
func (tx *Tx) skipKeys(p *Project) error {
	for {
		id := task.MakeID(p.Rec.Slug, p.Rec.NextNumber)
		taken, err := db.Some(tx.C, `SELECT id FROM task WHERE project=$1 AND key=$2`, p.ID, string(id))
		if err != nil || !taken {
			return err
		}
		p.Rec.NextNumber++
	}
}

// newEdges resolves the dependencies of new tasks, each one once, and counts the open ones.
func (tx *Tx) newEdges(tasks []task.NewTask, refs []int64) ([][]any, error) {
	var edges [][]any
	var onto []int64
	var from []int // from[i] is the task that depends on onto[i]
	for i := range tasks {
		t := tasks[i].Task
		seen := map[int64]bool{}
		for _, d := range t.Deps {
			_, on, err := tx.KeyOf(d)
			if err != nil {
				return nil, err
			}
			if seen[on] {
				continue
			}
			seen[on] = true
			edges = append(edges, []any{refs[i], on})
			onto, from = append(onto, on), append(from, i)
		}
		for _, j := range tasks[i].NewDeps {
			if seen[refs[j]] {
				continue
			}
			seen[refs[j]] = true
			edges = append(edges, []any{refs[i], refs[j]})
			t.OpenDeps += One(!tasks[j].Task.Status.Closed())
			t.Deps = append(t.Deps, tasks[j].Task.ID)
		}
		t.NoDeps = len(t.Deps) == 0
		if len(t.Deps) > 1 {
			slices.SortFunc(t.Deps, task.CompareIDs)
		}
	}
	open := map[int64]bool{}
	err := db.EachIn(tx.C, `SELECT id, status FROM task WHERE id IN KEYS`, onto, db.Each2(func(ref int64, status string) {
		open[ref] = !task.Status(status).Closed()
	}))
	for k, on := range onto {
		tasks[from[k]].Task.OpenDeps += One(open[on])
	}
	return edges, err
}

// newChildren adds new tasks to the counts of their new parents, and returns the changes for parents that already
// exist.
func (tx *Tx) newChildren(tasks []task.NewTask) parentCounts {
	parents := parentCounts{}
	for i := range tasks {
		t := tasks[i].Task
		if j := tasks[i].NewParent; j > 0 {
			parent := tasks[j-1].Task
			t.Parent = task.Opt(parent.ID)
			parent.OpenChildren += One(!t.Status.Closed())
			parent.Parts += One(t.Part())
			continue
		}
		parents.add(t, 1)
	}
	return parents
}

func (tx *Tx) insertTasks(tasks []task.NewTask, refs []int64) error {
	values := make([][]any, len(tasks))
	var bodies [][]any
	for i := range tasks {
		var err error
		if values[i], err = rows.TaskValues(refs[i], tasks[i].Task); err != nil {
			return err
		}
		if tasks[i].Task.HasBody {
			bodies = append(bodies, []any{refs[i], string(tasks[i].Task.Body)})
		}
	}
	db.Bulk(tx.C, "task", rows.TaskNames, values)
	db.Bulk(tx.C, "task_body", []string{"task", "body"}, bodies)
	return nil
}

// taskRows holds the rows of the events and evidence of new tasks.
type taskRows struct {
	events   []eventRow
	evidence [][]any
	outputs  [][]any   // what runs printed
	records  []Indexed // the searchable text of the evidence
}

// rowsFor returns the events of new tasks, and sets on each task the event that created it.
func (tx *Tx) rowsFor(p *Project, tasks []task.NewTask, refs []int64) (taskRows, error) {
	var out taskRows
	for i := range tasks {
		t, of := tasks[i].Task, eventOwner{Project: p.ID, Task: refs[i]}
		row, err := tx.newEvent(of, tx.actor, tx.By.Via, tasks[i].Event)
		if err != nil {
			return out, err
		}
		out.events = append(out.events, row)
		t.LastEvent = row.ID
		if t.Status == task.InReview {
			t.AwaitingSince = t.LastEvent
		}
		if t.State() == task.StateUnheld {
			t.UnheldSince = t.LastEvent
		}
		for _, it := range tasks[i].Evidence {
			if row, err = tx.newEvent(of, tx.actor, tx.By.Via, EvidenceDraft(it)); err != nil {
				return out, err
			}
			out.events = append(out.events, row)
			out.records = append(out.records, Indexed{
				Kind: search.Evidence, Task: refs[i], ID: row.ID, Texts: []string{it.Kind, it.Value, string(it.Note)},
			})
			out.evidence = append(out.evidence, rows.EvidenceValues(refs[i], &task.Evidence{
				ID: row.ID, Actor: tx.actor, Kind: it.Kind, Value: it.Value, Note: it.Note, At: tx.Now(),
			}))
			if it.Output != "" {
				out.outputs = append(out.outputs, []any{row.ID, refs[i], string(it.Output)})
			}
		}
	}
	return out, nil
}
