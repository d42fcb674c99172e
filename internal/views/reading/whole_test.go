package reading_test

import (
	"fmt"
	"strings"
	"testing"

	"tasker/internal/testkit/coretest"
	"tasker/internal/views/reading"
)

// TestFrontierBoardAndWorkAreWholeUnlessALimitSaysOtherwise has more tasks of each kind than any list has by default.
func TestFrontierBoardAndWorkAreWholeUnlessALimitSaysOtherwise(t *testing.T) {
	const many = 60
	coretest.Each(t, func(k *coretest.Kit) {
		var defs []string
		for i := range many {
			defs = append(defs,
				fmt.Sprintf(`{"key": "r%d", "title": "R", "body": %q}`, i, strings.Repeat("x", 20_000)), // together more than a page
				fmt.Sprintf(`{"key": "w%d", "title": "W", "deps": ["r%d"]}`, i, i),
				fmt.Sprintf(`{"key": "u%d", "title": "U", "status": "in_progress"}`, i))
		}
		k.Tasks(strings.Join(defs, ", "))
		for limit, want := range map[int]int{0: many, 50: 50, 7: 7} {
			var asked *int
			if limit > 0 {
				asked = &limit
			}
			ready, err := k.Reading.Ready(coretest.Ann, reading.ReadyIn{Slug: "demo", Limit: asked})
			k.Must(err)
			if len(ready.Tasks) != want || ready.Total != many {
				k.Errorf("limit %d: %d tasks are ready of %d", limit, len(ready.Tasks), ready.Total)
			}
			work, err := k.Reading.Work(coretest.Ann, reading.WorkIn{Slug: "demo", Limit: asked})
			k.Must(err)
			if len(work.Frontier) != want || len(work.Blocked) != want || len(work.Unheld) != want || work.Totals.Ready != many || work.Totals.Blocked != many {
				k.Errorf("limit %d: the work lists %d, %d and %d of %+v", limit, len(work.Frontier), len(work.Blocked), len(work.Unheld), work.Totals)
			}
			board, err := k.Reading.Board(coretest.Ann, reading.BoardIn{Slug: "demo", Limit: asked})
			k.Must(err)
			open := want
			if limit == 0 {
				open = 2 * many
			}
			if c := board.Columns[0]; len(c.Tasks) != open || c.Total != 2*many {
				k.Errorf("limit %d: the column %s lists %d of %d", limit, c.Status, len(c.Tasks), c.Total)
			}
		}
	})
}
