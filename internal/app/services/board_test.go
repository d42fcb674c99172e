package services_test

import (
	"cmp"
	"slices"

	gocmp "github.com/google/go-cmp/cmp"

	"tasker/internal/task"
	"tasker/internal/views/reading"
)

// checkBoard compares the cards of a board with the records, lapsed leases included: which cards, in which order, and
// everything that they show.
func (h *saga) checkBoard(f facts, name string) {
	out, err := h.s.Reading.Board(as(name), reading.BoardIn{Slug: h.slug, Limit: new(1000)})
	if err != nil {
		h.t.Fatal(err)
	}
	want := reading.BoardOut{Project: h.slug}
	for _, status := range task.Statuses {
		column := slices.DeleteFunc(slices.Clone(f.tasks), func(t *task.Task) bool { return t.Status != status })
		slices.SortFunc(column, func(a, b *task.Task) int {
			if status.Closed() {
				return cmp.Or(cmp.Compare(b.ClosedAt, a.ClosedAt), task.CompareIDs(b.ID, a.ID))
			}
			if a.Ready() != b.Ready() { // ready ones come first
				if a.Ready() {
					return -1
				}
				return 1
			}
			return task.Order{}.Compare(houseRules, cast[name], a, b)
		})
		cards := []task.Card{}
		for _, t := range column {
			if cards = append(cards, task.CardOf(t)); t.State() == task.StateReady && houseRules.ForPeople(t.Autonomy) {
				want.ForPeople = append(want.ForPeople, t.ID)
			}
		}
		*want.Totals.Of(status) = len(cards)
		want.Columns = append(want.Columns, reading.Column{Status: status, Total: len(cards), Tasks: cards})
	}
	if diff := gocmp.Diff(want, out); diff != "" {
		h.t.Fatalf("the board of %s (-want +got):\n%s", name, diff)
	}
}
