package task_test

import (
	"slices"
	"strings"
	"testing"

	"tasker/internal/fault"
	"tasker/internal/task"
)

var people = task.Policy{DeclaresHuman: true, Gates: map[string][]string{"tested": {"tests"}}}

// shell is a human that nobody named, in the shell of an agent.
var shell = task.Actor{Name: "alice", Human: true, Declared: true, Shell: "claude"}

func reviewed(by string) *task.Task {
	return with(open(), func(x *task.Task) { x.Status, x.ReviewBy, x.LastHolder = task.InReview, by, by })
}

// TestWhatAnAgentCloses walks the rules for closings by agents. A task without a line in missing is closed.
func TestWhatAnAgentCloses(t *testing.T) {
	two := &task.Task{ID: "demo-2", Title: "B", Status: task.Open}
	three := &task.Task{ID: "demo-3", Title: "C", Status: task.InProgress}
	four := &task.Task{ID: "demo-4", Title: "D", Status: task.Done}
	around := task.Standing{Deps: []*task.Task{two, four}, Parts: []*task.Task{three, four}, SentBack: task.SentBack{Event: 7, Why: "no test"}}
	waits := func(x *task.Task) { x.OpenDeps = 1 }
	supervised := people
	supervised.DefaultAutonomy = task.Supervised
	for name, c := range map[string]struct {
		t       *task.Task
		by      task.Actor
		p       task.Policy
		force   bool
		have    task.Standing
		missing string // joined by a bar
		claims  bool
	}{
		"open":                      {t: open(), claims: true},
		"unheld in progress":        {t: with(open(), func(x *task.Task) { x.Status = task.InProgress }), claims: true},
		"its lease lapsed":          {t: with(held(other), func(x *task.Task) { x.Claim.ExpiresAt = now - 1 }), claims: true},
		"held":                      {t: held(claude)},
		"waits":                     {t: with(open(), waits), have: around, missing: "dependency demo-2: B (open)"},
		"waits, unread":             {t: with(open(), waits), missing: "dependency: 1 open one"},
		"waits, forced":             {t: with(open(), waits), have: around, force: true, missing: "dependency demo-2: B (open)"},
		"held, reopened dependency": {t: with(held(claude), waits), have: around},
		"asked":                     {t: with(open(), func(x *task.Task) { x.Questions = 1 }), missing: "question: 1 open blocking one"},
		"part":                      {t: with(held(claude), func(x *task.Task) { x.Parts = 1 }), have: around, missing: "part demo-3: C (in_progress)"},
		"parts, unread":             {t: with(held(claude), func(x *task.Task) { x.Parts = 2 }), missing: "part: 2 open ones"},
		"supervised":                {t: with(held(claude), func(x *task.Task) { x.Autonomy = "supervised" }), missing: "supervised: a human closes it, from in_review"},
		"supervised by default":     {t: held(claude), p: supervised, missing: "supervised: a human closes it, from in_review"},
		"supervised by its ceiling": {t: open(), by: task.Actor{Name: "claude", Ceiling: task.Supervised}, missing: "supervised: a human closes it, from in_review"},
		"human_only":                {t: with(open(), func(x *task.Task) { x.Autonomy = "human_only" }), missing: "human_only"},
		"mayExecute":                {t: with(open(), func(x *task.Task) { x.MayExecute = []string{"lead", "qa"} }), missing: "mayExecute: one of lead, qa"},
		"returned":                  {t: with(held(claude), func(x *task.Task) { x.Returned = 7 }), have: around, missing: "returned: no test"},
		"returned, log pruned":      {t: with(held(claude), func(x *task.Task) { x.Returned = 7 }), missing: "returned: it was sent back from review"},
		"reopened": {
			t: with(held(claude), func(x *task.Task) { x.Returned = 7 }), have: task.Standing{SentBack: task.SentBack{Event: 7, Reopened: true, Why: "crashes"}},
			missing: "reopened: crashes",
		},
		"its own review":            {t: reviewed("claude/4")},
		"another's review":          {t: reviewed("codex"), missing: "in_review: codex moved it there"},
		"a detour by review":        {t: with(reviewed("claude/3"), waits), have: around, missing: "dependency demo-2: B (open)"},
		"a detour by done":          {t: with(open(), func(x *task.Task) { x.Status, x.ClosedBy, x.LastHolder, x.OpenDeps = task.Done, "claude", "claude", 1 }), have: around, missing: "dependency demo-2: B (open)"},
		"done by itself":            {t: with(open(), func(x *task.Task) { x.Status, x.ClosedBy = task.Done, "claude" })},
		"done by another":           {t: with(open(), func(x *task.Task) { x.Status, x.ClosedBy = task.Done, "codex" }), missing: "done: codex closed it"},
		"cancelled":                 {t: with(open(), func(x *task.Task) { x.Status = task.Cancelled }), missing: "cancelled: it has to be reopened first"},
		"the policy of record":      {t: held(claude), have: task.Standing{Record: []string{"note: x, by the policy of record"}}, force: true, missing: "note: x, by the policy of record"},
		"a human whom nobody named": {t: with(open(), waits), by: shell, have: around, missing: "dependency demo-2: B (open)"},
		"an actor nobody declares":  {t: with(open(), waits), by: ghost, have: around, missing: "dependency demo-2: B (open)"},
		"a human":                   {t: with(open(), func(x *task.Task) { x.OpenDeps, x.Parts, x.Returned, x.Autonomy = 1, 1, 7, "supervised" }), by: alice, have: around},
		"no human is declared":      {t: with(open(), func(x *task.Task) { x.OpenDeps, x.Parts, x.Returned, x.Autonomy = 1, 1, 7, "supervised" }), p: task.Policy{LeaseMs: ptr(hour)}, have: around},
		"everything, in the fixed order": {
			t: with(open(), func(x *task.Task) {
				x.Criteria, x.Gate, x.Questions = []task.Criterion{{Index: 1, Text: "it works"}}, "tested", 1
				x.OpenDeps, x.Parts, x.Returned, x.Autonomy, x.MayExecute = 1, 1, 7, "supervised", []string{"lead"}
			}),
			have: task.Standing{
				Deps: around.Deps, Parts: around.Parts, SentBack: around.SentBack, Questions: []task.Question{{ID: 9, Text: "which?", Blocking: true}},
				Record: []string{"evidence review, by the policy of record"},
			},
			missing: "criterion 1: it works|evidence tests|question 9: which?|evidence review, by the policy of record|dependency demo-2: B (open)|" +
				"mayExecute: one of lead|part demo-3: C (in_progress)|supervised: a human closes it, from in_review|returned: no test",
		},
	} {
		t.Run(name, func(t *testing.T) {
			if c.by.Name == "" {
				c.by = claude
			}
			if c.p.LeaseMs == nil && !c.p.DeclaresHuman {
				c.p = people
			}
			before := *c.t
			got, err := c.t.MoveBy(c.by, c.p, task.Move{To: task.Done, Force: c.force}, c.have, now)
			if c.missing != "" {
				refused(t, err, fault.Declined)
				if missing := strings.Join(fault.Of(err).Missing, "|"); missing != c.missing {
					t.Errorf("missing %s, want %s", missing, c.missing)
				}
				return
			}
			passes(t, err)
			if got.After.Status != task.Done || got.After.Claim != nil || got.From != c.t.At(now).Status || got.After.Returned != 0 {
				t.Errorf("%+v", got.After)
			}
			if (got.Claimed != nil) != c.claims {
				t.Errorf("claimed: %+v", got.Claimed)
			}
			if c.claims && (got.Claimed.Claim.Actor != c.by.Full() || got.After.Fence != before.Fence+1 || got.After.LastHolder != c.by.Full() || got.After.FenceEnded) {
				t.Errorf("%+v, then %+v", got.Claimed, got.After)
			}
			// None of this is required of what happened elsewhere, and nothing is claimed.
			if got, err = c.t.MoveBy(c.by, c.p, task.Move{To: task.Done, Elsewhere: true}, c.have, now); err != nil || got.Claimed != nil {
				t.Errorf("elsewhere: %v %+v", err, got.Claimed)
			}
		})
	}
}

func TestARefusedClosingSaysWhatToDo(t *testing.T) {
	_, err := with(held(claude), func(x *task.Task) { x.Autonomy = "supervised" }).MoveBy(claude, people, task.Move{To: task.Done}, task.Standing{}, now)
	refused(t, err, fault.Declined, "demo-1 cannot complete because of its autonomy, which is supervised", "tasker review demo-1")
	_, err = with(open(), func(x *task.Task) {
		x.OpenDeps, x.Criteria = 2, []task.Criterion{{Index: 1, Text: "x"}}
	}).MoveBy(claude, people, task.Move{To: task.Done}, task.Standing{}, now)
	refused(t, err, fault.Declined, "demo-1 cannot complete because of 1 unchecked criteria", "tasker explain demo-1")
	_, err = with(open(), func(x *task.Task) { x.OpenDeps, x.Returned = 2, 7 }).MoveBy(claude, people, task.Move{To: task.Done}, task.Standing{}, now)
	refused(t, err, fault.Declined, "because of 2 open dependencies and its return from review", "do what the return asks for")
	asked := task.Standing{Questions: []task.Question{
		{ID: 8, Task: "demo-1", Text: "which?", Blocking: true, To: "codex"}, {ID: 9, Task: "demo-1", Text: "why?", Blocking: true},
		{ID: 10, Task: "demo-1", Text: "when?", Blocking: true, Actor: "bob", To: "claude"},
	}}
	_, err = with(held(claude), func(x *task.Task) { x.Questions = 3 }).MoveBy(claude, people, task.Move{To: task.Done}, asked, now)
	refused(t, err, fault.Declined, "3 open blocking questions", "have question 8 answered (tasker answer 8 TEXT)", "have question 9 answered (", "answer question 10 (")
}

// TestHowAWorkerEndsATask: the calls that a holder reads with its claim are those that close the task, or hand it over where
// a human closes or approves it.
func TestHowAWorkerEndsATask(t *testing.T) {
	p := people
	p.Gates = map[string][]string{"tested": {"tests"}, "run": {"$ make test"}, "both": {"$ make test", "tests"}}
	p.Humans = []task.Actor{alice}
	strict, asking := p, p
	strict.RequireNoteOnDone, asking.RequireApproval = true, []task.Requirement{{}}
	lenient := p
	lenient.DeclaresHuman, lenient.Humans = false, nil
	two := []task.Criterion{{Index: 1, Text: "a"}, {Index: 2, Text: "b", Checked: true}, {Index: 3, Text: "c"}}
	for name, c := range map[string]struct {
		p       *task.Policy
		edit    func(*task.Task)
		by      task.Actor
		unshown []int
		want    string
	}{
		"nothing asked":               {want: "tasker done demo-1 --next"},
		"criteria":                    {edit: func(x *task.Task) { x.Criteria = two }, want: "tasker done demo-1 --check 1,3 --next"},
		"typed evidence":              {edit: func(x *task.Task) { x.Gate = "tested" }, want: "tasker done demo-1 --evidence K=V --next"},
		"a command":                   {edit: func(x *task.Task) { x.Gate = "run" }, want: "tasker done demo-1 --prove --next"},
		"a command, and criteria":     {edit: func(x *task.Task) { x.Gate, x.Criteria = "run", two }, want: "tasker done demo-1 --prove --check 1,3 --next"},
		"a command does not show one": {edit: func(x *task.Task) { x.Gate, x.Criteria = "run", two }, unshown: []int{3}, want: "tasker prove demo-1, then tasker done demo-1 --check 1,3 --next"},
		"a command that is reviewed":  {edit: func(x *task.Task) { x.Gate, x.Criteria, x.Autonomy = "run", two, "supervised" }, want: "tasker prove demo-1 --check 1,3, then tasker review demo-1 --next; alice closes it"},
		"a criterion is a command": {edit: func(x *task.Task) {
			x.Gate, x.Criteria = "run", append(two[:2:2], task.Criterion{Index: 3, Text: "$ make lint"})
		},
			want: "tasker prove demo-1 --check 3 --line 'make lint', then tasker done demo-1 --prove --check 1 --next"},
		"both":                        {edit: func(x *task.Task) { x.Gate = "both" }, want: "tasker done demo-1 --prove --evidence K=V --next"},
		"a gate of nobody":            {edit: func(x *task.Task) { x.Gate = "no" }, want: ""},
		"a note":                      {p: &strict, want: "tasker done demo-1 --note TEXT --next"},
		"supervised":                  {edit: func(x *task.Task) { x.Autonomy = "supervised" }, want: "tasker review demo-1 --next; alice closes it"},
		"supervised, a human":         {edit: func(x *task.Task) { x.Autonomy = "supervised" }, by: alice, want: "tasker done demo-1 --next"},
		"supervised, nobody declared": {p: &lenient, edit: func(x *task.Task) { x.Autonomy = "supervised" }, want: "tasker done demo-1 --next"},
		"an approval":                 {p: &asking, want: "tasker review demo-1 --next; alice approves it"},
	} {
		x, by, rules := held(claude), c.by, c.p
		if c.edit != nil {
			x = with(x, c.edit)
		}
		if by.Name == "" {
			by = claude
		}
		if rules == nil {
			rules = &p
		}
		got := x.ObstaclesFor(by, *rules, task.Standing{Unshown: c.unshown}).Ending(x.ID, *rules).In(fault.Call.String)
		if got != c.want {
			t.Errorf("%s: %q, not %q", name, got, c.want)
		}
	}
}

// TestARefusalNamesTheOneCallThatCloses: it names done --prove only where that call closes the task.
func TestARefusalNamesTheOneCallThatCloses(t *testing.T) {
	p := people
	p.Gates = map[string][]string{"run": {"$ make test"}, "both": {"$ make test", "tests"}}
	strict := p
	strict.RequireNoteOnDone = true
	criteria := []task.Criterion{{Index: 1, Text: "a"}, {Index: 2, Text: "b"}}
	const closes = "prove and close it (tasker done demo-1 --prove"
	for name, c := range map[string]struct {
		edit    func(*task.Task)
		p       *task.Policy
		unshown []int
		want    string
	}{
		"a run":                {want: closes + ")"},
		"a run and ticks":      {edit: func(x *task.Task) { x.Criteria = criteria }, want: "once each criterion is true, " + closes + " --check 1,2)"},
		"a tick of its own":    {edit: func(x *task.Task) { x.Criteria = criteria }, unshown: []int{2}, want: "run what the gate asks for (tasker prove demo-1)"},
		"a command to tick by": {edit: func(x *task.Task) { x.Criteria = []task.Criterion{{Index: 1, Text: "$ make lint"}} }, want: "run what the gate asks for (tasker prove demo-1)"},
		"typed evidence too":   {edit: func(x *task.Task) { x.Gate = "both" }, want: "run what the gate asks for (tasker prove demo-1)"},
		"a note too":           {p: &strict, want: "run what the gate asks for (tasker prove demo-1)"},
		"supervised":           {edit: func(x *task.Task) { x.Autonomy = "supervised" }, want: "run what the gate asks for (tasker prove demo-1)"},
	} {
		x, rules := with(held(claude), func(x *task.Task) { x.Gate = "run" }), &p
		if c.edit != nil {
			x = with(x, c.edit)
		}
		if c.p != nil {
			rules = c.p
		}
		_, err := x.MoveBy(claude, *rules, task.Move{To: task.Done}, task.Standing{Unshown: c.unshown}, now)
		if hint := fault.Of(err).Hint; !strings.Contains(hint, c.want) || strings.Contains(hint, "--prove") != strings.Contains(c.want, "--prove") {
			t.Errorf("%s: the hint is %q, and should have %q", name, hint, c.want)
		}
	}
}

func TestWhatAnAgentCancels(t *testing.T) {
	for name, c := range map[string]struct {
		t       *task.Task
		by      task.Actor
		p       task.Policy
		missing string
	}{
		"open":                 {t: open(), p: people},
		"held":                 {t: with(held(claude), func(x *task.Task) { x.OpenDeps, x.Questions = 1, 1 }), p: people},
		"waits":                {t: with(open(), func(x *task.Task) { x.OpenDeps = 1 }), p: people, missing: "dependency: 1 open one"},
		"asked":                {t: with(open(), func(x *task.Task) { x.Questions = 1 }), p: people, missing: "question: 1 open blocking one"},
		"its own review":       {t: reviewed("claude/3"), p: people, missing: "in_review: it waits for a reviewer"},
		"done":                 {t: with(open(), func(x *task.Task) { x.Status, x.ClosedBy = task.Done, "claude/3" }), p: people, missing: "done: it is finished"},
		"gate":                 {t: with(held(claude), func(x *task.Task) { x.Gate = "tested" }), p: people, missing: "gate tested: an agent does not cancel what has one"},
		"supervised":           {t: with(held(claude), func(x *task.Task) { x.Autonomy = "supervised" }), p: people, missing: "supervised: a human closes it, from in_review"},
		"an open part":         {t: with(held(claude), func(x *task.Task) { x.Parts = 1 }), p: people, missing: "part: 1 open one"},
		"cancelled already":    {t: with(open(), func(x *task.Task) { x.Status, x.Gate = task.Cancelled, "tested" }), p: people},
		"nobody named":         {t: with(open(), func(x *task.Task) { x.Gate = "tested" }), by: shell, p: people, missing: "gate tested: an agent does not cancel what has one"},
		"a human":              {t: with(open(), func(x *task.Task) { x.Gate, x.OpenDeps, x.Parts, x.Autonomy = "tested", 1, 1, "supervised" }), by: alice, p: people},
		"no human is declared": {t: with(open(), func(x *task.Task) { x.Gate, x.OpenDeps, x.Autonomy = "tested", 1, "supervised" })},
	} {
		t.Run(name, func(t *testing.T) {
			if c.by.Name == "" {
				c.by = claude
			}
			got, err := c.t.MoveBy(c.by, c.p, task.Move{To: task.Cancelled, Force: true}, task.Standing{}, now)
			if c.missing == "" {
				if passes(t, err); got.After.Status != task.Cancelled || got.Claimed != nil {
					t.Errorf("%+v", got)
				}
				return
			}
			refused(t, err, fault.Declined, "not for "+c.by.Full()+" to cancel", "tasker ask demo-1")
			if !slices.Equal(fault.Of(err).Missing, []string{c.missing}) {
				t.Errorf("missing %q", fault.Of(err).Missing)
			}
		})
	}
}

// TestAReturnIsAnswered walks a task that was sent back: being done answers that, a detour does not.
func TestAReturnIsAnswered(t *testing.T) {
	review := with(reviewed("claude/3"), func(x *task.Task) { x.ApprovalEpoch = 4 })
	move := func(x *task.Task, by task.Actor, to task.Status) *task.Task {
		t.Helper()
		got, err := x.MoveBy(by, task.Policy{}, task.Move{To: to, Force: true}, task.Standing{}, now)
		passes(t, err)
		return got.After
	}
	back := move(review, alice, task.Open)
	if back.Returned != task.ThisEvent || back.SentBack != task.ThisEvent || back.ApprovalEpoch != 5 {
		t.Fatalf("a human's return is not kept, or approvals survive it: %+v", back)
	}
	if own := move(review, claude, task.InProgress); own.Returned != 0 || own.SentBack != 0 || own.ApprovalEpoch != 4 {
		t.Error("taking one's own task back from review is not a return")
	}
	if move(review, task.Actor{Name: "codex"}, task.Open).Returned == 0 {
		t.Error("another agent's return is one")
	}
	for _, way := range []*task.Task{
		move(move(back, claude, task.InReview), claude, task.Open), move(move(back, claude, task.Cancelled), claude, task.Open), move(back, claude, task.InProgress),
	} {
		if way.Returned == 0 {
			t.Errorf("a detour answers the return: %s", way.Status)
		}
	}
	for _, to := range []task.Status{task.InReview, task.Done} {
		if settled := move(back, alice, to); settled.Returned != 0 || settled.SentBack == 0 {
			t.Error("a human who takes it to review or closes it settles the return, which is remembered")
		}
	}
	for _, from := range []task.Status{task.Done, task.Cancelled} {
		for _, by := range []task.Actor{alice, claude} {
			opened := move(with(open(), func(x *task.Task) { x.Status = from }), by, task.Open)
			if opened.Returned != task.ThisEvent || opened.SentBack != task.ThisEvent {
				t.Errorf("what was %s is opened by %s, and asks for nothing newer", from, by.Name)
			}
		}
	}
}

// TestWhichTickAnswers ticks a criterion of a task that was sent back by event 7.
func TestWhichTickAnswers(t *testing.T) {
	for name, c := range map[string]struct {
		was     task.Criterion
		on      task.Basis
		answers bool
	}{
		"nothing":                 {},
		"older evidence":          {on: task.Basis{By: 6, Rests: task.RestsOnRun}},
		"newer evidence":          {on: task.Basis{By: 8, Rests: task.RestsOnRun}, answers: true},
		"the same was seen":       {on: task.Basis{Rests: task.RestsOnSeen, Note: "green", Again: true}},
		"something was seen":      {on: task.Seen("green"), answers: true},
		"the same, spaced anew":   {was: task.Criterion{Checked: true, Note: "all green"}, on: task.Seen("all  green ")},
		"something else was seen": {was: task.Criterion{Checked: true, Note: "green"}, on: task.Seen("the error path too"), answers: true},
	} {
		t.Run(name, func(t *testing.T) {
			c.was.Index, c.was.Text = 1, "works"
			back := with(held(claude), func(x *task.Task) { x.Returned, x.SentBack, x.Criteria = 7, 7, []task.Criterion{c.was} })
			after, _, err := back.Tick(claude, task.Policy{}, 1, nil, true, c.on, now)
			if passes(t, err); (after.Returned == 0) != c.answers {
				t.Errorf("the return is %d after the tick", after.Returned)
			}
		})
	}
}

func TestTicksFromBeforeAReopening(t *testing.T) {
	list := []task.Criterion{
		{Index: 1, Checked: true, By: 5, CheckedAt: now + 9}, {Index: 2, Checked: true, By: 9}, {Index: 3}, {Index: 4, Checked: true, CheckedAt: now},
		{Index: 5, Checked: true, CheckedAt: now + 1},
	}
	back := task.SentBack{Event: 7, At: now, Reopened: true}
	if got := back.Older(list).Words(); got != "criteria 1, 4 rest on what is from before the reopening" {
		t.Error(got)
	}
	if got := (task.SentBack{Event: 7, At: now}).Older(list[:1]).Words(); got != "criterion 1 rests on what is from before the return" {
		t.Error(got)
	}
	if got := (task.SentBack{}).Older(list); got != nil {
		t.Errorf("nothing was sent back: %v", got)
	}
}
