package reading_test

import (
	"os"
	"strings"
	"testing"

	"tasker/internal/task"
	"tasker/internal/text/words"
	"tasker/internal/views/reading"
)

func TestWorkersAreSortedByTrouble(t *testing.T) {
	const minute = 60_000
	now := task.Time(1_780_000_000_000_000)
	worker := func(name string, quiet, usual int64, change func(*reading.Working)) reading.Working {
		w := reading.Working{Actor: name, UsualMs: usual * minute, Holding: []reading.Lease{{WroteAt: now.Add(-quiet * minute)}}}
		if change != nil {
			change(&w)
		}
		w.Judge(now)
		return w
	}
	asks := func(w *reading.Working) { w.Holding[0].NeedsAnswer = true }
	lapsed := func(w *reading.Working) { w.Holding, w.Lapsed = nil, []reading.LapsedLease{{Task: "demo-1"}} }
	stalled := func(w *reading.Working) { w.Holding[0].Stalled = true }
	all := []reading.Working{
		worker("ann/18", 5, 4, nil), worker("ann/2", 5, 4, nil), worker("new", 500, 0, nil), worker("quieter", 60, 5, nil), worker("quiet", 40, 5, nil),
		worker("stalled", 70, 90, stalled), worker("lapsed", 0, 0, lapsed), worker("asks", 1, 1, asks), worker("both", 1, 1, func(w *reading.Working) {
			asks(w)
			w.Lapsed = []reading.LapsedLease{{Task: "demo-2"}}
		}),
		worker("idle", 0, 0, func(w *reading.Working) { w.Holding = nil }),
	}
	reading.ByTrouble(all, now)
	got := strings.Join(words.Each(all, func(w reading.Working) string { return w.Actor + " " + w.State }), ", ")
	want := "asks needs_answer, both needs_answer, lapsed lapsed, stalled stalled, quieter quiet, quiet quiet, ann/2 working, ann/18 working, new working, idle idle"
	if got != want {
		t.Errorf("the order is\n%s, want\n%s", got, want)
	}
}

func TestAUsualPauseIsTheMedian(t *testing.T) {
	at := func(pauses ...int64) (out []task.Time) {
		now := task.Time(1_780_000_000_000_000)
		out = append(out, now)
		for _, ms := range pauses {
			now = now.Add(-ms)
			out = append(out, now)
		}
		return out
	}
	for _, c := range []struct {
		pauses []int64
		want   int64
	}{
		{nil, 0}, {[]int64{5000, 5000, 5000, 5000}, 0}, {[]int64{2000, 9000, 10, 3000, 900, 4000, 80_000_000}, 4000},
	} {
		if got := reading.UsualPause(at(c.pauses...)); got != c.want {
			t.Errorf("the usual pause of %v is %d, want %d", c.pauses, got, c.want)
		}
	}
}

func TestConceptsExplainsEveryStateAndTrouble(t *testing.T) {
	page, err := os.ReadFile("../../../docs/concepts.md")
	if err != nil {
		t.Fatal(err)
	}
	rest := string(page)
	for _, state := range reading.WorkerStates { // in this order
		_, after, found := strings.Cut(rest, "\n| `"+state+"` | ")
		if !found {
			t.Fatalf("there is no row for %s after the one before it", state)
		}
		rest = after
	}
	for _, why := range task.Troubles {
		if name := "(`" + string(why) + "`)"; why != task.TroubleAnswer && !strings.Contains(string(page), name) {
			t.Errorf("nothing says what %s means", name)
		}
	}
}
