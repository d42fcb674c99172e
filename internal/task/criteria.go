package task

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"tasker/internal/fault"
	"tasker/internal/hint"
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
// list before it was reordered does not tick another one. If the criterion already is as wanted, and the tick names
// neither other evidence nor anything else that was seen, it returns the task itself and false.
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
	was := t.Criteria[index-1]
	if was.Checked == checked && (!checked || on == Basis{} || on.By == was.By && on.Note == string(was.Note)) {
		return t, false, nil
	}
	c := Criterion{Index: index, Text: was.Text}
	if checked {
		if err := t.CheckShown(was, a, p, on); err != nil {
			return nil, false, err
		}
		c.Checked, c.CheckedBy, c.CheckedAt = true, Opt(a.Full()), now
		c.By, c.Rests, c.Note, c.Doubt = on.By, Opt(cmp.Or(on.Rests, RestsOnNothing)), Opt(on.Note), Opt(on.Doubt)
	}
	after = t.WithCriterion(c, now)
	on.Again = on.Again || sameText(on.Note, string(was.Note))
	if checked && on.answers(t.Returned) {
		after.Returned = 0
	}
	if size := seenBytes(after.Criteria); size > MaxList {
		return nil, false, fault.Bad("what was seen for the criteria of %s takes %d bytes in all, and %d are allowed", t.ID, size, MaxList).
			WithMissing("seen").WithHint("shorten it, or put it in a note: %s", hint.Note(t.ID))
	}
	return after, true, nil
}

// WithCriterion returns the task with one of its criteria changed, as a tick changes it: the next version, and no
// attempts.
func (t *Task) WithCriterion(c Criterion, now Time) *Task {
	after := *t.At(now)
	after.Criteria = slices.Clone(after.Criteria)
	after.Criteria[c.Index-1] = c
	after.Version++
	after.UpdatedAt = now
	after.Attempts = 0
	return &after
}

// SaidBefore reports whether a text was among those that were said to be seen, however it is spaced.
func SaidBefore(text string, earlier []string) bool {
	return slices.ContainsFunc(earlier, func(e string) bool { return sameText(text, e) })
}

func sameText(a, b string) bool {
	return a != "" && slices.Equal(strings.Fields(a), strings.Fields(b))
}

// seenBytes returns how much the criteria say about what was seen.
func seenBytes(list []Criterion) (n int) {
	for i := range list {
		n += len(list[i].Note)
	}
	return n
}

// Doubts returns the doubts about the ticks of criteria, each with the number of its criterion.
func Doubts(list []Criterion) (out []string) {
	for _, c := range list {
		if c.Checked && c.Doubt != "" {
			out = append(out, fmt.Sprintf("criterion %d is in doubt: %s", c.Index, c.Doubt))
		}
	}
	return out
}

// Doubted says of each item of evidence why it may not show the criteria that it ticks.
func Doubted(items []Evidence, list []Criterion) {
	for i := range items {
		of := slices.DeleteFunc(slices.Clone(list), func(c Criterion) bool { return int64(c.By) != items[i].ID })
		items[i].Doubt = Opt(strings.Join(Doubts(of), "; "))
	}
}

// Resting counts the ticks by what they rest on, such as "2 run, 1 seen, 1 in doubt"; "" if nothing is ticked.
func Resting(list []Criterion) string {
	n := map[string]int{}
	for i := range list {
		if list[i].Checked {
			n[string(list[i].Rests)]++
		}
	}
	var parts []string
	for _, on := range []string{RestsOnRun, RestsOnSeen, RestsOnSaid, RestsOnNothing} {
		if n[on] > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n[on], restsOn(Opt(on))))
		}
	}
	if doubts := len(Doubts(list)); doubts > 0 {
		parts = append(parts, fmt.Sprintf("%d in doubt", doubts))
	}
	return strings.Join(parts, ", ")
}

// restsOn says what a tick rests on.
func restsOn(rests Opt) string {
	if rests == "" || rests == RestsOnNothing {
		return "without evidence"
	}
	return string(rests)
}

func (t *Task) noCriterion(index int) error {
	named := fmt.Sprintf("criterion %d", index)
	if len(t.Criteria) == 0 {
		return fault.Bad("%s has no criteria, and so no %s", t.ID, named).WithMissing(named).WithHint("add one first: %s", hint.FirstCriterion(t.ID))
	}
	return fault.Bad("%s has no %s", t.ID, named).WithMissing(named).WithHint("a number from 1 to %d: %s lists them", len(t.Criteria), hint.Show(t.ID))
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
