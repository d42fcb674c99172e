package task_test

import (
	"slices"
	"testing"

	"tasker/internal/task"
	"tasker/internal/task/proven"
)

func TestOnlyRunsOfThePresentHoldingCount(t *testing.T) {
	const asked = "$ make test"
	ran := value(t, proven.Run{Line: "make test", Dir: "."})
	run := func(id int64, actor string, holder ...string) task.Evidence {
		e := task.Evidence{ID: id, Actor: actor, Kind: asked, Value: ran}
		for _, h := range holder {
			e.For = task.Opt(h)
		}
		return e
	}
	vouches := task.Policy{Humans: []task.Actor{{Name: "nina", Human: true}}, CI: []string{"forge"}}.Vouches
	held := proven.Terms{Holder: "codex/1", Since: 10, Vouches: vouches}
	returned, reopened := held, held
	returned.Back = task.SentBack{Event: 15}
	reopened.Back = task.SentBack{Event: 15, Reopened: true}
	for _, c := range []struct {
		name  string
		terms proven.Terms
		runs  []task.Evidence
		why   string
	}{
		{"the holder's", held, []task.Evidence{run(12, "codex/1")}, ""},
		{"from before it held it", held, []task.Evidence{run(9, "codex/1")}, "from before codex/1 held it"},
		{"another's", held, []task.Evidence{run(12, "claude")}, "run by claude"},
		{"another instance's", held, []task.Evidence{run(12, "codex/2")}, "run by codex/2"},
		{"the plain name's", held, []task.Evidence{run(12, "codex")}, "run by codex"},
		{"the plain name's, for the holder", held, []task.Evidence{run(12, "codex", "codex/1")}, ""},
		{"the holder's, for somebody else", held, []task.Evidence{run(12, "codex/1", "claude")}, "run by codex/1"},
		{"a human's", held, []task.Evidence{run(12, "nina")}, ""},
		{"a human's, from before", held, []task.Evidence{run(9, "nina")}, "from before codex/1 held it"},
		{"a human's with an agent's rights", held, []task.Evidence{run(12, "nina", "nina")}, "run by nina"},
		{"of an actor with the role ci", held, []task.Evidence{run(12, "forge/7")}, ""},
		{"from before the return", returned, []task.Evidence{run(12, "codex/1")}, "before the return"},
		{"from before the reopening", reopened, []task.Evidence{run(12, "codex/1")}, "before the reopening"},
		{"a human's from before the reopening", reopened, []task.Evidence{run(12, "nina")}, "before the reopening"},
		{"after the return", returned, []task.Evidence{run(12, "codex/1"), run(16, "codex/1")}, ""},
		{"one that counts before one that does not", held, []task.Evidence{run(12, "codex/1"), run(13, "claude")}, ""},
		{"of several the newest says why", held, []task.Evidence{run(9, "codex/1"), run(13, "claude")}, "run by claude"},
		{"for a person", proven.Terms{}, []task.Evidence{run(1, "claude")}, ""},
		{"where no human is declared", proven.Terms{Back: task.SentBack{Event: 5}}, []task.Evidence{run(6, "claude")}, ""},
		{"where no human is declared, before the return", proven.Terms{Back: task.SentBack{Event: 5}}, []task.Evidence{run(4, "claude")}, "before the return"},
	} {
		counts := proven.Counted(proven.Asked{Gate: []string{asked}, Dir: ".", Terms: c.terms}, nil, c.runs)
		counted, why := counts.Kinds, counts.Why
		var want []task.Discounted
		if c.why != "" {
			want = []task.Discounted{{Kind: asked, Why: c.why}}
		}
		if !slices.Equal(why, want) || slices.Contains(counted, asked) != (c.why == "") {
			t.Errorf("%s: %q count, and why not: %v", c.name, counted, why)
		}
	}
	if counts := proven.Counted(proven.Asked{Gate: []string{asked}, Terms: held}, nil, nil); len(counts.Kinds)+len(counts.Met)+len(counts.Why) > 0 {
		t.Errorf("of what never ran: %v", counts)
	}
}

func TestAHoldingLastsUntilAnotherActorHolds(t *testing.T) {
	codex, claude := task.Actor{Name: "codex", Instance: "1"}, task.Actor{Name: "claude"}
	is := func(what string, x *task.Task, a task.Actor, holder string, since int64) {
		t.Helper()
		if h, s := x.HoldingOf(a); h != holder || s != since {
			t.Errorf("%s: %s since %d, and not %s since %d", what, h, s, holder, since)
		}
	}
	claim := func(x *task.Task, a task.Actor, event int64) *task.Task {
		t.Helper()
		after, _, err := x.ClaimBy(a, task.Policy{}, nil, nil, 1)
		if err != nil {
			t.Fatal(err)
		}
		if after.HeldSince == task.ThisEvent { // as the store writes it
			after.HeldSince = event
		}
		return after
	}
	release := func(x *task.Task, a task.Actor) *task.Task {
		t.Helper()
		after, _, err := x.ReleaseBy(a, nil, false, 1)
		if err != nil {
			t.Fatal(err)
		}
		return after
	}
	x := &task.Task{ID: "demo-1", Project: "demo", Status: task.Open, Version: 1}
	is("never held", x, codex, "codex/1", task.Unwritten)
	x = claim(x, codex, 10)
	is("claimed", x, codex, "codex/1", 10)
	is("asked by another", x, claude, "codex/1", 10)
	is("lapsed", x.Expired(), codex, "codex/1", 10)
	x = claim(release(x, codex), codex, 20)
	is("released, and claimed again", x, codex, "codex/1", 10)
	is("released, and asked by another", release(x, codex), claude, "claude", task.Unwritten)
	review := release(x, codex)
	review.Status = task.InReview
	is("in review", review, codex, "codex/1", 10)
	is("in review, by the shell of its name", review, task.Actor{Name: "codex"}, "codex/1", 10)
	is("in review, by another", review, claude, "claude", task.Unwritten)
	x = claim(release(x, codex), claude, 30)
	is("another's claim", x, claude, "claude", 30)
	x = claim(release(x, claude), codex, 40)
	is("claimed again after another", x, codex, "codex/1", 40)
}
