package landing

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"tasker/internal/task"
	"tasker/internal/text/words"
)

// Record is what the records say about the landing of a task.
type Record struct {
	Task     task.ID
	Status   task.Status
	Since    task.Time // when it was closed, or taken to review
	Missing  []string  // what a task in review lacks to be done
	Approved bool      // a human has approved it since it was taken to review
	Known    bool      // somebody looked where its work is, or its branch is known
	Landed   bool      // its base had the work when somebody last looked

	// Waits are the tasks whose work it builds on, at any distance: those that are not closed, and those that are done and
	// not on their base.
	Waits []task.ID
}

// Skip is a task that does not land, and why.
type Skip struct {
	Task task.ID `json:"task"`
	Why  string  `json:"why"`
}

// Queue decides what can land, in order: of the tasks whose dependencies have gone, the one that was closed first. named
// are the tasks that were asked for; nil means all that are ready. A named task may be in review without an approval, where
// nothing else is missing. The others are skipped, with why: a named task that cannot land, and one that waits for work that
// is not on the base and does not land before it. Commands, counts and pages all ask this function.
func Queue(all []Record, named []task.ID) (order []task.ID, skipped []Skip) {
	by := make(map[task.ID]*Record, len(all))
	for i := range all {
		by[all[i].Task] = &all[i]
	}
	wanted, skipped := ready(all, named)
	slices.SortFunc(wanted, func(a, b *Record) int { return cmp.Or(cmp.Compare(a.Since, b.Since), task.CompareIDs(a.Task, b.Task)) })

	left := make(map[task.ID]bool, len(wanted))
	for _, r := range wanted {
		left[r.Task] = true
	}
	gone := make(map[task.ID]bool, len(wanted))
	for again := true; again; {
		again = false
		for _, r := range wanted {
			if left[r.Task] && !slices.ContainsFunc(r.Waits, func(id task.ID) bool { return !gone[id] }) {
				order = append(order, r.Task)
				gone[r.Task], left[r.Task], again = true, false, true
				break // an older one may be free now
			}
		}
	}
	for _, r := range wanted {
		if left[r.Task] {
			skipped = append(skipped, Skip{r.Task, waitsFor(r, gone, by)})
		}
	}
	return order, skipped
}

// ready returns the tasks that can land once what they wait for has, and why others that were asked for cannot.
func ready(all []Record, named []task.ID) (wanted []*Record, skipped []Skip) {
	for i := range all {
		r := &all[i]
		asked := slices.Contains(named, r.Task)
		if named != nil && !asked || named == nil && !r.Known {
			continue
		}
		if why := r.bar(asked); why == "" {
			wanted = append(wanted, r)
		} else if asked {
			skipped = append(skipped, Skip{r.Task, why})
		}
	}
	return wanted, skipped
}

// bar returns why a task cannot land, whatever it waits for, or "" if it can.
func (r *Record) bar(asked bool) string {
	switch {
	case r.Landed:
		return "its work is on the base"
	case r.Status == task.Done:
		return ""
	case r.Status != task.InReview:
		return fmt.Sprintf("it is %s, and only what is done, or in review with nothing missing, can land", r.Status)
	case len(r.Missing) > 0:
		return "it is in review, and lacks " + strings.Join(r.Missing, ", ")
	case !r.Approved && !asked:
		return "it is in review, and no human has approved it since"
	}
	return ""
}

// waitsFor says which work a task waits for that is not on the base and does not land before it.
func waitsFor(r *Record, gone map[task.ID]bool, by map[task.ID]*Record) string {
	for _, id := range r.Waits {
		if gone[id] {
			continue
		}
		is := "not on the base, and does not land"
		if d := by[id]; d != nil && !d.Status.Closed() {
			is = string(d.Status)
			if why := d.bar(false); d.Status == task.InReview && why == "" {
				is = "in review, and does not land"
			}
		}
		others := len(slices.DeleteFunc(slices.Clone(r.Waits), func(id task.ID) bool { return gone[id] })) - 1
		return fmt.Sprintf("it waits for %s, which is %s%s", id, is, words.When(others > 0, ", and for "+words.Count(others, "other task", "other tasks")))
	}
	return ""
}

// Without returns the order without a task that failed and without what waits for it, which is skipped.
func Without(order []task.ID, failed task.ID, all []Record) (rest []task.ID, skipped []Skip) {
	waits := map[task.ID][]task.ID{}
	for _, r := range all {
		waits[r.Task] = r.Waits
	}
	for _, id := range order { // in order: what it waits for at a distance is among its own waits
		switch {
		case id == failed:
		case slices.Contains(waits[id], failed):
			skipped = append(skipped, Skip{id, fmt.Sprintf("it waits for %s, which failed to land", failed)})
		default:
			rest = append(rest, id)
		}
	}
	return rest, skipped
}

// Why a task failed to land.
const (
	Conflict = "conflict" // its branch and what is on the base change the same lines
	Red      = "red"      // a command of its gate failed
	Push     = "push"     // the remote refused
	Base     = "base"     // a command of its gate fails on the base alone
)
