package cache

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
)

func gone(ctx context.Context) error { return errors.Join(errors.New("gone"), ctx.Err()) }

func shared[V any](room int) *Shared[string, int, V] {
	return &Shared[string, int, V]{Cache: Cache[string, V]{Max: 3}, Gate: make(chan struct{}, room), Gone: gone}
}

func always[V any](V) bool { return true }

func TestAValueIsComputedAgainWhenItIsNotFresh(t *testing.T) {
	c := Cache[string, int]{Max: 2}
	computed := 0
	of := func(key string, least int) int {
		v, err := c.Of(key, func(v int) bool { return v >= least }, func() (int, error) { computed++; return computed, nil })
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	for i, want := range []int{1, 1, 2, 2} {
		if got := of("a", 1+i/2); got != want {
			t.Errorf("the answer %d is %d, want %d", i, got, want)
		}
	}
	if of("b", 1) != 3 || of("a", 1) != 2 {
		t.Errorf("it was computed %d times", computed)
	}
	of("c", 0)
	if _, ok := c.Get("a"); ok || len(c.values) != 1 {
		t.Error("a full cache is not emptied")
	}
	no := errors.New("no")
	if _, err := c.Of("d", always, func() (int, error) { return 9, no }); !errors.Is(err, no) {
		t.Errorf("a failure returns %v", err)
	}
	if _, ok := c.Get("d"); ok {
		t.Error("a failure is cached")
	}
}

// TestOneComputesForAllWhoAsk asks for one value many times while it is being computed.
func TestOneComputesForAllWhoAsk(t *testing.T) {
	c := shared[*int](1)
	var computed atomic.Int32
	begun, finish := make(chan struct{}), make(chan struct{})
	compute := func(context.Context) (*int, error) {
		if computed.Add(1) == 1 {
			close(begun)
		}
		<-finish
		return new(int), nil
	}
	const asking = 50
	got := make(chan *int, asking)
	var all, asked sync.WaitGroup
	ask := func() {
		asked.Done()
		out, err := c.Of(t.Context(), "a", 7, always, compute)
		if err != nil {
			t.Error(err)
		}
		got <- out
	}
	asked.Add(asking)
	all.Go(ask)
	<-begun
	for range asking - 1 {
		all.Go(ask)
	}
	asked.Wait()
	left, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := c.Of(left, "a", 7, always, compute); !errors.Is(err, context.Canceled) {
		t.Errorf("a caller who leaves while waiting got %v", err)
	}
	if _, err := c.Of(left, "b", 7, always, compute); !errors.Is(err, context.Canceled) {
		t.Errorf("another one is computed at the same time: %v", err)
	}
	close(finish)
	all.Wait()
	close(got)
	first := <-got
	for out := range got {
		if out != first {
			t.Fatal("two got different values")
		}
	}
	if n := computed.Load(); n != 1 {
		t.Errorf("it was computed %d times", n)
	}
	if out, err := c.Of(t.Context(), "a", 8, func(*int) bool { return computed.Load() > 1 }, compute); err != nil || out == first {
		t.Errorf("a value that is not fresh is returned: %v", err)
	}
}

// TestWhoSeesMoreGetsNothingFromBefore joins a computation whose result is not fresh for it.
func TestWhoSeesMoreGetsNothingFromBefore(t *testing.T) {
	c := shared[string](1)
	name := flight[string, int]{key: "a"}
	f := c.begin(name)
	var all sync.WaitGroup
	all.Go(func() {
		out, err := c.Of(t.Context(), "a", 0, func(v string) bool { return v == "after" }, func(context.Context) (string, error) { return "after", nil })
		if out != "after" || err != nil {
			t.Errorf("it gets %q, %v", out, err)
		}
	})
	if _, err := c.fly(t.Context(), name, f, func(context.Context) (string, error) { return "before", nil }); err != nil {
		t.Error(err)
	}
	all.Wait()
}

// TestFewAreComputedAtOnce asks for several different values at once.
func TestFewAreComputedAtOnce(t *testing.T) {
	const room, asking = 2, 20
	c := shared[int](room)
	var now, most atomic.Int32
	var all sync.WaitGroup
	for i := range asking {
		all.Go(func() {
			_, err := c.Of(t.Context(), string(rune('a'+i)), 0, always, func(context.Context) (int, error) {
				n := now.Add(1)
				for {
					if was := most.Load(); n <= was || most.CompareAndSwap(was, n) {
						break
					}
				}
				defer now.Add(-1)
				return i, nil
			})
			if err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	if most.Load() > room {
		t.Errorf("%d were computed at once, and %d may be", most.Load(), room)
	}
	if len(c.values) > c.Max || len(c.flying) != 0 {
		t.Errorf("%d are cached, %d under way", len(c.values), len(c.flying))
	}
}

// TestWhoLeavesTakesNothingFromOthers has the first caller leave early: if the value was not begun, another caller
// computes it; if it was, it is finished for the others.
func TestWhoLeavesTakesNothingFromOthers(t *testing.T) {
	c := shared[int](1)
	c.Gate <- struct{}{} // another value is being computed
	first, leave := context.WithCancel(t.Context())
	one := func(ctx context.Context) (int, error) { return 1, ctx.Err() }
	name := flight[string, int]{key: "a"}
	f := c.begin(name)
	var all sync.WaitGroup
	all.Go(func() {
		if out, err := c.Of(t.Context(), "a", 0, always, one); out != 1 || err != nil {
			t.Errorf("the caller who stayed got %d, %v", out, err)
		}
	})
	leave()
	if _, err := c.fly(first, name, f, one); !errors.Is(err, context.Canceled) {
		t.Errorf("the caller who left got %v", err)
	}
	<-c.Gate
	all.Wait()

	left, leave := context.WithCancel(t.Context())
	out, err := c.Of(left, "b", 0, always, func(ctx context.Context) (int, error) {
		leave()
		return 2, ctx.Err()
	})
	if out != 2 || err != nil {
		t.Errorf("what was begun ends with %d, %v", out, err)
	}
}

func TestAFailureIsTriedAgainByTheNext(t *testing.T) {
	c := shared[int](1)
	no := errors.New("no")
	if _, err := c.Of(t.Context(), "a", 0, always, func(context.Context) (int, error) { return 0, no }); !errors.Is(err, no) {
		t.Errorf("a failure returns %v", err)
	}
	if out, err := c.Of(t.Context(), "a", 0, always, func(context.Context) (int, error) { return 2, nil }); out != 2 || err != nil {
		t.Errorf("after a failure the next caller gets %d, %v", out, err)
	}
}

// TestAMomentIsServedForAWhile: a task becomes overdue without an event.
func TestAMomentIsServedForAWhile(t *testing.T) {
	of := Moment{Event: 7, Now: 1, Until: 5}
	for _, c := range []struct {
		name string
		at   Moment
		want bool
	}{
		{"the same", of, true},
		{"a reader that saw fewer events", Moment{Event: 6, Now: 1}, true},
		{"an event", Moment{Event: 8, Now: 1}, false},
		{"a restore", Moment{Event: 7, Now: 1, Generation: 1}, false},
		{"before the lease lapses", Moment{Event: 7, Now: 4}, true},
		{"a lease that has lapsed", Moment{Event: 7, Now: 5}, false},
	} {
		if got := of.Serves(c.at); got != c.want {
			t.Errorf("%s: serves = %v", c.name, got)
		}
	}
	of.Until = 0
	if !of.Serves(Moment{Event: 7, Now: momentAge}) || of.Serves(Moment{Event: 7, Now: momentAge + 1}) {
		t.Error("it is not served for as long as it may be")
	}
}
