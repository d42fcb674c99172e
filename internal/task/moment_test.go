package task

import (
	"math"
	"testing"

	"pgregory.net/rapid"
)

func TestAMomentReadsAsTheStandardLibraryWritesIt(t *testing.T) {
	same := func(at Time) {
		if got, want := string(appendMoment(nil, at)), at.Go().Format(timeLayout); got != want {
			t.Errorf("%d is written %s, want %s", at, got, want)
		}
	}
	const day = 24 * 60 * 60 * 1_000_000
	for _, at := range []Time{1, -1, 999, -999, 1000, -1000, day - 1, day, -day, -day - 1, 951_782_400_000_000, 4_107_542_399_999_999, math.MaxInt64,
		math.MinInt64} {
		same(at)
	}
	for at := Time(-800_000 * day); at < 3_000_000*day; at += 97*day + 12_345_678_901 { // from before year 0 to past 9999
		same(at)
	}
	rapid.Check(t, func(t *rapid.T) {
		at := Time(rapid.Int64().Draw(t, "at"))
		if got, want := string(appendMoment(nil, at)), at.Go().Format(timeLayout); got != want {
			t.Fatalf("%d is written %s, want %s", at, got, want)
		}
	})
}
