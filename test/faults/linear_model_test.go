package faults

import (
	"fmt"
	"testing"
	"time"

	"github.com/anishathalye/porcupine"

	"tasker/internal/task"
)

// What a client asks of a task.
const (
	doClaim   = "claim"
	doRelease = "release"
	doMove    = "move"
	doEdit    = "edit"
	doShow    = "show"
)

// ask is an operation on one task.
type ask struct {
	do      string
	task    string
	actor   string
	human   bool
	fence   int64 // 0: none is given
	version int64 // expectedVersion; 0: none is given
	to      task.Status
}

// How an operation ended.
const (
	done     = "done"
	declined = "declined"
	conflict = "conflict"
)

// told is what it answered. Which fields count depends on the operation.
type told struct {
	how     string
	status  task.Status
	from    task.Status
	version int64
	holder  string
	fence   int64
}

// state is a task in the model: the rules of claims and versions, written down once more and as plainly as can be.
type state struct {
	status    task.Status
	holder    string
	fence     int64
	ended     bool  // somebody else ended the claim with that fence
	version   int64 // of the record
	claimedAt int64 // the version right after the claim
}

// step gives the answer that the model would give, and the state after it.
func (s state) step(in ask) (told, state) {
	if in.version != 0 && in.version != s.version {
		return told{how: conflict}, s
	}
	if in.fence != 0 && (in.fence != s.fence || s.ended) {
		return told{how: conflict}, s
	}
	theirs := s.holder != "" && s.holder != in.actor
	switch in.do {
	case doClaim:
		if s.holder != "" {
			if theirs || in.fence == 0 {
				return told{how: declined}, s
			}
			return told{how: done, version: s.claimedAt, holder: s.holder, fence: s.fence}, s
		}
		if s.status.Closed() || s.status == task.InReview {
			return told{how: declined}, s
		}
		if s.status == task.Open {
			s.status, s.version = task.InProgress, s.version+1
		}
		s.holder, s.fence, s.ended, s.claimedAt = in.actor, s.fence+1, false, s.version
		return told{how: done, version: s.version, holder: s.holder, fence: s.fence}, s
	case doRelease:
		held := s.holder
		if held == "" {
			return told{how: done}, s
		}
		if theirs && !in.human {
			return told{how: declined}, s
		}
		s.status, s.holder, s.ended, s.version = task.Open, "", theirs, s.version+1
		return told{how: done, holder: held}, s
	case doMove:
		if theirs && !in.human {
			return told{how: declined}, s
		}
		from := s.status
		if in.to != from {
			s.status, s.version = in.to, s.version+1
			if in.to != task.InProgress && s.holder != "" {
				s.holder, s.ended = "", theirs
			}
		}
		return told{how: done, status: s.status, from: from, version: s.version, holder: s.holder, fence: s.shown()}, s
	case doEdit:
		s.version++
	}
	return told{how: done, status: s.status, version: s.version, holder: s.holder, fence: s.shown()}, s
}

// shown is the fence in a record: that of the live claim.
func (s state) shown() int64 {
	if s.holder == "" {
		return 0
	}
	return s.fence
}

var model = porcupine.Model{
	Partition: func(history []porcupine.Operation) [][]porcupine.Operation {
		at := map[string]int{}
		var out [][]porcupine.Operation
		for _, op := range history {
			id := op.Input.(ask).task
			i, ok := at[id]
			if !ok {
				i, at[id] = len(out), len(out)
				out = append(out, nil)
			}
			out[i] = append(out[i], op)
		}
		return out
	},
	Init: func() any { return state{status: task.Open, version: 1} },
	Step: func(s, in, out any) (bool, any) {
		want, after := s.(state).step(in.(ask))
		return want == out.(told), after
	},
	DescribeOperation: func(in, out any) string { return fmt.Sprintf("%+v: %+v", in, out) },
}

// linear checks a history, and prints it where no order explains it.
func (w *world) linear(history []porcupine.Operation) {
	w.Helper()
	began := time.Now()
	result, info := porcupine.CheckOperationsVerbose(model, history, patience)
	ends := map[string]int{}
	for _, op := range history {
		ends[op.Output.(told).how]++
	}
	w.Logf("%d operations, %v, checked in %s", len(history), ends, time.Since(began).Round(time.Millisecond))
	if ends[done] == 0 || ends[declined] == 0 || ends[conflict] == 0 {
		w.Errorf("the clients did not get in one another's way: %v", ends)
	}
	if result == porcupine.Ok {
		return
	}
	for i, part := range model.Partition(history) {
		longest := 0
		for _, chain := range info.PartialLinearizations()[i] {
			longest = max(longest, len(chain))
		}
		if longest == len(part) {
			continue
		}
		w.Logf("%s: %d of %d operations can be put in order", part[0].Input.(ask).task, longest, len(part))
		for _, op := range part {
			w.Logf("  %10d to %10d: %+v: %+v", op.Call, op.Return, op.Input, op.Output)
		}
	}
	w.Errorf("the history is %s: no order of its operations explains the answers", result)
}

// A checker that lets everything pass would make the tests below worth nothing.
func TestTheModelFindsHistoriesThatCannotBe(t *testing.T) {
	op := func(call, end int64, in ask, out told) porcupine.Operation {
		in.task = "demo-1"
		return porcupine.Operation{Input: in, Output: out, Call: call, Return: end}
	}
	first := op(1, 2, ask{do: doClaim, actor: "a"}, told{how: done, version: 2, holder: "a", fence: 1})
	edited := told{how: done, status: task.InProgress, version: 3, holder: "a", fence: 1}
	closed := told{how: done, from: task.InProgress, status: task.Done, version: 3}
	for name, c := range map[string]struct {
		good bool
		then []porcupine.Operation
	}{
		"one claim":    {true, nil},
		"a second":     {true, []porcupine.Operation{op(3, 4, ask{do: doClaim, actor: "b"}, told{how: declined})}},
		"two holders":  {false, []porcupine.Operation{op(3, 4, ask{do: doClaim, actor: "b"}, told{how: done, version: 2, holder: "b", fence: 1})}},
		"at once":      {false, []porcupine.Operation{op(1, 4, ask{do: doClaim, actor: "b"}, told{how: done, version: 2, holder: "b", fence: 2})}},
		"own name":     {false, []porcupine.Operation{op(3, 4, ask{do: doClaim, actor: "a"}, told{how: done, version: 2, holder: "a", fence: 1})}},
		"an old read":  {false, []porcupine.Operation{op(3, 4, ask{do: doShow}, told{how: done, status: task.Open, version: 1})}},
		"read at once": {true, []porcupine.Operation{op(1, 4, ask{do: doShow}, told{how: done, status: task.Open, version: 1})}},
		"old version":  {false, []porcupine.Operation{op(3, 4, ask{do: doEdit, actor: "b", version: 1}, edited)}},
		"lost update": {false, []porcupine.Operation{
			op(3, 4, ask{do: doEdit, actor: "b", version: 2}, edited), op(3, 4, ask{do: doEdit, actor: "a", version: 2}, edited),
		}},
		"one update": {true, []porcupine.Operation{
			op(3, 4, ask{do: doEdit, actor: "b", version: 2}, edited), op(3, 4, ask{do: doEdit, actor: "a", version: 2}, told{how: conflict}),
		}},
		"foreign agent": {false, []porcupine.Operation{op(3, 4, ask{do: doMove, actor: "b", to: task.Done}, closed)}},
		"human": {true, []porcupine.Operation{
			op(3, 4, ask{do: doMove, actor: "b", human: true, to: task.Done}, closed),
			op(5, 6, ask{do: doMove, actor: "a", fence: 1, to: task.Done}, told{how: conflict}),
		}},
	} {
		if got := porcupine.CheckOperations(model, append([]porcupine.Operation{first}, c.then...)); got != c.good {
			t.Errorf("%s: linearizable is %t", name, got)
		}
	}
}
