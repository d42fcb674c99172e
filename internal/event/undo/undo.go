// Package undo works out what undoes an event: which state the task must still be in, and what it becomes.
//
// The event of a change carries the values from before, so its inverse needs only the event and the current task. What
// others may have acted on (a claim, a note, an approval, an answer) cannot be taken back and has no inverse.
package undo

import (
	"bytes"
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"tasker/internal/task"
	"tasker/internal/text/words"
)

// Inverse is what undoes one event. Exactly one of its parts is set.
type Inverse struct {
	Event  int64
	By     string            // who made the change
	Task   task.ID           // empty: the project was changed
	Fields map[string]Values // of an edit, by the JSON names of the fields; of a change of the project, by the names in project.go
	Move   *Move
	Tick   *Tick
	Create bool // the task was created
	// Decision is a recorded decision to withdraw, or a withdrawn one to record again.
	Decision *Decision
	Question int64 // a question to withdraw
}

// Decision is a decision that was recorded or withdrawn.
type Decision struct {
	ID        int64 // the event that recorded it
	Title     string
	Rationale task.Opt
}

// Values are the value of a field before a change, and after it.
type Values struct {
	From jsontext.Value `json:"from"`
	To   jsontext.Value `json:"to"`
}

// Move undoes a change of status: the task must have the status Now, and goes back to Back.
type Move struct{ Now, Back task.Status }

// Tick undoes a tick, or its removal.
type Tick struct {
	Was     task.Criterion // before the event
	Checked bool           // the state that the event set
}

// Of returns what undoes an event, and whether anything does.
func Of(ev task.Event) (Inverse, bool, error) {
	inv := Inverse{Event: ev.ID, By: ev.Actor, Task: task.ID(ev.Task)}
	var err error
	switch ev.Kind {
	case task.TaskCreated:
		inv.Create = true
	case task.TaskUpdated:
		inv.Fields, err = fieldsOf(ev.Payload)
	case task.TaskMoved:
		inv.Move, err = moveOf(ev.Payload)
	case task.CriterionChecked, task.CriterionUnchecked:
		inv.Tick, err = tickOf(ev.Payload)
	case task.DecisionRecorded, task.DecisionWithdrawn:
		inv.Decision, err = decisionOf(ev)
	case task.QuestionAsked:
		inv.Question = ev.ID
	case task.ProjectUpdated, task.ProjectRenamed, task.ProjectArchived:
		inv.Fields, err = projectOf(ev.Payload)
		return inv, err == nil && !inv.Empty(), err
	default:
		return inv, false, nil
	}
	return inv, err == nil && inv.Task != "", err
}

func decisionOf(ev task.Event) (*Decision, error) {
	d := &Decision{}
	if ev.Kind == task.DecisionRecorded {
		d.ID = ev.ID
	}
	err := json.Unmarshal(ev.Payload, d, json.MatchCaseInsensitiveNames(true))
	return d, err
}

// Silent reports whether an event needs no inverse of its own, because the other events of its batch cover everything.
func Silent(k task.Kind) bool { return k == task.PlanApplied }

// IsReturn reports whether the event sent a task back from review.
func (inv Inverse) IsReturn() bool {
	return inv.Move != nil && inv.Move.Back == task.InReview && !inv.Move.Now.Closed()
}

func fieldsOf(payload []byte) (map[string]Values, error) {
	raw, err := members(payload)
	if err != nil {
		return nil, err
	}
	maps.DeleteFunc(raw, func(_ string, v jsontext.Value) bool { return v.Kind() != '{' }) // members of the payload that are not changes
	out := make(map[string]Values, len(raw))
	for name, v := range raw {
		if out[name], err = decoded[Values](v); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// decoded reads a value.
func decoded[T any](text []byte) (v T, err error) {
	err = json.Unmarshal(text, &v)
	return v, err
}

// members reads an object.
func members(text []byte) (map[string]jsontext.Value, error) {
	return decoded[map[string]jsontext.Value](text)
}

// membersOf returns a record as a JSON object.
func membersOf(record any) (map[string]jsontext.Value, error) {
	text, err := json.Marshal(record)
	if err != nil {
		return nil, err
	}
	return members(text)
}

// moveOf returns what undoes a move. If the move ended a claim the task goes back to open, as after a release: the claim
// is not restored.
func moveOf(payload []byte) (*Move, error) {
	var p struct {
		From  task.Status    `json:"from"`
		To    task.Status    `json:"to"`
		Claim jsontext.Value `json:"claim"`
	}
	if err := json.Unmarshal(payload, &p); err != nil {
		return nil, err
	}
	if p.From == task.InProgress && len(p.Claim) > 0 {
		p.From = task.Open
	}
	return &Move{Now: p.To, Back: p.From}, nil
}

func tickOf(payload []byte) (*Tick, error) {
	var p struct {
		Index       int                            `json:"index"`
		Text        string                         `json:"text"`
		Checked     struct{ From, To bool }        `json:"checked"`
		CheckedBy   struct{ From task.Opt }        `json:"checkedBy"`
		CheckedAt   struct{ From task.Time }       `json:"checkedAt"`
		By          struct{ From task.EvidenceID } `json:"by"`
		Rests, Note struct{ From task.Opt }
		Doubt       struct{ From task.Opt }
	}
	if err := json.Unmarshal(payload, &p, json.MatchCaseInsensitiveNames(true)); err != nil {
		return nil, err
	}
	was := task.Criterion{Index: p.Index, Text: p.Text, Checked: p.Checked.From, CheckedBy: p.CheckedBy.From, CheckedAt: p.CheckedAt.From}
	switch {
	case was.Checked && p.Checked.To && p.Rests.From == "": // written before such events had the former tick
		was = task.Criterion{Index: p.Index, Text: p.Text}
	case was.Checked:
		was.By, was.Rests, was.Note, was.Doubt = p.By.From, cmp.Or(p.Rests.From, task.RestsOnNothing), p.Note.From, p.Doubt.From
	}
	return &Tick{Was: was, Checked: p.Checked.To}, nil
}

// Clash is a reason why an event cannot be undone.
type Clash struct {
	Field string
	Now   any
	Why   string
}

// Clashes returns what has changed since the event, by field: undoing the event would undo these changes too.
func (inv Inverse) Clashes(t *task.Task) ([]Clash, error) {
	switch {
	case inv.Move != nil && t.Status != inv.Move.Now:
		return []Clash{{"status", t.Status, "it was moved again since"}}, nil
	case inv.Tick != nil:
		return inv.Tick.clashes(t, inv.By), nil
	case inv.Fields != nil:
		return inv.changed(t)
	}
	return nil, nil
}

// Names returns the fields that the event changed.
func (inv Inverse) Names() []string { return slices.Sorted(maps.Keys(inv.Fields)) }

// Empty reports whether the inverse of a change of fields has no fields left.
func (inv Inverse) Empty() bool { return len(inv.Fields) == 0 }

// Only returns the inverse of just these fields.
func (inv Inverse) Only(fields ...string) Inverse {
	inv.Fields = maps.Clone(inv.Fields)
	maps.DeleteFunc(inv.Fields, func(name string, _ Values) bool { return !slices.Contains(fields, name) })
	return inv
}

// Without returns the inverse of the fields that have no clash.
func (inv Inverse) Without(clashes []Clash) Inverse {
	return inv.Only(slices.DeleteFunc(inv.Names(), func(name string) bool {
		return slices.ContainsFunc(clashes, func(c Clash) bool { return c.Field == name })
	})...)
}

func (tick *Tick) clashes(t *task.Task, by string) []Clash {
	c := tick.in(t)
	switch {
	case c == nil:
		return []Clash{{"criteria", nil, "the criterion is no longer there"}}
	case c.Checked != tick.Checked:
		return []Clash{{"criteria", c.Checked, "the criterion was ticked or unticked again since"}}
	case c.Checked && string(c.CheckedBy) != by:
		return []Clash{{"criteria", c.CheckedBy, "somebody else has ticked the criterion since"}}
	}
	return nil
}

// in returns the criterion of a task, which may have moved in the list since. It is nil if the criterion is gone.
func (tick *Tick) in(t *task.Task) *task.Criterion {
	if i := tick.Was.Index; i >= 1 && i <= len(t.Criteria) && t.Criteria[i-1].Text == tick.Was.Text {
		return &t.Criteria[i-1]
	}
	if i := slices.IndexFunc(t.Criteria, func(c task.Criterion) bool { return c.Text == tick.Was.Text }); i >= 0 {
		return &t.Criteria[i]
	}
	return nil
}

// Undone returns the criterion as it was before the event, with the index that it has in the task now.
func (tick *Tick) Undone(t *task.Task) task.Criterion {
	was := tick.Was
	was.Index = tick.in(t).Index
	return was
}

// changed returns the fields of an edit whose values have changed since. Ticks do not count as changes of the criteria.
func (inv Inverse) changed(t *task.Task) ([]Clash, error) {
	now, err := membersOf(t)
	if err != nil {
		return nil, err
	}
	if _, ok := inv.Fields["criteria"]; ok {
		if now["criteria"], err = texts(now["criteria"]); err != nil {
			return nil, err
		}
	}
	return inv.differing(now)
}

// differing returns the fields that no longer have the value that the event set. Criteria are compared by their texts.
func (inv Inverse) differing(now map[string]jsontext.Value) ([]Clash, error) {
	var out []Clash
	for _, name := range inv.Names() {
		is, made := now[name], inv.Fields[name].To
		if name == "criteria" {
			var err error
			if made, err = texts(made); err != nil {
				return nil, err
			}
		}
		same, err := equal(is, made)
		if err != nil {
			return nil, err
		}
		if !same {
			out = append(out, Clash{name, is, "it was changed again since"})
		}
	}
	return out, nil
}

// equal reports whether two values are the same. A missing value equals null, an empty text, list or object.
func equal(a, b jsontext.Value) (bool, error) {
	for _, v := range []*jsontext.Value{&a, &b} {
		if len(*v) == 0 {
			*v = jsontext.Value("null")
		}
		*v = slices.Clone(*v)
		if err := v.Canonicalize(); err != nil {
			return false, err
		}
		if string(*v) == "[]" || string(*v) == "{}" || string(*v) == `""` {
			*v = jsontext.Value("null")
		}
	}
	return bytes.Equal(a, b), nil
}

// texts returns the texts of criteria.
func texts(criteria jsontext.Value) (jsontext.Value, error) {
	var list []task.Criterion
	if len(criteria) > 0 {
		if err := json.Unmarshal(criteria, &list); err != nil {
			return nil, err
		}
	}
	return json.Marshal(words.Each(list, func(c task.Criterion) string { return c.Text }))
}

// Edit returns the edit, as JSON, that restores the former values of the fields.
func (inv Inverse) Edit() ([]byte, error) {
	edit := make(map[string]jsontext.Value, len(inv.Fields))
	for name, d := range inv.Fields {
		from := d.From
		if len(from) == 0 {
			from = jsontext.Value("null")
		}
		if name == "criteria" {
			var err error
			if from, err = texts(from); err != nil {
				return nil, err
			}
		}
		edit[name] = from
	}
	return json.Marshal(edit, json.Deterministic(true))
}

// Reticked restores the ticks of criteria that an edit has brought back.
func (inv Inverse) Reticked(before, after *task.Task) error {
	d, ok := inv.Fields["criteria"]
	if !ok || len(d.From) == 0 {
		return nil
	}
	from, err := decoded[[]task.Criterion](d.From)
	if err != nil {
		return err
	}
	after.Criteria = slices.Clone(after.Criteria)
	for i := range after.Criteria {
		c := &after.Criteria[i]
		same := func(was task.Criterion) bool { return was.Text == c.Text }
		if k := slices.IndexFunc(from, same); k >= 0 && from[k].Checked && !slices.ContainsFunc(before.Criteria, same) {
			from[k].Index = c.Index
			*c = from[k]
		}
	}
	return nil
}

// May returns why an actor may not undo a change, or "" if it may. A human may undo anybody's changes, and so may an
// agent if no human is declared. Otherwise an agent may undo only its own changes, and no return from review.
func May(a task.Actor, p task.Policy, ev task.Event, inv Inverse) string {
	switch {
	case a.Person() || !p.DeclaresHuman:
		return ""
	case !Named(a.Full(), ev.Actor):
		return "it is a change by " + ev.Actor + ", and an agent may undo only its own"
	case inv.IsReturn():
		return "a return from review is for a human to undo"
	}
	return ""
}

// Named reports whether a full name matches the requested one. A plain name matches all its instances.
func Named(asked, full string) bool {
	name, _, _ := strings.Cut(full, "/")
	return full == asked || name == asked
}

// Removable returns which of the created tasks can be removed: tasks that nobody touched, and that no remaining task has
// as its parent or dependency.
func Removable(created []task.ID, touched map[task.ID]bool, leansOn func(task.ID) ([]task.ID, error)) (map[task.ID]bool, error) {
	out := make(map[task.ID]bool, len(created))
	for _, id := range created {
		out[id] = !touched[id]
	}
	leaning := make(map[task.ID][]task.ID, len(created))
	for _, id := range created {
		list, err := leansOn(id)
		if err != nil {
			return nil, err
		}
		for _, other := range list {
			if !out[other] {
				out[id] = false
			}
			leaning[other] = append(leaning[other], id) // other leans on id
		}
	}
	// A task that stays keeps everything it leans on.
	stays := slices.DeleteFunc(slices.Clone(created), func(id task.ID) bool { return out[id] })
	for len(stays) > 0 {
		id := stays[len(stays)-1]
		stays = stays[:len(stays)-1]
		for _, under := range leaning[id] {
			if out[under] {
				out[under] = false
				stays = append(stays, under)
			}
		}
	}
	return out, nil
}
