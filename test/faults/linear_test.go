package faults

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/anishathalye/porcupine"
	"github.com/go-json-experiment/json"

	"tasker/internal/app"
	"tasker/internal/app/services"
	"tasker/internal/bundle"
	"tasker/internal/config"
	"tasker/internal/core"
	"tasker/internal/fault"
	"tasker/internal/plan"
	"tasker/internal/planning"
	"tasker/internal/task"
	"tasker/internal/views/reading"
	"tasker/internal/work"
)

// contended is how many tasks all clients fight over.
const contended = 5

// carrier carries out a client's operation somewhere.
type carrier func(in ask) (answer, error)

// client is one of many, with its own way to the database.
type client struct {
	actor    string
	human    bool
	shell    bool
	abstains bool // it never claims
	carry    carrier
	acts     int
}

// history records what clients asked, what they were answered, and when.
type history struct {
	w     *world
	began time.Time
	mu    sync.Mutex
	ops   []porcupine.Operation
}

func (w *world) history() *history { return &history{w: w, began: time.Now()} }

// carry carries out the operation of client i, and reports whether there was an answer.
func (h *history) carry(i int, c client, in ask) (answer, bool) {
	in.actor, in.human, in.shell = c.actor, c.human, c.shell
	call := time.Since(h.began).Nanoseconds()
	out, err := c.carry(in)
	end := time.Since(h.began).Nanoseconds()
	if err != nil {
		h.w.Errorf("%+v: %v", in, err)
		return out, false
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.ops = append(h.ops, porcupine.Operation{ClientId: i, Input: in, Call: call, Output: out, Return: end})
	return out, true
}

// expect carries out one operation before the fight, and checks how it ends.
func (h *history) expect(how string, c client, in ask) {
	h.w.Helper()
	if got, ok := h.carry(0, c, in); !ok || got.how != how {
		h.w.Fatalf("%s %+v is %s, not %s", c.actor, in, got.how, how)
	}
}

// closings walks through the rules for closings by agents before the fight, which seldom meets all of them. It leaves the
// tasks open.
func (h *history) closings(carry carrier) {
	h.w.Helper()
	ann, bee := client{actor: "ann", human: true, carry: carry}, client{actor: "bee", carry: carry}
	bot, one := client{actor: "bot", carry: carry}, client{actor: "bot/1", carry: carry}
	move := func(how string, c client, id string, to task.Status) {
		h.w.Helper()
		h.expect(how, c, ask{do: doMove, task: id, to: to})
	}
	h.expect(done, bot, ask{do: doClaim, task: "demo-1"})
	move(done, bot, "demo-1", task.InReview)
	move(declined, bee, "demo-1", task.Done)
	move(declined, bot, "demo-1", task.Cancelled)
	move(done, ann, "demo-1", task.Open) // a return
	move(declined, bot, "demo-1", task.Done)
	h.expect(done, bot, ask{do: doClaim, task: "demo-1"})
	move(declined, bot, "demo-1", task.Done)
	move(done, bot, "demo-1", task.InReview)
	move(declined, bot, "demo-1", task.Done)
	h.expect(done, bee, ask{do: doProve, task: "demo-1"})
	move(done, one, "demo-1", task.Done)
	move(done, bot, "demo-1", task.Done)
	move(declined, bee, "demo-1", task.Done)
	move(declined, bot, "demo-1", task.Cancelled)
	move(done, bee, "demo-1", task.Open)
	move(declined, bee, "demo-1", task.Done) // whoever reopened it
	h.expect(done, bee, ask{do: doProve, task: "demo-1"})
	move(done, bee, "demo-1", task.Done) // claims it
	move(done, bee, "demo-1", task.Open)
	h.expect(done, bot, ask{do: doClaim, task: "demo-1"})
	h.expect(done, bot, ask{do: doRelease, task: "demo-1"})

	move(done, bot, "demo-2", task.InReview)
	move(done, one, "demo-2", task.InProgress) // withdrawn: no return
	move(done, bee, "demo-2", task.Done)
	move(done, bot, "demo-2", task.InReview)
	move(done, bee, "demo-2", task.Open) // a return by an agent
	move(declined, bot, "demo-2", task.Done)
	move(done, bee, "demo-2", task.Cancelled)
	move(declined, bee, "demo-2", task.Done)
	move(done, bee, "demo-2", task.Open)
	move(declined, bee, "demo-2", task.Done)
	move(done, ann, "demo-2", task.Cancelled) // a human settles it
	move(done, bee, "demo-2", task.Open)      // and an agent reopens it
	move(declined, bee, "demo-2", task.Done)
	h.expect(done, bee, ask{do: doProve, task: "demo-2"})
	move(done, bee, "demo-2", task.Done)
	move(done, ann, "demo-2", task.Open)

	move(done, ann, "demo-3", task.Done)
	move(declined, bot, "demo-3", task.Done)
	move(done, bot, "demo-3", task.Open)
	h.expect(done, bot, ask{do: doClaim, task: "demo-3"})
	move(declined, bee, "demo-3", task.Cancelled)
	move(done, one, "demo-3", task.Cancelled)
	move(done, bot, "demo-3", task.Open)
}

// fight lets all clients act at once.
func (h *history) fight(clients []client) {
	var all sync.WaitGroup
	start := make(chan struct{})
	for i, c := range clients {
		die := rand.New(rand.NewPCG(uint64(i), 2))
		all.Go(func() {
			seen, fences := map[string]int64{}, map[string]int64{}
			<-start
			for range c.acts {
				in := c.choose(die, seen, fences)
				out, ok := h.carry(i, c, in)
				if !ok {
					return
				}
				if out.version != 0 {
					seen[in.task] = out.version
				}
				if in.do == doClaim && out.how == done || c.abstains && out.fence != 0 {
					fences[in.task] = out.fence
				}
			}
		})
	}
	close(start)
	all.Wait()
}

// choose draws what to do next, from what the client has seen so far.
func (c client) choose(die *rand.Rand, seen, fences map[string]int64) ask {
	in := ask{task: fmt.Sprintf("demo-%d", 1+die.IntN(contended))}
	switch die.IntN(9) {
	case 0, 1, 2:
		if in.do = doClaim; c.abstains {
			in.do = doRelease
		}
	case 3:
		in.do = doRelease
	case 4, 5:
		in.do, in.to = doMove, task.Statuses[die.IntN(len(task.Statuses))]
	case 6:
		in.do = doEdit
	case 7:
		in.do = doProve
	default:
		in.do = doShow
		return in
	}
	if die.IntN(3) == 0 {
		in.fence = fences[in.task]
	}
	if (in.do == doMove || in.do == doEdit) && die.IntN(3) > 0 {
		in.version = seen[in.task]
	}
	return in
}

// record returns what an answer says about a task.
func record(t *task.Task) answer {
	out := answer{how: done, status: t.Status, version: t.Version}
	if t.Claim != nil {
		out.holder, out.fence = t.Claim.Actor, t.Claim.Fence
	}
	return out
}

func given(n int64) *int64 {
	if n == 0 {
		return nil
	}
	return &n
}

// directly carries operations out in this process.
func directly(s *services.Set) carrier {
	var n counter
	return func(in ask) (out answer, err error) {
		name, instance, err := task.ParseActor(in.actor)
		if err != nil {
			return out, err
		}
		ctx := core.WithCaller(context.Background(), core.Caller{Actor: task.Actor{Name: name, Instance: instance}, Project: "demo"})
		switch in.do {
		case doClaim:
			var c work.ClaimOut
			c, err = s.Work.Claim(ctx, work.ClaimIn{Task: in.task, Fence: given(in.fence)})
			out = answer{how: done, version: c.Version, holder: c.Actor, fence: c.Fence}
		case doRelease:
			var r work.ReleaseOut
			r, err = s.Work.Release(ctx, work.ReleaseIn{Task: in.task, Fence: given(in.fence)})
			out = answer{how: done, holder: string(r.Actor)}
		case doMove:
			var m work.MoveOut
			if m, err = s.Work.Move(ctx, work.MoveIn{Task: in.task, To: string(in.to), Fence: given(in.fence), ExpectedVersion: given(in.version)}); err == nil {
				out = record(m.Task)
				out.from = m.From
			}
		case doEdit:
			var t *planning.Edited
			edit := &plan.Edit{Fields: plan.Fields{Title: plan.Give(n.title())}, Fence: given(in.fence), ExpectedVersion: given(in.version)}
			if t, err = s.Planning.Edit(ctx, planning.EditIn{Task: in.task, Edit: edit}); err == nil {
				out = record(&t.Task)
			}
		case doProve:
			_, err = s.Work.Evidence(ctx, work.EvidenceIn{Task: in.task, Items: []task.EvidenceItem{{Kind: "test", Value: n.title()}}, Fence: given(in.fence)})
			out = answer{how: done}
		default:
			var b *bundle.Bundle
			if b, err = s.Reading.Show(ctx, reading.ShowIn{Task: in.task}); err == nil {
				out = record(b.Task)
			}
		}
		switch {
		case fault.Is(err, fault.Conflict):
			return answer{how: conflict}, nil
		case fault.Is(err, fault.Declined):
			return answer{how: declined}, nil
		}
		return out, err
	}
}

// counter makes texts that no task has had, so that an edit is always a change.
type counter struct {
	mu sync.Mutex
	n  int
}

func (c *counter) title() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.n++
	return fmt.Sprintf("Title %p %d", c, c.n)
}

// read makes an answer's body from what the client gets.
func read(in ask, body []byte) (out answer, err error) {
	switch in.do {
	case doClaim:
		var c task.Claim
		err = json.Unmarshal(body, &c)
		return answer{how: done, version: c.Version, holder: c.Actor, fence: c.Fence}, err
	case doRelease:
		var r work.ReleaseOut
		err = json.Unmarshal(body, &r)
		return answer{how: done, holder: string(r.Actor)}, err
	case doEdit:
		var t task.Task
		err = json.Unmarshal(body, &t)
		return record(&t), err
	case doProve:
		return answer{how: done}, nil
	}
	var m struct {
		Task task.Task   `json:"task"`
		From task.Status `json:"from"`
	}
	err = json.Unmarshal(body, &m)
	out = record(&m.Task)
	out.from = m.From
	return out, err
}

// through carries operations out over HTTP, as an instance of the server's actor.
func (s *server) through(instance string) carrier {
	var n counter
	return func(in ask) (answer, error) {
		path, body := "/v1/tasks/"+in.task, object{}
		if in.fence != 0 {
			body["fence"] = in.fence
		}
		if in.version != 0 {
			body["expectedVersion"] = in.version
		}
		var send any = body
		switch in.do {
		case doClaim, doRelease:
			path += "/" + in.do
		case doMove:
			path += "/transition"
			body["to"] = in.to
		case doEdit:
			path += "/edit"
			body["title"] = n.title()
		case doProve:
			path += "/evidence"
			body["items"] = []object{{"kind": "test", "value": n.title()}}
		default:
			send = nil
		}
		r, err := s.call(who{instance: instance}, path, send)
		if err != nil {
			return answer{}, err
		}
		switch r.status {
		case 200, 201:
			return read(in, r.body)
		case 409:
			return answer{how: conflict}, nil
		case 422:
			return answer{how: declined}, nil
		}
		return answer{}, fmt.Errorf("%d %s", r.status, r.body)
	}
}

// commanded carries each operation out in a process of its own.
func (w *world) commanded() carrier {
	var n counter
	return func(in ask) (answer, error) {
		args := []string{in.do, in.task}
		switch in.do {
		case doMove:
			args = append(args, string(in.to))
		case doEdit:
			args = append(args, "--title", n.title())
		case doProve:
			args = append(args, "--kind", "test", "--value", n.title())
		}
		if in.fence != 0 {
			args = append(args, "--fence", strconv.FormatInt(in.fence, 10))
		}
		if in.version != 0 {
			args = append(args, "--expected-version", strconv.FormatInt(in.version, 10))
		}
		got, err := w.try(in.actor, "", append(args, "--json")...)
		if err != nil {
			return answer{}, err
		}
		switch got.code {
		case 0:
			return read(in, got.out)
		case 5:
			return answer{how: conflict}, nil
		case 3:
			return answer{how: declined}, nil
		}
		return answer{}, fmt.Errorf("tasker %v ended with %d: %s", args, got.code, got.err)
	}
}

// plain returns a plan of tasks that wait for nothing.
func plain(n int) string {
	tasks := make([]object, n)
	for i := range tasks {
		tasks[i] = object{"key": fmt.Sprintf("k%d", i+1), "title": "Task"}
	}
	doc, err := json.Marshal(object{"project": "demo", "tasks": tasks}, json.Deterministic(true))
	if err != nil {
		panic(err)
	}
	return string(doc)
}

// Two stores in one process represent two programs: they share only the database.
func TestClaimsAndVersionsAreLinearizableInTheCore(t *testing.T) {
	t.Parallel()
	each(t, func(w *world) {
		w.apply(plain(contended))
		o, err := config.FromOS()
		w.must(err)
		o.Dir, o.Env = w.dir, nil
		loaded, err := config.Load(o)
		w.must(err)
		var clients []client
		for range 2 {
			a, err := app.Open(app.Options{DB: w.db, Config: func() *config.Loaded { return loaded }})
			w.must(err)
			w.Cleanup(func() { w.must(a.Close()) })
			carry := directly(a.Services)
			for i := range 12 {
				c := client{actor: fmt.Sprintf("bot/%d", len(clients)), carry: carry, acts: often(30, 60)}
				switch i {
				case 0:
					c.actor, c.human = "ann", true
				case 1, 2, 3:
					c.actor = "bot" // clients under one name
				case 4:
					c.actor = "bee"
				}
				clients = append(clients, c)
			}
		}
		h := w.history()
		h.closings(clients[0].carry)
		h.fight(clients)
		w.linear(apart, h.ops)
		w.healthy()
	})
}

// The same with the shipped program: two servers, one of them acting as a human, and commands in parallel.
func TestClaimsAndVersionsAreLinearizableThroughServersAndCommands(t *testing.T) {
	t.Parallel()
	each(t, func(w *world) {
		w.apply(plain(contended))
		bot, ann := w.serve("bot"), w.serve("ann")
		var clients []client
		for i := range 8 {
			n := strconv.Itoa(i)
			clients = append(clients, client{actor: "bot/" + n, carry: bot.through(n), acts: often(15, 30)})
		}
		for i := range 4 {
			clients = append(clients, client{actor: "bot", carry: bot.through(""), acts: often(15, 30)})
			n := strconv.Itoa(i)
			clients = append(clients, client{actor: "ann/" + n, human: true, carry: ann.through(n), acts: often(8, 15)})
		}
		for _, actor := range []string{"bot", "bot/1", "bee", "ann"} {
			clients = append(clients, client{actor: actor, human: actor == "ann", shell: true, carry: w.commanded(), acts: often(6, 12)})
		}
		h := w.history()
		// A shell acts for no instance, unless it gives the fence, on a task that its plain name has held: then no answer
		// about a task depends on another one.
		for i := range contended {
			id := fmt.Sprintf("demo-%d", i+1)
			for _, c := range clients {
				if c.shell && (c.actor == "bot" || c.actor == "ann") {
					h.expect(done, c, ask{do: doClaim, task: id})
					h.expect(done, c, ask{do: doRelease, task: id})
				}
			}
		}
		h.fight(clients)
		w.linear(apart, h.ops)
		w.healthy()
	})
}

// An agent's shell may work on what its tools hold, as long as it is clear who it acts for; all tasks together decide that.
func TestAShellActsForTheOnlyInstanceThatHoldsAnything(t *testing.T) {
	t.Parallel()
	each(t, func(w *world) {
		w.apply(plain(contended))
		bot := w.serve("bot")
		one := client{actor: "bot/1", carry: bot.through("1"), acts: 20}
		two := client{actor: "bot/2", carry: bot.through("2"), acts: 20}
		unnamed := client{actor: "bot", abstains: true, carry: bot.through(""), acts: 20}
		shell := client{actor: "bot", shell: true, abstains: true, carry: w.commanded(), acts: 15}
		ann := client{actor: "ann", human: true, shell: true, carry: w.commanded(), acts: 6}
		h := w.history()
		h.expect(done, one, ask{do: doClaim, task: "demo-1"})
		h.expect(declined, two, ask{do: doMove, task: "demo-1", to: task.Done})
		h.expect(declined, unnamed, ask{do: doMove, task: "demo-1", to: task.Done})
		h.expect(done, shell, ask{do: doMove, task: "demo-1", to: task.InReview})
		h.expect(done, shell, ask{do: doMove, task: "demo-1", to: task.Open})
		h.expect(done, one, ask{do: doClaim, task: "demo-1"})
		h.expect(done, two, ask{do: doClaim, task: "demo-2"})
		h.expect(declined, shell, ask{do: doRelease, task: "demo-1"})
		h.expect(declined, unnamed, ask{do: doRelease, task: "demo-1", fence: 2})
		h.expect(conflict, shell, ask{do: doRelease, task: "demo-1", fence: 1})
		h.expect(done, shell, ask{do: doRelease, task: "demo-1", fence: 2})
		h.expect(done, shell, ask{do: doRelease, task: "demo-2"})
		h.expect(done, client{actor: "bot", shell: true, carry: shell.carry}, ask{do: doClaim, task: "demo-3"})
		h.expect(done, one, ask{do: doRelease, task: "demo-3"})
		h.expect(done, one, ask{do: doClaim, task: "demo-3"})
		h.expect(declined, shell, ask{do: doRelease, task: "demo-3"})
		h.fight([]client{one, two, unnamed, shell, shell, ann})
		w.linear(together, h.ops)
		w.healthy()
	})
}
