package task

import (
	"cmp"
	"slices"

	"tasker/internal/fault"
	"tasker/internal/fault/hint"
	"tasker/internal/text/words"
)

// Progress is how many of a task's criteria are checked.
//
//field:json
type Progress struct {
	Checked int `json:"checked"`
	Total   int `json:"total"`
}

// ProgressOf counts the criteria that are checked.
func ProgressOf(list []Criterion) Progress {
	p := Progress{Total: len(list)}
	for i := range list {
		if list[i].Checked {
			p.Checked++
		}
	}
	return p
}

// Tick checks or unchecks a criterion. If text is given it must match the criterion's, so that a caller who read the
// list before it was reordered does not tick another one. If the criterion already is as wanted, and the tick names no
// other evidence, it returns the task itself and false.
func (t *Task) Tick(a Actor, p Policy, index int, text *string, checked bool, on Basis, now Time) (after *Task, changed bool, err error) {
	if index < 1 || index > len(t.Criteria) {
		return nil, false, t.noCriterion(index)
	}
	if have := t.Criteria[index-1].Text; text != nil && *text != have {
		return nil, false, fault.Stale("criterion %d of %s is %s, not %s", index, t.ID, words.Quoted(have), words.Quoted(*text)).
			WithHint("read the criteria again: %s", hint.Show(t.ID))
	}
	if err := t.CheckWork(a, p, now); err != nil {
		return nil, false, err
	}
	if was := t.Criteria[index-1]; was.Checked == checked && (!checked || on.By == 0 || on.By == was.By) {
		return t, false, nil
	}
	ticked := *t.At(now)
	ticked.Criteria = slices.Clone(ticked.Criteria)
	c := &ticked.Criteria[index-1]
	c.Checked, c.CheckedBy, c.CheckedAt, c.By, c.Rests = checked, "", 0, 0, ""
	if checked {
		c.CheckedBy, c.CheckedAt, c.By, c.Rests = Opt(a.Full()), now, on.By, Opt(cmp.Or(on.Rests, RestsOnNothing))
	}
	ticked.Version++
	ticked.UpdatedAt = now
	ticked.Attempts = 0
	return &ticked, true, nil
}

func (t *Task) noCriterion(index int) error {
	if len(t.Criteria) == 0 {
		return fault.Bad("%s has no criterion %d: it has none", t.ID, index).WithHint("add one first: %s", hint.FirstCriterion(t.ID))
	}
	return fault.Bad("%s has no criterion %d", t.ID, index).WithHint("a number from 1 to %d: %s lists them", len(t.Criteria), hint.Show(t.ID))
}

// MergeCriteria returns criteria with the given texts. Ticks survive: old and new criteria are matched by text, one to
// one and in order, and new criteria without a match are unticked.
func (t *Task) MergeCriteria(texts []string) []Criterion {
	old := make(map[string][]Criterion, len(t.Criteria))
	for _, c := range t.Criteria {
		old[c.Text] = append(old[c.Text], c)
	}
	out := make([]Criterion, len(texts))
	for i, text := range texts {
		c := Criterion{Text: text}
		if same := old[text]; len(same) > 0 {
			c, old[text] = same[0], same[1:]
		}
		c.Index = i + 1
		out[i] = c
	}
	return out
}
