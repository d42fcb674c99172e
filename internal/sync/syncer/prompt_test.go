package syncer

import (
	"slices"
	"strconv"
	"testing"
	"time"
)

func TestARepositoryIsPulledOnceInAWhile(t *testing.T) {
	t.Parallel()
	p, now := NewPrompts(), time.Unix(1000, 0)
	due := func(want ...string) time.Duration {
		t.Helper()
		got, wait := p.due(now)
		if !slices.Equal(got, want) {
			t.Errorf("%q are due, want %q", got, want)
		}
		return wait
	}
	due()
	for range 100 {
		p.Ask("Own/Code")
	}
	p.Ask("own/other")
	due("own/code", "own/other")
	p.Ask("own/code") // while it is pulled: something may have changed since
	if wait := due(); wait != promptEvery {
		t.Errorf("the next pull comes in %s", wait)
	}
	now = now.Add(4 * time.Second)
	if wait := due(); wait != 6*time.Second {
		t.Errorf("the next pull comes in %s", wait)
	}
	now = now.Add(6 * time.Second)
	if wait := due("own/code"); wait != 0 {
		t.Errorf("nothing is left, and it waits for %s", wait)
	}
	for n := range 3 * maxPrompts {
		p.Ask("own/" + strconv.Itoa(n))
	}
	if got, _ := p.due(now); len(got) != maxPrompts {
		t.Errorf("%d repositories were remembered", len(got))
	}
}
