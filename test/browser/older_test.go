package browser_test

import (
	"encoding/json"
	"slices"
	"strconv"
	"testing"
)

// TestTheLogIsReadBackToItsBeginning follows the link to older events from the newest ones to the first, and one link back.
func TestTheLogIsReadBackToItsBeginning(t *testing.T) {
	t.Parallel()
	s := reading(t)
	var log []struct {
		ID   int64
		Kind string
	}
	if err := json.Unmarshal([]byte(s.run("ann", "events", "-p", "atlas", "--since-id", "0", "--limit", "1000", "--json")), &log); err != nil {
		t.Fatal(err)
	}
	b := open(t)
	const ids = `[...document.querySelectorAll("table.log tbody tr")].map((r) => Number(r.dataset.key.slice(1)))`
	for _, kind := range []string{"", "task.created"} {
		var want, got []int64
		for _, e := range slices.Backward(log) {
			if kind == "" || e.Kind == kind {
				want = append(want, e.ID)
			}
		}
		if len(want) <= 200 || len(log) == 1000 {
			t.Fatalf("%d events of %d would not fill three pages", len(want), len(log))
		}
		b.visit(s.base + "/p/atlas/events?kind=" + kind)
		pages := 1
		for ; ; pages++ {
			page := js[[]int64](b, ids)
			got = append(got, page...)
			if len(page) == 0 || len(got) > len(want) || !js[bool](b, `document.querySelector(".more a[rel=next]") !== null`) {
				break
			}
			js[bool](b, `document.querySelector(".more a[rel=next]").click(); true`)
			b.until(
				`document.readyState === "complete" && location.search.includes("before_id=` + strconv.FormatInt(
					page[len(page)-1],
					10,
				) + `") && document.querySelector("table.log tbody tr").dataset.key !== "e` + strconv.FormatInt(
					page[0],
					10,
				) + `"`,
			)
		}
		if !slices.Equal(got, want) {
			t.Errorf("kind %q: %d events in %d pages, of %d", kind, len(got), pages, len(want))
		}
		last := js[[]int64](b, ids)
		js[bool](b, `document.querySelector(".more a[rel=prev]").click(); true`)
		b.until(`location.search.includes("since_id=` + strconv.FormatInt(last[0], 10) + `") && !location.search.includes("before_id") && ` +
			`document.readyState === "complete"`)
		if page := js[[]int64](b, ids); len(page) == 0 || page[len(page)-1] <= last[0] {
			t.Errorf("kind %q: after %d come %v", kind, last[0], page)
		}
	}
	for _, w := range b.wrong() {
		t.Error(w)
	}
}
