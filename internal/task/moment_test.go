package task_test

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"tasker/internal/task"
)

// layout is how a moment is written.
const layout = "2006-01-02T15:04:05.000Z"

func TestAMomentReadsAsTheStandardLibraryWritesIt(t *testing.T) {
	same := func(at task.Time) {
		if got, want := at.String(), at.Go().Format(layout); got != want {
			t.Errorf("%d is written %s, want %s", at, got, want)
		}
	}
	const day = 24 * 60 * 60 * 1_000_000
	for _, at := range []task.Time{1, -1, 999, -999, 1000, -1000, day - 1, day, -day, -day - 1, 951_782_400_000_000, 4_107_542_399_999_999, math.MaxInt64,
		math.MinInt64} {
		same(at)
	}
	for at := task.Time(-800_000 * day); at < 3_000_000*day; at += 97*day + 12_345_678_901 { // from before year 0 to past 9999
		same(at)
	}
	rapid.Check(t, func(t *rapid.T) {
		at := task.Time(rapid.Int64().Filter(func(n int64) bool { return n != 0 }).Draw(t, "at")) // 0 is not a moment
		if got, want := at.String(), at.Go().Format(layout); got != want {
			t.Fatalf("%d is written %s, want %s", at, got, want)
		}
	})
}
