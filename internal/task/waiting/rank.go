package waiting

import (
	"cmp"

	"tasker/internal/task"
)

// SortImpact orders an inbox by urgency, and within it by the work that settling an item frees.
const SortImpact = "impact"

// Freed is the work that settling an item frees: the tasks that become ready at once, the item's own included, and the
// tasks that its own holds up, directly or not.
type Freed struct {
	Now   int `json:"now"`
	InAll int `json:"inAll"`
}

// Rank is where an item stands in an inbox that is sorted by impact.
type Rank struct {
	Urgency int
	Aged    bool // it has waited for more than a day
	Freed
}

// aged is how long an item waits before newer ones can no longer overtake it: a day, in milliseconds.
const aged = 24 * 60 * 60 * 1000

// RankOf returns the rank, at a moment, of an item whose task has a status.
func RankOf(kind ItemKind, status task.Status, since, now task.Time, freed Freed) Rank {
	return Rank{Urgency: urgency(kind, status), Aged: since != 0 && since.Add(aged) <= now, Freed: freed}
}

// urgency returns how urgent an item is: questions keep somebody from working, and a closed task can wait.
func urgency(kind ItemKind, status task.Status) int {
	switch {
	case kind == ItemRunner: // nothing goes on there, whatever became of the task that it names
		return 0
	case status.Closed():
		return 5
	case kind == ItemQuestion:
		return 0
	case kind == ItemApproval || kind == ItemVerification:
		return 1
	case kind == ItemReview:
		return 2
	case kind == ItemDivergence || kind == ItemSyncFailed:
		return 4
	case kind == ItemOverride:
		return 5
	}
	return 3
}

// Compare orders ranks: by urgency, then items older than a day first, so that nothing sinks, and then by the work that
// is freed.
func (r Rank) Compare(o Rank) int {
	age := 0
	if r.Aged != o.Aged {
		age = 1
		if r.Aged {
			age = -1
		}
	}
	return cmp.Or(cmp.Compare(r.Urgency, o.Urgency), age, cmp.Compare(o.InAll, r.InAll), cmp.Compare(o.Now, r.Now))
}

// FreedOf returns what settling an item of a task frees: behind is how many open tasks wait for it in all, and next how
// many of them become ready once it is closed. A question, or work that nobody continues, keeps back the task itself:
// settling that makes this one task ready, unless another question keeps it back too, and the task is not added to behind.
func FreedOf(kind ItemKind, t *task.Task, behind, next int) Freed {
	if t == nil || t.Status.Closed() || kind == ItemRunner {
		return Freed{}
	}
	only := t.State() == task.StateAsked && t.Questions == 1 // nothing but one question keeps the task back
	switch {
	case kind == ItemStalled || kind == ItemUnheld || kind == ItemQuestion && only:
		next = 1
	case kind == ItemQuestion:
		next = 0
	}
	return Freed{Now: next, InAll: behind}
}

// FreedNext reports whether a task becomes ready once the last thing that it waits for is closed.
func FreedNext(t *task.Task) bool {
	return t.State() == task.StateWaiting && t.OpenDeps+t.Parts == 1 && t.Questions == 0
}
