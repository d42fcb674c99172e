package planning

import (
	"slices"

	"github.com/go-json-experiment/json"

	"tasker/internal/core"
	"tasker/internal/store"
	"tasker/internal/store/linkdb"
	"tasker/internal/task"
	"tasker/internal/task/query"
	"tasker/internal/transfer/importer"
)

// attached is what an import sets in addition to its plan: the ticks, the notes, the binding, the sprint and the rank of
// one task.
type attached struct {
	key    string
	ticks  []importer.Criterion // ticked
	notes  []string
	bound  *task.Binding
	sprint task.Opt // empty: unchanged
	rank   task.Opt
}

func (b *attached) empty() bool {
	return len(b.ticks)+len(b.notes) == 0 && b.bound == nil && b.sprint == "" && b.rank == ""
}

// attachments finds what an import sets in addition to its plan. A tick is set once: if somebody here has unticked it, it
// stays unticked. A note is added once: not if the task already has one with the same text.
func attachments(tx *store.Tx, b *importer.Batch, prep *prepared, there map[string]*task.Task) ([]attached, error) {
	after := make(map[string]*task.Task, len(prep.diff.Update))
	for i := range prep.diff.Update {
		after[prep.diff.Update[i].Before.Key] = prep.diff.Update[i].After
	}
	var out []attached
	for i := range b.Items {
		it := &b.Items[i]
		set := attached{key: it.Key, ticks: it.Ticked(), notes: it.Notes, bound: it.Binding, sprint: task.Opt(it.Sprint), rank: task.Opt(it.Rank)}
		if t := there[it.Key]; t != nil {
			if changed := after[it.Key]; changed != nil {
				t = changed
			}
			var err error
			if set, err = missing(tx, t, set); err != nil {
				return nil, err
			}
		}
		if !set.empty() {
			out = append(out, set)
		}
	}
	return out, nil
}

// missing returns what the source has and the stored task lacks.
func missing(tx *store.Tx, t *task.Task, set attached) (attached, error) {
	out := attached{key: set.key}
	b, err := core.IssueOf(tx, t)
	if err != nil {
		return out, err
	}
	if b == nil { // a task has one issue
		out.bound = set.bound
	}
	if t.Sprint != set.sprint {
		out.sprint = set.sprint
	}
	if t.Rank != set.rank {
		out.rank = set.rank
	}
	wanted := map[string][]importer.Criterion{}
	for _, tick := range set.ticks {
		wanted[tick.Text] = append(wanted[tick.Text], tick)
	}
	for _, c := range t.Criteria {
		same := wanted[c.Text]
		if len(same) == 0 {
			continue
		}
		if wanted[c.Text] = same[1:]; !c.Checked {
			out.ticks = append(out.ticks, same[0])
		}
	}
	if len(out.ticks) > 0 {
		taken, err := unticked(tx, t.ID)
		if err != nil {
			return out, err
		}
		out.ticks = slices.DeleteFunc(out.ticks, func(tick importer.Criterion) bool { return taken[tick.Text] })
	}
	out.notes = set.notes
	if t.Notes > 0 && len(set.notes) > 0 {
		notes, err := tx.Notes(t.ID, 0)
		if err != nil {
			return out, err
		}
		have := make(map[string]bool, len(notes))
		for _, n := range notes {
			have[n.Text] = true
		}
		out.notes = slices.DeleteFunc(slices.Clone(set.notes), func(text string) bool { return have[text] })
	}
	return out, nil
}

// unticked returns the texts of the criteria of a task that somebody has unticked, according to its newest thousand such
// events.
func unticked(tx *store.Tx, id task.ID) (map[string]bool, error) {
	const newest = 1000
	events, err := tx.Events(query.Events{Task: id, Kind: string(task.CriterionUnchecked), Limit: newest})
	if err != nil {
		return nil, err
	}
	out := make(map[string]bool, len(events))
	for _, ev := range events {
		var p struct {
			Text string `json:"text"`
		}
		if err := json.Unmarshal(ev.Payload, &p); err != nil {
			return nil, err
		}
		out[p.Text] = true
	}
	return out, nil
}

// setAttached sets ticks and notes of the tasks that a plan created or found, and returns what it set. Ticks of an existing
// task that the caller may not work on are left out, with a warning.
func setAttached(tx *store.Tx, imp *importing, out ApplyOut) ([]attached, error) {
	ids := make(map[string]task.ID, len(out.Created)+len(out.Updated)+len(out.Unchanged))
	fresh := make(map[string]bool, len(out.Created))
	for _, r := range out.Created {
		ids[r.Key], fresh[r.Key] = task.ID(r.ID), true
	}
	for _, r := range out.Updated {
		ids[r.Key] = task.ID(r.ID)
	}
	for _, r := range out.Unchanged {
		ids[r.Key] = task.ID(r.ID)
	}
	var added []attached
	for run := range slices.Chunk(imp.attached, attachedAtOnce) {
		var wanted []task.ID
		for _, set := range run {
			wanted = append(wanted, ids[set.key])
		}
		tasks, err := tx.TasksByID(wanted)
		if err != nil {
			return nil, err
		}
		for i, t := range tasks {
			set := run[i]
			if !fresh[set.key] {
				if set, err = missing(tx, t, set); err != nil {
					return nil, err
				}
			}
			if err := setOne(tx, imp, t, set, fresh[set.key]); err != nil {
				return nil, err
			}
			added = append(added, set)
		}
	}
	return added, nil
}

// attachedAtOnce is how many tasks are loaded at once to set their ticks and notes.
const attachedAtOnce = 500

// bindOne binds a task to the issue that it was created from, unless another task is bound to it.
func bindOne(tx *store.Tx, t *task.Task, b task.Binding) error {
	others, err := linkdb.BindingsTo(tx, t.Project, b.System, b.Ref)
	if err != nil || len(others) > 0 {
		return err
	}
	_, err = linkdb.AddBinding(tx, t, b)
	return err
}

// setPlace gives a task the sprint and the rank of the source, and returns the changed task.
func setPlace(tx *store.Tx, t *task.Task, set attached) (*task.Task, error) {
	after, changes := *t, task.Payload{}
	for _, f := range []struct {
		name string
		to   task.Opt
		of   *task.Opt
	}{{"sprint", set.sprint, &after.Sprint}, {"rank", set.rank, &after.Rank}} {
		if f.to != "" && f.to != *f.of {
			changes[f.name] = task.Delta{From: *f.of, To: f.to}
			*f.of = f.to
		}
	}
	if len(changes) == 0 {
		return t, nil
	}
	after.Version++
	after.UpdatedAt = tx.Now()
	return &after, tx.Save(task.Change{Before: t, After: &after, Events: []task.Draft{{Kind: task.TaskUpdated, Payload: changes}}})
}

// setOne sets everything for one task.
func setOne(tx *store.Tx, imp *importing, t *task.Task, set attached, fresh bool) error {
	for _, text := range set.notes {
		if _, err := tx.AddNote(t, text); err != nil {
			return err
		}
	}
	if set.bound != nil {
		if err := bindOne(tx, t, *set.bound); err != nil {
			return err
		}
	}
	t, err := setPlace(tx, t, set)
	if err != nil {
		return err
	}
	mayTick := fresh || t.CheckWork(imp.actor, imp.policy, tx.Now()) == nil
	if len(set.ticks) == 0 || !mayTick {
		return nil
	}
	after := *t
	after.Criteria = slices.Clone(t.Criteria)
	var events []task.Draft
	for _, tick := range set.ticks {
		i := slices.IndexFunc(after.Criteria, func(c task.Criterion) bool { return c.Text == tick.Text && !c.Checked })
		if i < 0 || !fresh && t.CheckShown(after.Criteria[i], imp.actor, imp.policy, task.Basis{}) != nil {
			continue
		}
		c := &after.Criteria[i]
		was := *c
		c.Checked, c.CheckedBy, c.CheckedAt, c.Rests = true, task.Opt(imp.actor.Full()), tx.Now(), task.RestsOnNothing
		if tick.Seen != "" {
			c.Rests, c.Note = task.RestsOnSeen, task.Opt(tick.Seen)
		}
		events = append(events, core.TickEvent(was, *c))
	}
	if len(events) == 0 {
		return nil
	}
	after.Version++
	after.UpdatedAt = tx.Now()
	return tx.Save(task.Change{Before: t, After: &after, Events: events})
}
