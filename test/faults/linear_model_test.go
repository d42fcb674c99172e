package faults

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/anishathalye/porcupine"

	"tasker/internal/task"
)

// What a client does to a task.
const (
	doClaim   = "claim"
	doRelease = "release"
	doMove    = "move"
	doEdit    = "edit"
	doProve   = "evidence"
	doShow    = "show"
)

// ask is an operation on one task.
type ask struct {
	do      string
	task    string
	actor   string
	human   bool
	shell   bool  // sent by a command: without an instance it may act for one
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

// answer is the answer to an operation. Which fields count depends on the operation.
type answer struct {
	how     string
	status  task.Status
	from    task.Status
	version int64
	holder  string
	fence   int64
}

// state is a task in the model: the rules of claims, versions and closings, written down again as plainly as possible. Its
// project declares a human.
type state struct {
	status    task.Status
	holder    string
	fence     int64
	ended     bool   // somebody else ended the claim with that fence
	version   int64  // of the record
	claimedAt int64  // the version right after the claim
	plain     string // the plain names that have ever held it, each preceded by a space
	movedBy   string // who moved it to in_review or done, without the instance; empty in another status
	returned  bool   // somebody sent it back from review or reopened it, and nothing was shown since
}

// nameOf returns an actor without its instance.
func nameOf(actor string) string {
	name, _, _ := strings.Cut(actor, "/")
	return name
}

// under reports whether the actor works under the live claim: its own, that of its plain name, or that of an instance of
// its name that it acts for. Only an actor without an instance, in a shell, acts for an instance: with the claim's fence,
// which is checked before; else if the plain name has never held this task, and no other instance holds any. rivals
// reports the latter.
func (s state) under(in ask, rivals func() bool) bool {
	if s.holder == in.actor || s.holder == nameOf(in.actor) {
		return true
	}
	if !in.shell || nameOf(in.actor) != in.actor || nameOf(s.holder) != in.actor {
		return false
	}
	return in.fence != 0 || !strings.Contains(s.plain+" ", " "+in.actor+" ") && !rivals()
}

// step returns the answer that the model would give, and the state after it. rivals reports whether an instance of the actor's
// name other than the task's holder holds another task.
func (s state) step(in ask, rivals func() bool) (answer, state) {
	if in.version != 0 && in.version != s.version {
		return answer{how: conflict}, s
	}
	if in.fence != 0 && (in.fence != s.fence || s.ended) {
		return answer{how: conflict}, s
	}
	theirs := s.holder != "" && (in.do == doMove || in.do == doRelease) && !s.under(in, rivals)
	switch in.do {
	case doClaim:
		if s.holder != "" {
			// Only the holder renews: claiming is not working under another's claim.
			if s.holder != in.actor || in.fence == 0 {
				return answer{how: declined}, s
			}
			return answer{how: done, version: s.claimedAt, holder: s.holder, fence: s.fence}, s
		}
		if s.status.Closed() || s.status == task.InReview {
			return answer{how: declined}, s
		}
		if s.status == task.Open {
			s.status, s.version = task.InProgress, s.version+1
		}
		s = s.taken(in.actor)
		return answer{how: done, version: s.version, holder: s.holder, fence: s.fence}, s
	case doRelease:
		held := s.holder
		if held == "" {
			return answer{how: done}, s
		}
		if theirs && !in.human {
			return answer{how: declined}, s
		}
		s.status, s.holder, s.ended, s.version = task.Open, "", theirs, s.version+1
		return answer{how: done, holder: held}, s
	case doMove:
		if theirs && !in.human {
			return answer{how: declined}, s
		}
		if !in.human && (in.to == task.Done && !s.closable(in) || in.to == task.Cancelled && !s.cancellable()) {
			return answer{how: declined}, s
		}
		from := s.status
		if in.to != from {
			s = s.moved(in, theirs)
		}
		return answer{how: done, status: s.status, from: from, version: s.version, holder: s.holder, fence: s.shown()}, s
	case doEdit:
		s.version++
	case doProve:
		s.returned = false
		return answer{how: done}, s
	}
	return answer{how: done, status: s.status, version: s.version, holder: s.holder, fence: s.shown()}, s
}

// taken returns the task right after the actor has claimed it.
func (s state) taken(actor string) state {
	s.holder, s.fence, s.ended, s.claimedAt = actor, s.fence+1, false, s.version
	if nameOf(actor) == actor && !strings.Contains(s.plain+" ", " "+actor+" ") {
		s.plain += " " + actor
	}
	return s
}

// closable reports whether an agent may close a task that no other actor holds: one that it holds or could claim, or that
// its name moved to review or to done. What was sent back needs something to show first.
func (s state) closable(in ask) bool {
	switch s.status {
	case task.Cancelled:
		return false
	case task.InReview, task.Done:
		return s.movedBy == nameOf(in.actor) && !s.returned
	case task.Open, task.InProgress:
	}
	return !s.returned
}

// cancellable reports whether an agent may cancel a task that no other actor holds: one that it holds or could claim, or
// that is cancelled already.
func (s state) cancellable() bool { return s.status != task.InReview && s.status != task.Done }

// moved returns the task after a move to another status. An agent that closes what nobody holds claims it in the same
// turn, unless it is in review: that is one change of the record, under a new fence.
func (s state) moved(in ask, theirs bool) state {
	from, by := s.status, nameOf(in.actor)
	if in.to == task.Done && !in.human && s.holder == "" && from != task.InReview {
		s = s.taken(in.actor)
	}
	sentBack := from == task.InReview && (in.human || s.movedBy != by) // nobody returns a task to himself, but a human does
	switch {
	case !in.to.Closed() && (from.Closed() || sentBack):
		s.returned = true
	case in.to == task.Done, in.human && (in.to == task.InReview || in.to == task.Cancelled):
		s.returned = false
	}
	s.status, s.version, s.movedBy = in.to, s.version+1, ""
	if in.to == task.InReview || in.to == task.Done {
		s.movedBy = by
	}
	if in.to != task.InProgress && s.holder != "" {
		s.holder, s.ended = "", theirs
	}
	return s
}

// shown returns the fence in a record, which is that of the live claim.
func (s state) shown() int64 {
	if s.holder == "" {
		return 0
	}
	return s.fence
}

// project is all contended tasks.
type project [contended]state

// at returns a task's index among them.
func at(id string) int {
	n, err := strconv.Atoi(strings.TrimPrefix(id, "demo-"))
	if err != nil || n < 1 || n > contended {
		panic(id + " is not one of the tasks")
	}
	return n - 1
}

// rivals reports whether an instance of the actor's name other than the holder of task i holds another task.
func (p project) rivals(in ask, i int) bool {
	for j, s := range p {
		if j != i && s.holder != in.actor && s.holder != p[i].holder && nameOf(s.holder) == in.actor {
			return true
		}
	}
	return false
}

// together is the model of a whole project. Its histories must be short: every order of all operations counts.
var together = porcupine.Model{
	Init: func() any {
		var p project
		for i := range p {
			p[i] = state{status: task.Open, version: 1}
		}
		return p
	},
	Step: func(s, in, out any) (bool, any) {
		p, a := s.(project), in.(ask)
		i := at(a.task)
		var want answer
		want, p[i] = p[i].step(a, func() bool { return p.rivals(a, i) })
		return want == out.(answer), p
	},
	DescribeOperation: func(in, out any) string { return fmt.Sprintf("%+v: %+v", in, out) },
}

// apart is the model of independent tasks, for histories in which no answer depends on another task.
var apart = porcupine.Model{
	Partition: func(history []porcupine.Operation) [][]porcupine.Operation {
		var parts [contended][]porcupine.Operation
		for _, op := range history {
			i := at(op.Input.(ask).task)
			parts[i] = append(parts[i], op)
		}
		return slices.DeleteFunc(parts[:], func(part []porcupine.Operation) bool { return len(part) == 0 })
	},
	Init: func() any { return state{status: task.Open, version: 1} },
	Step: func(s, in, out any) (bool, any) {
		want, after := s.(state).step(in.(ask), func() bool { panic(fmt.Sprintf("the answer to %+v depends on other tasks", in)) })
		return want == out.(answer), after
	},
	DescribeOperation: together.DescribeOperation,
}

// linear checks a history, and prints it if no order explains it.
func (w *world) linear(model porcupine.Model, history []porcupine.Operation) {
	w.Helper()
	began := time.Now()
	result, info := porcupine.CheckOperationsVerbose(model, history, patience)
	ends := map[string]int{}
	for _, op := range history {
		ends[op.Output.(answer).how]++
	}
	w.Logf("%d operations, %v, checked in %s", len(history), ends, time.Since(began).Round(time.Millisecond))
	if ends[done] == 0 || ends[declined] == 0 || ends[conflict] == 0 {
		w.Errorf("the clients did not compete: %v", ends)
	}
	if result == porcupine.Ok {
		return
	}
	parts, of := [][]porcupine.Operation{history}, func([]porcupine.Operation) string { return "all tasks" }
	if model.Partition != nil {
		parts, of = model.Partition(history), func(part []porcupine.Operation) string { return part[0].Input.(ask).task }
	}
	for i, part := range parts {
		longest := 0
		for _, chain := range info.PartialLinearizations()[i] {
			longest = max(longest, len(chain))
		}
		if longest == len(part) {
			continue
		}
		w.Logf("%s: %d of %d operations can be put in order", of(part), longest, len(part))
		for _, op := range part {
			w.Logf("  %10d to %10d: %+v: %+v", op.Call, op.Return, op.Input, op.Output)
		}
	}
	w.Errorf("the history is %s: no order of its operations explains the answers", result)
}

// A checker that accepts everything would make the tests below worthless.
func TestTheModelFindsHistoriesThatCannotBe(t *testing.T) {
	op := func(call, end int64, in ask, out answer) porcupine.Operation {
		in.task = "demo-1"
		return porcupine.Operation{Input: in, Output: out, Call: call, Return: end}
	}
	first := op(1, 2, ask{do: doClaim, actor: "a"}, answer{how: done, version: 2, holder: "a", fence: 1})
	edited := answer{how: done, status: task.InProgress, version: 3, holder: "a", fence: 1}
	closed := answer{how: done, from: task.InProgress, status: task.Done, version: 3}
	for name, c := range map[string]struct {
		good bool
		then []porcupine.Operation
	}{
		"one claim":    {true, nil},
		"a second":     {true, []porcupine.Operation{op(3, 4, ask{do: doClaim, actor: "b"}, answer{how: declined})}},
		"two holders":  {false, []porcupine.Operation{op(3, 4, ask{do: doClaim, actor: "b"}, answer{how: done, version: 2, holder: "b", fence: 1})}},
		"at once":      {false, []porcupine.Operation{op(1, 4, ask{do: doClaim, actor: "b"}, answer{how: done, version: 2, holder: "b", fence: 2})}},
		"own name":     {false, []porcupine.Operation{op(3, 4, ask{do: doClaim, actor: "a"}, answer{how: done, version: 2, holder: "a", fence: 1})}},
		"an old read":  {false, []porcupine.Operation{op(3, 4, ask{do: doShow}, answer{how: done, status: task.Open, version: 1})}},
		"read at once": {true, []porcupine.Operation{op(1, 4, ask{do: doShow}, answer{how: done, status: task.Open, version: 1})}},
		"old version":  {false, []porcupine.Operation{op(3, 4, ask{do: doEdit, actor: "b", version: 1}, edited)}},
		"lost update": {false, []porcupine.Operation{
			op(3, 4, ask{do: doEdit, actor: "b", version: 2}, edited), op(3, 4, ask{do: doEdit, actor: "a", version: 2}, edited),
		}},
		"one update": {true, []porcupine.Operation{
			op(3, 4, ask{do: doEdit, actor: "b", version: 2}, edited), op(3, 4, ask{do: doEdit, actor: "a", version: 2}, answer{how: conflict}),
		}},
		"foreign agent": {false, []porcupine.Operation{op(3, 4, ask{do: doMove, actor: "b", to: task.Done}, closed)}},
		"human": {true, []porcupine.Operation{
			op(3, 4, ask{do: doMove, actor: "b", human: true, to: task.Done}, closed),
			op(5, 6, ask{do: doMove, actor: "a", fence: 1, to: task.Done}, answer{how: conflict}),
		}},
		"an instance works":  {true, []porcupine.Operation{op(3, 4, ask{do: doMove, actor: "a/1", to: task.Done}, closed)}},
		"an instance stops":  {false, []porcupine.Operation{op(3, 4, ask{do: doMove, actor: "a/1", to: task.Done}, answer{how: declined})}},
		"an instance renews": {false, []porcupine.Operation{op(3, 4, ask{do: doClaim, actor: "a/1", fence: 1}, first.Output.(answer))}},
	} {
		if got := porcupine.CheckOperations(together, append([]porcupine.Operation{first}, c.then...)); got != c.good {
			t.Errorf("%s: linearizable is %t", name, got)
		}
	}
}

// The model knows what an agent closes and cancels, and what it leaves to others.
func TestTheModelKnowsWhatAnAgentCloses(t *testing.T) {
	agent := func(actor string, to task.Status) ask { return ask{do: doMove, actor: actor, to: to} }
	human := func(to task.Status) ask { return ask{do: doMove, actor: "h", human: true, to: to} }
	claim := ask{do: doClaim, actor: "a"}
	shown := ask{do: doProve, actor: "b"}
	review := []ask{claim, agent("a", task.InReview)}
	closed := []ask{claim, agent("a", task.Done)}
	returned := append(slices.Clone(review), human(task.Open))
	for name, c := range map[string]struct {
		before []ask
		in     ask
		want   string
	}{
		"unheld":                       {nil, agent("b", task.Done), done},
		"its own":                      {[]ask{claim}, agent("a", task.Done), done},
		"another's":                    {[]ask{claim}, agent("b", task.Done), declined},
		"unheld in progress":           {[]ask{agent("a", task.InProgress)}, agent("b", task.Done), done},
		"its own review":               {review, agent("a", task.Done), done},
		"another instance's review":    {review, agent("a/1", task.Done), done},
		"another's review":             {review, agent("b", task.Done), declined},
		"another's review, human":      {review, human(task.Done), done},
		"a human's review":             {[]ask{human(task.InReview)}, agent("a", task.Done), declined},
		"closed by itself":             {closed, agent("a", task.Done), done},
		"closed by another":            {closed, agent("b", task.Done), declined},
		"closed by another, human":     {closed, human(task.Done), done},
		"cancelled":                    {[]ask{agent("a", task.Cancelled)}, agent("a", task.Done), declined},
		"cancelled, human":             {[]ask{agent("a", task.Cancelled)}, human(task.Done), done},
		"returned":                     {returned, agent("a", task.Done), declined},
		"returned, to another":         {returned, agent("b", task.Done), declined},
		"returned and claimed":         {append(slices.Clone(returned), claim), agent("a", task.Done), declined},
		"returned and reviewed":        {append(slices.Clone(returned), agent("a", task.InReview)), agent("a", task.Done), declined},
		"returned and shown":           {append(slices.Clone(returned), shown), agent("a", task.Done), done},
		"returned, human":              {returned, human(task.Done), done},
		"returned by another agent":    {append(slices.Clone(review), agent("b", task.Open)), agent("a", task.Done), declined},
		"withdrawn":                    {append(slices.Clone(review), agent("a/1", task.Open)), agent("a", task.Done), done},
		"returned to himself":          {[]ask{human(task.InReview), human(task.Open)}, agent("a", task.Done), declined},
		"returned, then done once":     {append(slices.Clone(returned), human(task.Done), human(task.Open)), agent("a", task.Done), declined},
		"reopened and shown":           {append(slices.Clone(closed), human(task.Open), shown), agent("a", task.Done), done},
		"reopened by itself":           {append(slices.Clone(closed), agent("a", task.Open)), agent("a", task.Done), declined},
		"reopened, human":              {append(slices.Clone(closed), agent("a", task.Open)), human(task.Done), done},
		"cancels what nobody holds":    {nil, agent("b", task.Cancelled), done},
		"cancels its own":              {[]ask{claim}, agent("a", task.Cancelled), done},
		"cancels another's":            {[]ask{claim}, agent("b", task.Cancelled), declined},
		"cancels its own review":       {review, agent("a", task.Cancelled), declined},
		"cancels what it closed":       {closed, agent("a", task.Cancelled), declined},
		"cancels what is cancelled":    {[]ask{agent("a", task.Cancelled)}, agent("b", task.Cancelled), done},
		"cancels what was returned":    {returned, agent("b", task.Cancelled), done},
		"cancels a review, human":      {review, human(task.Cancelled), done},
		"cancels what is done, human":  {closed, human(task.Cancelled), done},
		"reopens another's, and again": {append(slices.Clone(closed), agent("b", task.InReview)), agent("b", task.Done), declined},
	} {
		s := state{status: task.Open, version: 1}
		alone := func() bool { return false }
		var out answer
		for _, in := range c.before {
			if out, s = s.step(in, alone); out.how != done {
				t.Fatalf("%s: %+v is %s", name, in, out.how)
			}
		}
		out, after := s.step(c.in, alone)
		if out.how != c.want {
			t.Errorf("%s: it is %s, not %s", name, out.how, c.want)
		}
		if out.how == declined && after != s {
			t.Errorf("%s: a refusal makes %+v of %+v", name, after, s)
		}
	}
}

// An agent that closes what nobody holds has claimed it: its version grows by one, and so does the fence.
func TestTheModelClaimsWhatAnAgentCloses(t *testing.T) {
	for name, c := range map[string]struct {
		in    ask
		fence int64
		plain string
	}{
		"an agent":    {ask{do: doMove, actor: "a", to: task.Done}, 1, " a"},
		"an instance": {ask{do: doMove, actor: "a/1", to: task.Done}, 1, ""},
		"a human":     {ask{do: doMove, actor: "h", human: true, to: task.Done}, 0, ""},
		"to review":   {ask{do: doMove, actor: "a", to: task.InReview}, 0, ""},
	} {
		_, s := state{status: task.Open, version: 1}.step(c.in, nil)
		if s.version != 2 || s.fence != c.fence || s.holder != "" || s.ended || s.plain != c.plain {
			t.Errorf("%s leaves %+v", name, s)
		}
	}
}

// The model knows when a shell acts for an instance, and when it does not.
func TestTheModelKnowsForWhomAShellActs(t *testing.T) {
	claim := func(id, actor string, version, fence int64) porcupine.Operation {
		return porcupine.Operation{Input: ask{do: doClaim, task: id, actor: actor},
			Output: answer{how: done, version: version, holder: actor, fence: fence}}
	}
	release := func(in ask, how string) porcupine.Operation {
		in.do, in.task = doRelease, "demo-1"
		out := answer{how: how}
		if how == done {
			out.holder = "a/1"
		}
		return porcupine.Operation{Input: in, Output: out}
	}
	for name, c := range map[string]struct {
		how  string // the only possible answer
		in   ask
		then []porcupine.Operation // after the claim of demo-1 by a/1
	}{
		"the only one":     {how: done, in: ask{actor: "a", shell: true}},
		"no shell":         {how: declined, in: ask{actor: "a"}},
		"no shell, fence":  {how: declined, in: ask{actor: "a", fence: 2}},
		"another name":     {how: declined, in: ask{actor: "b", shell: true}},
		"another instance": {how: declined, in: ask{actor: "a/2", shell: true}},
		"its second task":  {how: done, in: ask{actor: "a", shell: true}, then: []porcupine.Operation{claim("demo-2", "a/1", 2, 1)}},
		"one of two":       {how: declined, in: ask{actor: "a", shell: true}, then: []porcupine.Operation{claim("demo-2", "a/2", 2, 1)}},
		"two, and fence":   {how: done, in: ask{actor: "a", shell: true, fence: 2}, then: []porcupine.Operation{claim("demo-2", "a/2", 2, 1)}},
		"two names":        {how: done, in: ask{actor: "a", shell: true}, then: []porcupine.Operation{claim("demo-2", "b/2", 2, 1)}},
		"itself elsewhere": {how: done, in: ask{actor: "a", shell: true}, then: []porcupine.Operation{claim("demo-2", "a", 2, 1)}},
	} {
		for _, before := range []string{"b", "a"} {
			want := c.how
			if before == "a" && c.in.actor == "a" && c.in.fence == 0 {
				want = declined // the instance may be its successor
			}
			for _, how := range []string{done, declined} {
				history := []porcupine.Operation{claim("demo-1", before, 2, 1),
					{Input: ask{do: doRelease, task: "demo-1", actor: before}, Output: answer{how: done, holder: before}}, claim("demo-1", "a/1", 4, 2)}
				history = append(append(history, c.then...), release(c.in, how))
				for i := range history {
					history[i].Call, history[i].Return = int64(2*i), int64(2*i+1)
				}
				if got := porcupine.CheckOperations(together, history); got != (how == want) {
					t.Errorf("%s, after %s: the outcome %s is possible: %t", name, before, how, got)
				}
			}
		}
	}
}
