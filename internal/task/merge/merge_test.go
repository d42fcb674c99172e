package merge_test

import (
	"math/rand/v2"
	"testing"

	"tasker/internal/task"
	"tasker/internal/task/merge"
)

func TestDecide(t *testing.T) {
	t.Parallel()
	base := &merge.Pair{"a", "a"}
	for _, c := range []struct {
		name         string
		owner        merge.Owner
		base         *merge.Pair
		ours, theirs string
		want         merge.Outcome
	}{
		{"nothing changed", merge.Local, base, "a", "a", merge.Same},
		{"agreed to differ", merge.Local, &merge.Pair{"a", "b"}, "a", "b", merge.Same},
		{"both made the same change", merge.Tracker, base, "b", "b", merge.Agreed},
		{"only theirs changed, and it is theirs", merge.Tracker, base, "a", "b", merge.Take},
		{"only theirs changed, and it is ours", merge.Local, base, "a", "b", merge.Conflict},
		{"only ours changed, and it is ours", merge.Local, base, "b", "a", merge.Send},
		{"only ours changed, and it is theirs", merge.Tracker, base, "b", "a", merge.Conflict},
		{"both changed", merge.Local, base, "b", "c", merge.Conflict},
		{"both changed, and it is theirs", merge.Tracker, base, "b", "c", merge.Conflict},
		{"first merge, ours", merge.Local, nil, "a", "b", merge.Send},
		{"first merge, theirs", merge.Tracker, nil, "a", "b", merge.Take},
		{"first merge, the same", merge.Tracker, nil, "a", "a", merge.Agreed},
	} {
		if got := merge.Decide(c.owner, c.base, c.ours, c.theirs); got != c.want {
			t.Errorf("%s: %d, not %d", c.name, got, c.want)
		}
	}
}

// store carries out the result of a merge, as the core does.
type store struct {
	known merge.Known
	ours  merge.Values
	last  int64
}

func (s *store) carryOut(r *merge.Result) {
	for f, p := range r.Agreed {
		s.known.Agreed[f] = p
	}
	for _, f := range r.Taken {
		s.ours[f] = r.Theirs[f]
	}
	for _, d := range r.Settled {
		delete(s.known.Conflicts, d.Field)
	}
	for _, d := range r.Found {
		s.last++
		d.ID = s.last
		s.known.Conflicts[d.Field] = d
	}
	for _, w := range r.Cancelled {
		delete(s.known.Writes, w.Field)
	}
	for _, w := range r.Planned {
		s.last++
		w.ID = s.last
		s.known.Writes[w.Field] = w
	}
}

// TestMergeLosesNothing changes both sides at random and merges. Once there is a base, a merge
// never changes a field that we own, a change on both sides is never overwritten, and merging the
// same values again does nothing.
func TestMergeLosesNothing(t *testing.T) {
	t.Parallel()
	letters := []string{"", "a", "b", "c"}
	for seed := range uint64(2000) {
		r := rand.New(rand.NewPCG(seed, 16))
		owner := merge.Local
		if r.IntN(2) == 0 {
			owner = merge.Tracker
		}
		owners := func(string) (merge.Owner, string) { return owner, "test" }
		s := &store{ours: merge.Values{"body": "a"}, known: merge.Known{map[string]merge.Pair{}, map[string]merge.Disagreement{}, map[string]merge.Write{}, nil}}
		theirs := merge.Values{"body": letters[r.IntN(4)]}
		for range 20 {
			if r.IntN(2) == 0 {
				s.ours["body"] = letters[r.IntN(4)]
			}
			if r.IntN(2) == 0 {
				theirs["body"] = letters[r.IntN(4)]
			}
			base, had := s.known.Agreed["body"]
			mine := had && s.ours["body"] != base.Ours
			got := merge.Merge(owners, s.ours, theirs, s.known)
			if taken := len(got.Taken) > 0; taken && had && (owner == merge.Local || mine) {
				t.Fatalf("seed %d: %q was overwritten by %q, base %+v, owner %s", seed, s.ours["body"], theirs["body"], base, owner)
			}
			s.carryOut(got)
			if again := merge.Merge(owners, s.ours, theirs, s.known); !again.Empty() {
				t.Fatalf("seed %d: a second merge has %+v to do", seed, again)
			}
			if s.ours["body"] != theirs["body"] && len(s.known.Conflicts)+len(s.known.Writes) == 0 {
				t.Fatalf("seed %d: %q and %q differ, and nothing is planned about it", seed, s.ours["body"], theirs["body"])
			}
			if w, ok := s.known.Writes["body"]; ok && r.IntN(2) == 0 { // sent
				theirs["body"] = w.To
			}
		}
	}
}

func TestOwnership(t *testing.T) {
	t.Parallel()
	linked := merge.Effective{Linked: true}
	if o, _ := linked.Owner("title"); o != merge.Tracker || linked.PresetName() != merge.Split {
		t.Errorf("a linked project's title is owned by %s", o)
	}
	if o, _ := linked.Owner("status"); o != merge.Local {
		t.Errorf("a linked project's status is owned by %s", o)
	}
	if o, _ := (merge.Effective{}).Owner("title"); o != merge.Local {
		t.Errorf("without a link the title is owned by %s", o)
	}
	set, err := merge.Ownership{}.Set([]string{"tracker", "title=local"})
	if err != nil {
		t.Fatal(err)
	}
	e := merge.Effective{Ownership: set}
	if o, _ := e.Owner("title"); o != merge.Local {
		t.Error("title=local is not set")
	}
	if o, _ := e.Owner("status"); o != merge.Tracker {
		t.Error("the preset tracker is not set")
	}
	for _, bad := range [][]string{nil, {"nobody"}, {"title=me"}, {"nothing=local"}, {"criteria=tracker"}} {
		if _, err := (merge.Ownership{}).Set(bad); err == nil {
			t.Errorf("%q is accepted", bad)
		}
	}
}

func TestValuesGoThereAndBack(t *testing.T) {
	t.Parallel()
	v := merge.Values{"title": "T", "body": "B", "due": "2026-03-01", "sprint": "S", "rank": "0|a", "priority": "1", "severity": "3"}
	tk := taskOf(v)
	for field, want := range v {
		if got := merge.Of(tk)[field]; got != want {
			t.Errorf("%s is %q, not %q", field, got, want)
		}
		if err := merge.Check(field, want); err != nil {
			t.Error(err)
		}
	}
	fit := merge.Fitting(merge.Values{"priority": "9", "due": "soon", "title": " ", "status": "done", "severity": ""})
	if len(fit) != 2 || fit["status"] != "done" {
		t.Errorf("%v", fit)
	}
}

func taskOf(v merge.Values) *task.Task {
	t := &task.Task{Status: task.Open}
	for field, value := range v {
		merge.Put(t, field, value)
	}
	return t
}

// A value that we started to write and that is found there is our own write, whatever the answer
// was: it does not count as a change made there over what was changed here since, and it is
// recognized once.
func TestAWriteOfOursThatArrivedUntoldIsNotTheirChange(t *testing.T) {
	t.Parallel()
	owned := func(o merge.Owner) func(string) (merge.Owner, string) {
		return func(string) (merge.Owner, string) { return o, "" }
	}
	basis, news := merge.Basis{Pairs: map[string]merge.Pair{"status": {"open", "open"}}}.Try("status", "in_review")
	if _, again := basis.Try("status", "in_review"); !news || again {
		t.Errorf("a try is news %v, and again %v", news, again)
	}
	known := func() merge.Known { return merge.Known{Agreed: basis.Pairs, Tried: basis.Tried} }
	for _, c := range []struct {
		name                string
		owner               merge.Owner
		theirs              string
		taken, found, plans int
	}{
		{"our write, in a field of theirs", merge.Tracker, "in_review", 0, 1, 0},
		{"our write, in a field of ours", merge.Local, "in_review", 0, 0, 1},
		{"a change made there", merge.Tracker, "done", 1, 0, 0},
		{"nothing", merge.Tracker, "open", 0, 0, 0},
	} {
		r := merge.Merge(owned(c.owner), merge.Values{"status": "open"}, merge.Values{"status": c.theirs}, known())
		if len(r.Taken) != c.taken || len(r.Found) != c.found || len(r.Planned) != c.plans {
			t.Errorf("%s: took %v, found %v, plans %v", c.name, r.Taken, r.Found, r.Planned)
		}
		after, differs := basis.After(r, "")
		if echo := c.theirs == "in_review"; (len(after.Tried) == 0) != echo || differs != (c.theirs != "open") {
			t.Errorf("%s: %v is still tried, and it differs %v", c.name, after.Tried, differs)
		}
	}
	for i := range 20 {
		basis, _ = basis.Try("title", string(rune('a'+i)))
	}
	if got := basis.Tried["title"]; len(got) != 8 || got[7] != "t" {
		t.Errorf("%v are remembered", got)
	}
}
