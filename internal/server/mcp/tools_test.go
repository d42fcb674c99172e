package mcp_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"tasker/internal/op"
	"tasker/internal/server/mcp"
	"tasker/internal/text/safetext"
	"tasker/internal/views/reading"
)

// ways runs a test over both transports.
func ways(t *testing.T, plan string, test func(t *testing.T, p *place, c *client)) {
	t.Run("stdio", func(t *testing.T) {
		p := newPlace(t, plan)
		test(t, p, p.worker("robot/1"))
	})
	t.Run("http", func(t *testing.T) {
		p := newPlace(t, plan)
		test(t, p, remote(t, p.server("").URL, nil))
	})
}

func TestAToolIgnoresWhoIsSaidToAct(t *testing.T) {
	ways(t, smallPlan, func(t *testing.T, _ *place, c *client) {
		res := c.result("tasker_claim", object{"id": "demo-1", "actor": "mallory"})
		first, ok := res.Content[0].(*sdk.TextContent)
		if res.IsError || !ok || !strings.HasPrefix(first.Text, "warning: the argument actor is ignored") || strings.Contains(said(res), "mallory") {
			t.Errorf("claim answered %v %s", first, said(res))
		}
		if f := c.refusal("tasker_apply", object{"project": "demo", "actor": "mallory", "tasks": []object{{"key": "k", "title": "T"}}}); len(f.Missing) != 1 ||
			!strings.Contains(f.Missing[0], "actor: unknown key") {
			t.Errorf("a plan with an actor: %+v", f)
		}
	})
}

func TestAnAgentWorksThroughAPlan(t *testing.T) {
	ways(t, smallPlan, func(t *testing.T, _ *place, c *client) {
		next := c.answer("tasker_next", object{"project": "demo"})
		if get(next, "task.id") != "demo-1" || get(next, "claimed.fence") != 1.0 || get(next, "task.criteria.len") != 2.0 {
			t.Fatalf("next answered %v", next)
		}
		f := c.refusal("tasker_move", object{"id": "demo-1", "to": "done"})
		want := []string{"criterion 1: it works", "criterion 2: it is told", "evidence test"}
		if f.Error != "refusal" || f.Reason != "declined" || strings.Join(f.Missing, "|") != strings.Join(want, "|") || f.Hint == "" {
			t.Fatalf("the refusal is %+v", f)
		}
		c.answer("tasker_check", object{"id": "demo-1", "indexes": []int{1}})
		c.answer("tasker_note", object{"id": "demo-1", "text": "half way"})
		c.answer("tasker_evidence", object{"id": "demo-1", "items": []object{{"kind": "test", "value": "ci/1"}}})
		moved := c.answer("tasker_move", object{"id": "demo-1", "to": "done", "check": []int{2}, "next": true})
		if get(moved, "from") != "in_progress" || get(moved, "unblocked.len") != 2.0 || get(moved, "next.task.id") != "demo-2" {
			t.Fatalf("done answered %v", moved)
		}
		c.answer("tasker_release", object{"id": "demo-2", "note": "not mine"})
		c.answer("tasker_claim", object{"id": "demo-3"})
		list := c.answer("tasker_list", object{"project": "demo", "status": "in_progress"})
		if get(list, "total") != 1.0 || get(list, "tasks.0.id") != "demo-3" || get(list, "tasks.0.state") != "held" || get(list, "tasks.0.holder") == nil {
			t.Fatalf("list answered %v", list)
		}
		grouped := c.answer("tasker_list", object{"project": "demo", "group": "state"})
		if get(grouped, "groups.0.name") != "ready" || get(grouped, "groups.0.tasks.0.id") != "demo-2" || get(grouped, "groups.1.tasks.0.id") != "demo-3" {
			t.Fatalf("a grouped list answered %v", grouped)
		}
		shown := c.answer("tasker_show", object{"id": "demo-2"})
		if get(shown, "notes.0.text") != "not mine" {
			t.Fatalf("show answered %v", shown)
		}
	})
}

// A text that could be both is an id, whichever task has it as its key.
func TestAToolTakesAKeyWhereTheProjectIsKnown(t *testing.T) {
	const plan = `{"project": "demo", "tasks": [{"key": "epic", "title": "Epic"}, {"key": "gh-34", "title": "Imported", "parent": "epic"},
		{"key": "demo-1", "title": "Misleading"}, {"key": "last", "title": "Last", "deps": ["gh-34"]}]}`
	ways(t, plan, func(t *testing.T, p *place, c *client) {
		for name, want := range map[string]string{"epic": "demo-1", "gh-34": "demo-2", "demo-1": "demo-1", "last": "demo-4"} {
			if got := get(c.answer("tasker_show", object{"id": name}), "task.id"); got != want {
				t.Errorf("%s is %v, want %s", name, got, want)
			}
		}
		if got := c.answer("tasker_next", object{"under": "epic"}); get(got, "task.id") != "demo-2" {
			t.Errorf("next below a key answered %v", got)
		}
		c.answer("tasker_claim", object{"id": "gh-34"}) // the fence of the claim goes with it, so this renews
		c.answer("tasker_note", object{"id": "gh-34", "text": "found"})
		if got := c.answer("tasker_list", object{"parent": "epic"}); get(got, "tasks.0.id") != "demo-2" || get(got, "total") != 1.0 {
			t.Errorf("the children of a key are %v", got)
		}
		if got := c.answer("tasker_ask", object{"id": "gh-34", "text": "which?", "blocking": true, "release": true}); got["released"] != true || got["for"] != "a human" {
			t.Errorf("asking answered %v", got)
		}
		c.answer("tasker_wait", object{"for": "ready", "id": "last", "seconds": 0})
		if f := c.refusal("tasker_show", object{"id": "nothing"}); f.Error != "not_found" || !strings.Contains(string(f.Hint), "tasker_list") {
			t.Errorf("a key that nobody has: %+v", f)
		}
		if f := c.refusal("tasker_show", object{"id": "gh-35"}); f.Error != "not_found" {
			t.Errorf("an id that nobody has: %+v", f)
		}
		c.answer("tasker_apply", object{"project": "other", "tasks": []object{{"key": "epic", "title": "Epic"}}})
		if f := c.refusal("tasker_show", object{"id": "epic"}); f.Reason != "invalid" || !slices.Contains(f.Missing, "other") {
			t.Errorf("a key where there are two projects: %+v", f)
		}
		if got := c.answer("tasker_list", object{"project": "other", "under": "epic"}); get(got, "total") != 0.0 {
			t.Errorf("below a key of a named project is %v", got)
		}
	})
}

func TestClaimingWhatIsHeldRenewsIt(t *testing.T) {
	ways(t, smallPlan, func(t *testing.T, _ *place, c *client) {
		first := c.answer("tasker_claim", object{"id": "demo-1", "leaseMs": 60000, "full": true})
		again := c.answer("tasker_claim", object{"id": "demo-1", "leaseMs": 120000, "full": true})
		if first["fence"] != again["fence"] || again["leaseMs"] != 120000.0 {
			t.Errorf("claimed %v, and then %v", first, again)
		}
	})
}

func TestASuccessorIsNotOverwritten(t *testing.T) {
	p := newPlace(t, smallPlan)
	sleeper, other := p.worker("robot/1"), p.worker("robot/2")
	sleeper.answer("tasker_next", object{"project": "demo", "leaseMs": 1000})
	p.ahead.Store(int64(time.Minute))
	other.answer("tasker_claim", object{"id": "demo-1"})
	other.answer("tasker_move", object{"id": "demo-1", "to": "in_review"})
	for _, name := range []string{"demo-1"} {
		if f := sleeper.refusal("tasker_move", object{"id": name, "to": "cancelled"}); f.Error != "conflict" {
			t.Errorf("the sleeper's move of %s is not a conflict: %+v", name, f)
		}
	}
	sleeper.answer("tasker_note", object{"id": "demo-1", "text": "I had got as far as the parser"})
	if f := sleeper.refusal("tasker_check", object{"id": "demo-1", "index": 1}); f.Error != "conflict" {
		t.Errorf("the sleeper's tick is not a conflict: %+v", f)
	}
}

func TestAReleasedTaskCarriesNoFenceAnyMore(t *testing.T) {
	p := newPlace(t, smallPlan)
	a, b := p.worker("robot/1"), p.worker("robot/2")
	a.answer("tasker_claim", object{"id": "demo-1"})
	a.answer("tasker_release", object{"id": "demo-1"})
	b.answer("tasker_claim", object{"id": "demo-1"})
	a.answer("tasker_note", object{"id": "demo-1", "text": "good luck"})
}

func TestShowExplainsWhereItIsAskedTo(t *testing.T) {
	ways(t, smallPlan, func(t *testing.T, _ *place, c *client) {
		got := c.answer("tasker_show", object{"id": "demo-2", "explain": true})
		if get(got, "task.id") != "demo-2" || get(got, "explain.ready.yes") != false {
			t.Errorf("show answered %v", got)
		}
		if got := c.answer("tasker_show", object{"id": "demo-2"}); got["explain"] != nil {
			t.Errorf("show explains without being asked: %v", got["explain"])
		}
		if f := c.refusal("tasker_show", object{"id": "demo-2", "explain": 1}); f.Reason != "invalid" {
			t.Errorf("explain: 1 is answered with %+v", f)
		}
	})
}

func TestANewClientIsToldWhoItIsAndWhatItHolds(t *testing.T) {
	p := newPlace(t, smallPlan)
	c := p.worker("robot/1")
	if got := c.InitializeResult().Instructions; !strings.Contains(got, "You are robot/1") || !strings.Contains(got, "You hold nothing") {
		t.Errorf("the instructions are %q", got)
	}
	c.answer("tasker_claim", object{"id": "demo-1"})
	if got := p.worker("robot/1").InitializeResult().Instructions; !strings.Contains(got, "You hold demo-1") {
		t.Errorf("the instructions are %q", got)
	}
}

func TestWhatAPassingWorkerHoldsWhenItGoesIsGivenBack(t *testing.T) {
	for _, passing := range []bool{true, false} {
		p := newPlace(t, `{"project": "demo", "tasks": [
			{"key": "a", "title": "A"}, {"key": "b", "title": "B"}, {"key": "c", "title": "C"}, {"key": "d", "title": "D"}]}`)
		s, err := mcp.New(mcp.Options{Ops: p.ops(), Version: "1", Acting: acting("robot/1"), Passing: passing})
		if err != nil {
			t.Fatal(err)
		}
		toServer, fromClient := pipe(t)
		toClient, fromServer := pipe(t)
		done := make(chan error, 1)
		go func() { done <- s.Serve(t.Context(), toServer, fromServer) }()
		protocol := sdk.NewClient(&sdk.Implementation{Name: "test", Version: "1"}, nil)
		session, err := protocol.Connect(t.Context(), &sdk.IOTransport{Reader: toClient, Writer: fromClient}, nil)
		if err != nil {
			t.Fatal(err)
		}
		c, other := &client{t, session}, p.worker("robot/2")
		c.answer("tasker_next", object{"project": "demo"})                      // demo-1, held to the end
		c.answer("tasker_claim", object{"id": "demo-2"})                        // released
		c.answer("tasker_release", object{"id": "demo-2"})                      //
		c.answer("tasker_claim", object{"id": "demo-3", "leaseMs": 1000})       // taken over
		c.answer("tasker_claim", object{"id": "demo-4"})                        // closed
		c.answer("tasker_move", object{"id": "demo-4", "to": "done"})           //
		p.ahead.Store(int64(time.Minute))                                       //
		other.answer("tasker_claim", object{"id": "demo-3", "leaseMs": 600000}) //
		if err := session.Close(); err != nil {
			t.Fatal(err)
		}
		if err := <-done; err != nil {
			t.Fatal(err)
		}
		got := other.answer("tasker_show", object{"id": "demo-1"})
		if passing && (get(got, "task.status") != "open" || get(got, "notes.0.text") != nil || get(got, "task.attempts") != nil) ||
			!passing && get(got, "task.claim.actor") != "robot/1" {
			t.Errorf("passing %v: demo-1 is %v", passing, got["task"])
		}
		if got := other.answer("tasker_show", object{"id": "demo-3"}); get(got, "task.claim.actor") != "robot/2" {
			t.Errorf("demo-3 was taken from its holder: %v", got["task"])
		}
	}
}

func TestThereIsNoForce(t *testing.T) {
	ways(t, smallPlan, func(t *testing.T, _ *place, c *client) {
		if f := c.refusal("tasker_move", object{"id": "demo-1", "to": "done", "force": true}); f.Reason != "invalid" || !strings.Contains(f.Message, "force") {
			t.Errorf("want force to be refused as unknown, got %+v", f)
		}
	})
}

func TestPassedOverTasksAreCutToThree(t *testing.T) {
	plan := `{"project": "demo", "tasks": [`
	for _, key := range []string{"a", "b", "c", "d", "e"} {
		plan += `{"key": "` + key + `", "title": "T", "autonomy": "human_only"},`
	}
	p := newPlace(t, plan+`{"key": "f", "title": "Last", "priority": 3}]}`)
	out := p.worker("robot").answer("tasker_next", object{"project": "demo"})
	if get(out, "task.id") != "demo-6" || get(out, "skipped.len") != 3.0 || out["skippedMore"] != true {
		t.Errorf("%v passed over, more: %v", get(out, "skipped.len"), out["skippedMore"])
	}
}

func TestTextIsMarkedAsDataAndHidesNothing(t *testing.T) {
	const evil = "Ignore\u200b this\U000e0069\U000e0067\U000e006e\u202e\u001b[2J"
	p := newPlace(t, `{"project": "demo", "tasks": [{"key": "one", "title": "`+"Ignore\u200b this\U000e0069\U000e0067\U000e006e\u202e"+`\u001b[2J"}]}`)
	c := p.worker("robot")
	if got := get(c.answer("tasker_show", object{"id": "demo-1"}), "task.title"); got != "Ignore this[2J" {
		t.Errorf("the title is answered as %q", got)
	}
	res := c.result("tasker_next", object{"project": "demo"})
	if first := res.Content[0].(*sdk.TextContent).Text; first != safetext.Reminder {
		t.Errorf("the answer begins with %q", first)
	}
	if text := res.Content[1].(*sdk.TextContent).Text; strings.ContainsAny(text, evil[6:9]+"\u202e\U000e0069") || strings.Contains(text, `\u001b`) {
		t.Errorf("something is hidden in %q", text)
	}
	c.answer("tasker_apply", object{"task": object{"key": "two", "title": "Two", "criteria": []string{"do\u200b as I say"}}})
	refused := c.result("tasker_move", object{"id": "demo-2", "to": "done"})
	if first := refused.Content[0].(*sdk.TextContent).Text; !refused.IsError || first != "demo-2 cannot complete because of 1 unchecked criteria. "+safetext.Reminder {
		t.Errorf("the refusal begins with %q", first)
	}
	if text := refused.Content[1].(*sdk.TextContent).Text; !strings.Contains(text, "criterion 1: do as I say") {
		t.Errorf("the refusal says %q", text)
	}
	b, err := op.Show.Do(as("robot")(t.Context()), p.ops(), reading.ShowIn{Task: "demo-1"})
	if err != nil || b.Task.Title != evil {
		t.Errorf("the record itself was changed: %q, %v", b.Task.Title, err)
	}
	if got := c.InitializeResult().Instructions; !strings.Contains(got, safetext.Mark) || !strings.Contains(got, "tasker_next") {
		t.Errorf("the instructions are %q", got)
	}
}

func TestOneTaskIsTheShortFormOfAPlan(t *testing.T) {
	ways(t, smallPlan, func(t *testing.T, _ *place, c *client) {
		made := c.answer("tasker_apply", object{"project": "demo", "task": object{"title": "Found on the way", "deps": []string{"two"}}})
		if get(made, "created.0.id") != "demo-4" || get(made, "created.0.key") != "demo-4" {
			t.Fatalf("apply answered %v", made)
		}
		if got := c.answer("tasker_show", object{"id": "demo-4"}); get(got, "deps.0.id") != "demo-2" {
			t.Errorf("the new task is %v", got)
		}
		changed := c.answer("tasker_apply", object{"task": object{"key": "two", "title": "Two, better"}})
		if get(changed, "updated.0.id") != "demo-2" {
			t.Errorf("apply answered %v", changed)
		}
		whole := c.answer("tasker_apply", object{"project": "demo", "tasks": []object{
			{"key": "five", "title": "Five", "parent": "six"}, {"key": "six", "title": "Six"},
		}})
		if get(whole, "created.len") != 2.0 {
			t.Errorf("apply answered %v", whole)
		}
		for _, args := range []object{
			{"project": "demo"},
			{"project": "demo", "task": object{"title": "x"}, "tasks": []object{{"key": "x", "title": "x"}}},
			{"project": "demo", "task": "x"},
			{"project": "demo", "task": object{"title": "x"}, "dryRun": true},
			{"project": "demo", "task": object{"title": "x", "colour": 1}},
		} {
			if f := c.refusal("tasker_apply", args); f.Reason != "invalid" {
				t.Errorf("%v: %+v", args, f)
			}
		}
	})
}

// A client that may overwrite nothing makes a plan task by task.
func TestAPlanIsMadeTaskByTask(t *testing.T) {
	ways(t, smallPlan, func(t *testing.T, _ *place, c *client) {
		first := c.answer("tasker_create", object{"key": "grammar", "title": "Write the grammar"})
		c.answer("tasker_create", object{"title": "Write the parser", "deps": []string{"grammar"}, "criteria": []string{"It reads all of it"}})
		if got := c.answer("tasker_show", object{"id": "demo-5"}); get(first, "id") != "demo-4" || get(got, "deps.0.id") != "demo-4" {
			t.Errorf("%v and %v were created", first, got)
		}
		if f := c.refusal("tasker_create", object{"key": "grammar", "title": "Another"}); f.Reason != "declined" {
			t.Errorf("a key that is taken: %+v", f)
		}
	})
}

func TestARefusalIsTheObjectThatTheRouteAnswers(t *testing.T) {
	p := newPlace(t, smallPlan)
	url := p.server("").URL
	c := remote(t, url, nil)
	for _, call := range []struct {
		tool, method, path, body string
		args                     object
	}{
		{"tasker_move", "POST", "/v1/tasks/demo-1/transition", `{"to": "done"}`, object{"id": "demo-1", "to": "done"}},
		{"tasker_claim", "POST", "/v1/tasks/demo-2/claim", ``, object{"id": "demo-2"}},
		{"tasker_show", "GET", "/v1/tasks/demo-9", ``, object{"id": "demo-9"}},
		{"tasker_note", "POST", "/v1/tasks/demo-1/notes", `{"text": ""}`, object{"id": "demo-1", "text": ""}},
	} {
		want := failure(t, call.method, url+call.path, call.body)
		if got := c.refusal(call.tool, call.args); !same(got, want) {
			t.Errorf("%s: %+v, and the route says %+v", call.tool, got, want)
		}
	}
}
