package picture

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
)

// TestOneComputesForAllWhoAsk requests one picture many times while it is being computed.
func TestOneComputesForAllWhoAsk(t *testing.T) {
	k := newShared[*int](make(chan struct{}, 1))
	var computed atomic.Int32
	begun, finish := make(chan struct{}), make(chan struct{})
	compute := func(context.Context) (*int, moment, error) {
		if computed.Add(1) == 1 {
			close(begun)
		}
		<-finish
		return new(int), moment{event: 7, until: 5}, nil
	}
	const asking = 50
	got := make(chan *int, asking)
	var all, asked sync.WaitGroup
	ask := func() {
		asked.Done()
		out, err := k.of(t.Context(), "a", moment{event: 7}, compute)
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
	close(finish)
	all.Wait()
	close(got)
	first := <-got
	for out := range got {
		if out != first {
			t.Fatal("two got different pictures")
		}
	}
	if n := computed.Load(); n != 1 {
		t.Errorf("it was computed %d times", n)
	}
	for what, at := range map[string]moment{"an event": {event: 8}, "a restore": {event: 7, generation: 1}, "a lease that has lapsed": {event: 7, now: 5}} {
		if out, err := k.of(t.Context(), "a", at, compute); err != nil || out == first {
			t.Errorf("after %s the picture is the same: %v", what, err)
		}
	}
}

// TestWhoAsksAfterALapseGetsNoPictureFromBefore joins a computation that began before a lease lapsed.
func TestWhoAsksAfterALapseGetsNoPictureFromBefore(t *testing.T) {
	k := newShared[string](make(chan struct{}, 1))
	name := flight{key: "a"}
	f := k.begin(name)
	var all sync.WaitGroup
	all.Go(func() {
		out, err := k.of(t.Context(), "a", moment{now: 5}, func(context.Context) (string, moment, error) { return "after", moment{now: 5}, nil })
		if out != "after" || err != nil {
			t.Errorf("who asks after the lapse is shown the picture %q, %v", out, err)
		}
	})
	if _, err := k.fly(t.Context(), name, f, func(context.Context) (string, moment, error) { return "before", moment{until: 5}, nil }); err != nil {
		t.Error(err)
	}
	all.Wait()
}

// TestAPictureIsServedForAWhile: a task becomes overdue without an event.
func TestAPictureIsServedForAWhile(t *testing.T) {
	of := moment{event: 7, now: 1}
	if !of.serves(moment{event: 7, now: pictureAge}) || of.serves(moment{event: 7, now: pictureAge + 1}) {
		t.Error("the picture is not served for as long as it may be")
	}
	if !of.serves(moment{event: 6, now: 1}) {
		t.Error("who saw fewer events is not shown them")
	}
}

// TestFewPicturesAreComputedAtOnce requests several different pictures at once.
func TestFewPicturesAreComputedAtOnce(t *testing.T) {
	const room, asking = 2, 20
	k := newShared[int](make(chan struct{}, room))
	var now, most atomic.Int32
	var all sync.WaitGroup
	for i := range asking {
		all.Go(func() {
			_, err := k.of(t.Context(), string(rune('a'+i)), moment{}, func(context.Context) (int, moment, error) {
				n := now.Add(1)
				for {
					if was := most.Load(); n <= was || most.CompareAndSwap(was, n) {
						break
					}
				}
				defer now.Add(-1)
				return i, moment{}, nil
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
	if len(k.cached) > maxPictures || len(k.flying) != 0 {
		t.Errorf("%d are cached, %d under way", len(k.cached), len(k.flying))
	}
}

// TestWhoLeavesTakesThePictureFromNobody has the first request end early: if the picture was not begun, another request
// computes it; if it was, it is finished for the others.
func TestWhoLeavesTakesThePictureFromNobody(t *testing.T) {
	gate := make(chan struct{}, 1)
	k := newShared[int](gate)
	gate <- struct{}{} // another picture is being computed
	first, leave := context.WithCancel(t.Context())
	one := func(ctx context.Context) (int, moment, error) { return 1, moment{}, ctx.Err() }
	name := flight{key: "a"}
	f := k.begin(name)
	var all sync.WaitGroup
	all.Go(func() {
		if out, err := k.of(t.Context(), "a", moment{}, one); out != 1 || err != nil {
			t.Errorf("who stayed is answered %d, %v", out, err)
		}
	})
	leave()
	if _, err := k.fly(first, name, f, one); !errors.Is(err, context.Canceled) {
		t.Errorf("who left is answered %v", err)
	}
	<-gate
	all.Wait()

	left, leave := context.WithCancel(t.Context())
	out, err := k.of(left, "b", moment{}, func(ctx context.Context) (int, moment, error) {
		leave()
		return 2, moment{}, ctx.Err()
	})
	if out != 2 || err != nil {
		t.Errorf("what was begun ends with %d, %v", out, err)
	}
}
