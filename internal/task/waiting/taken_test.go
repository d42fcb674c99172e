package waiting

import (
	"testing"

	"tasker/internal/fault"
	"tasker/internal/task"
)

func TestAnItemIsTakenByOneAtATime(t *testing.T) {
	const now, minute = task.Time(1_000_000), 60_000
	ann, bob, bot := task.Actor{Name: "ann", Human: true}, task.Actor{Name: "bob", Human: true}, task.Actor{Name: "bot", Instance: "2"}
	ref, of := ItemRef{Task: "demo-1", Item: "review"}, Waiting{Stamp: 7}
	ms := func(n int64) *int64 { return &n }
	got, err := Taken{}.TakeBy(bot, ref, of, ms(minute), now)
	if want := (Taken{By: "bot/2", Until: now.Add(minute), Stamp: 7}); err != nil || got != want {
		t.Fatalf("%+v, %v", got, err)
	}
	longer, err := got.TakeBy(bot, ref, of, nil, now)
	if err != nil || longer.Until != now.Add(defaultTakenMs) {
		t.Errorf("taken again: %+v, %v", longer, err)
	}
	if _, err := got.TakeBy(ann, ref, of, nil, now.Add(minute-1)); !fault.Is(err, fault.Declined) {
		t.Errorf("taken by two: %v", err)
	}
	for name, c := range map[string]struct {
		of Waiting
		at task.Time
	}{"its time is over": {of, now.Add(minute)}, "it happened again": {Waiting{Stamp: 8}, now}} {
		if _, err := got.TakeBy(ann, ref, c.of, nil, c.at); err != nil || got.Holds(c.of, c.at) {
			t.Errorf("%s: %v", name, err)
		}
	}
	for _, bad := range []int64{-1, 0, maxTakenMs + 1} {
		if _, err := (Taken{}).TakeBy(ann, ref, of, &bad, now); !fault.Is(err, fault.Invalid) {
			t.Errorf("%d ms: %v", bad, err)
		}
	}
	if err := got.GiveBy(bob, ref, of, now); err != nil {
		t.Errorf("a person may not give it back: %v", err)
	}
	if err := longer.GiveBy(task.Actor{Name: "bot", Instance: "3"}, ref, of, now); !fault.Is(err, fault.Declined) {
		t.Errorf("another agent gives it back: %v", err)
	}
}
