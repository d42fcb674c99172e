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
	"tasker/internal/bundle"
	"tasker/internal/config"
	"tasker/internal/core"
	"tasker/internal/core/planning"
	"tasker/internal/core/reading"
	"tasker/internal/core/services"
	"tasker/internal/core/work"
	"tasker/internal/fault"
	"tasker/internal/plan"
	"tasker/internal/task"
)

// contended is how many tasks all clients fight over.
const contended = 5

// carrier carries out what a client asks, somewhere.
type carrier func(in ask) (told, error)

// client is one of many, with its own way to the database.
type client struct {
	actor string
	human bool
	carry carrier
	acts  int
}

// fight lets all clients act at once, and gives the history.
func (w *world) fight(clients []client) []porcupine.Operation {
	w.Helper()
	began := time.Now()
	var mu sync.Mutex
	var history []porcupine.Operation
	var all sync.WaitGroup
	start := make(chan struct{})
	for i, c := range clients {
		die := rand.New(rand.NewPCG(uint64(i), 2))
		all.Go(func() {
			seen, fences := map[string]int64{}, map[string]int64{}
			<-start
			for range c.acts {
				in := c.choose(die, seen, fences)
				call := time.Since(began).Nanoseconds()
				out, err := c.carry(in)
				end := time.Since(began).Nanoseconds()
				if err != nil {
					w.Errorf("%+v: %v", in, err)
					return
				}
				if out.version != 0 {
					seen[in.task] = out.version
				}
				if in.do == doClaim && out.how == done {
					fences[in.task] = out.fence
				}
				mu.Lock()
				history = append(history, porcupine.Operation{ClientId: i, Input: in, Call: call, Output: out, Return: end})
				mu.Unlock()
			}
		})
	}
	close(start)
	all.Wait()
	return history
}

// choose draws what to do next, from what the client has seen so far.
func (c client) choose(die *rand.Rand, seen, fences map[string]int64) ask {
	in := ask{task: fmt.Sprintf("demo-%d", 1+die.IntN(contended)), actor: c.actor, human: c.human}
	switch die.IntN(8) {
	case 0, 1, 2:
		in.do = doClaim
	case 3:
		in.do = doRelease
	case 4, 5:
		in.do, in.to = doMove, task.Statuses[die.IntN(len(task.Statuses))]
	case 6:
		in.do = doEdit
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

// record is what an answer tells of a task.
func record(t *task.Task) told {
	out := told{how: done, status: t.Status, version: t.Version}
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
	return func(in ask) (out told, err error) {
		name, instance, err := task.ParseActor(in.actor)
		if err != nil {
			return out, err
		}
		ctx := core.WithCaller(context.Background(), core.Caller{Actor: task.Actor{Name: name, Instance: instance}, Project: "demo"})
		switch in.do {
		case doClaim:
			var c task.Claim
			c, err = s.Work.Claim(ctx, work.ClaimIn{Task: in.task, Fence: given(in.fence)})
			out = told{how: done, version: c.Version, holder: c.Actor, fence: c.Fence}
		case doRelease:
			var r work.ReleaseOut
			r, err = s.Work.Release(ctx, work.ReleaseIn{Task: in.task, Fence: given(in.fence)})
			out = told{how: done, holder: string(r.Actor)}
		case doMove:
			var m work.MoveOut
			if m, err = s.Work.Move(ctx, work.MoveIn{Task: in.task, To: string(in.to), Fence: given(in.fence), ExpectedVersion: given(in.version)}); err == nil {
				out = record(m.Task)
				out.from = m.From
			}
		case doEdit:
			var t *planning.Written
			edit := &plan.Edit{Fields: plan.Fields{Title: plan.Give(n.title())}, Fence: given(in.fence), ExpectedVersion: given(in.version)}
			if t, err = s.Planning.Edit(ctx, planning.EditIn{Task: in.task, Edit: edit}); err == nil {
				out = record(&t.Task)
			}
		default:
			var b *bundle.Bundle
			if b, err = s.Reading.Show(ctx, reading.ShowIn{Task: in.task}); err == nil {
				out = record(b.Task)
			}
		}
		switch {
		case fault.Is(err, fault.Conflict):
			return told{how: conflict}, nil
		case fault.Is(err, fault.Declined):
			return told{how: declined}, nil
		}
		return out, err
	}
}

// counter makes titles that no task has had: an edit is always a change.
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

// read makes an answer's body of what the client is told.
func read(in ask, body []byte) (out told, err error) {
	switch in.do {
	case doClaim:
		var c task.Claim
		err = json.Unmarshal(body, &c)
		return told{how: done, version: c.Version, holder: c.Actor, fence: c.Fence}, err
	case doRelease:
		var r work.ReleaseOut
		err = json.Unmarshal(body, &r)
		return told{how: done, holder: string(r.Actor)}, err
	case doEdit:
		var t task.Task
		err = json.Unmarshal(body, &t)
		return record(&t), err
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
	return func(in ask) (told, error) {
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
		default:
			send = nil
		}
		r, err := s.call(who{instance: instance}, path, send)
		if err != nil {
			return told{}, err
		}
		switch r.status {
		case 200:
			return read(in, r.body)
		case 409:
			return told{how: conflict}, nil
		case 422:
			return told{how: declined}, nil
		}
		return told{}, fmt.Errorf("%d %s", r.status, r.body)
	}
}

// commanded carries operations out with a process each.
func (w *world) commanded() carrier {
	var n counter
	return func(in ask) (told, error) {
		args := []string{in.do, in.task}
		switch in.do {
		case doMove:
			args = append(args, string(in.to))
		case doEdit:
			args = append(args, "--title", n.title())
		}
		if in.fence != 0 {
			args = append(args, "--fence", strconv.FormatInt(in.fence, 10))
		}
		if in.version != 0 {
			args = append(args, "--expected-version", strconv.FormatInt(in.version, 10))
		}
		got, err := w.try(in.actor, "", append(args, "--json")...)
		if err != nil {
			return told{}, err
		}
		switch got.code {
		case 0:
			return read(in, got.out)
		case 5:
			return told{how: conflict}, nil
		case 3:
			return told{how: declined}, nil
		}
		return told{}, fmt.Errorf("tasker %v ended with %d: %s", args, got.code, got.err)
	}
}

// plain is a plan of tasks that nothing stands in the way of.
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

// Two stores in one process stand for two programs: they share nothing but the database.
func TestClaimsAndVersionsAreLinearizableInTheCore(t *testing.T) {
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
				c := client{actor: fmt.Sprintf("bot/%d", len(clients)), carry: carry, acts: 60}
				switch i {
				case 0:
					c.actor, c.human = "ann", true
				case 1, 2, 3:
					c.actor = "bot" // clients under one name
				}
				clients = append(clients, c)
			}
		}
		w.linear(w.fight(clients))
		w.healthy()
	})
}

// The same through what is shipped: two servers, one of them acting as a human, and commands beside them.
func TestClaimsAndVersionsAreLinearizableThroughServersAndCommands(t *testing.T) {
	each(t, func(w *world) {
		w.apply(plain(contended))
		bot, ann := w.serve("bot"), w.serve("ann")
		var clients []client
		for i := range 8 {
			n := strconv.Itoa(i)
			clients = append(clients, client{actor: "bot/" + n, carry: bot.through(n), acts: 30})
		}
		for i := range 4 {
			clients = append(clients, client{actor: "bot", carry: bot.through(""), acts: 30})
			n := strconv.Itoa(i)
			clients = append(clients, client{actor: "ann/" + n, human: true, carry: ann.through(n), acts: 15})
		}
		for _, actor := range []string{"bot", "bot/1", "bee", "ann"} {
			clients = append(clients, client{actor: actor, human: actor == "ann", carry: w.commanded(), acts: 12})
		}
		w.linear(w.fight(clients))
		w.healthy()
	})
}
