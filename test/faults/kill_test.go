package faults

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"tasker/internal/db"
	"tasker/internal/planning"
	"tasker/internal/task"
	"tasker/internal/testkit/dbtest"
	"tasker/internal/work"
)

// How often servers are killed: 202 times in total in a long run, 16 times otherwise.
var (
	sqliteLives, postgresLives   = often(2, 5), often(1, 3)
	sqliteCycles, postgresCycles = often(5, 26), often(6, 24)
)

const (
	killClients = 6
	killTasks   = 24
	shortLease  = 50 // milliseconds; these lapse while nobody serves
)

func TestEveryAcknowledgedWriteSurvivesKill(t *testing.T) {
	for i := range sqliteLives {
		t.Run(fmt.Sprintf("sqlite/%d", i+1), func(t *testing.T) {
			t.Parallel()
			live(newWorld(t, dbtest.SQLite(t)), sqliteCycles, uint64(i))
		})
	}
	for i := range postgresLives {
		t.Run(fmt.Sprintf("postgres/%d", i+1), func(t *testing.T) {
			t.Parallel()
			live(newWorld(t, dbtest.Postgres(t)), postgresCycles, uint64(100+i))
		})
	}
}

// life is one database over many servers, each killed under load.
type life struct {
	w      *world
	ledger *ledger
	engine db.Engine
	die    *rand.Rand

	mu      sync.Mutex
	acks    []ack
	pending []pending
	busy    []*worker
	plans   atomic.Int64
	refused atomic.Int64
	done    int
	outages bool // of the database, in which a write may be answered with 503: nobody can tell
}

// ack is a write that was acknowledged, and how to find it in the ledger.
type ack struct {
	what  string
	found func(*ledger) bool
}

// pending is a write under a key that was not acknowledged.
type pending struct {
	by    who
	path  string
	body  object
	count func(*ledger) int // how many of its parts were done
	whole int               // how many parts it has
}

func live(w *world, cycles int, seed uint64) {
	w.apply(flat("demo", killTasks))
	l := &life{w: w, ledger: newLedger(), engine: w.engine(), die: rand.New(rand.NewPCG(seed, 1))}
	for i := range killClients {
		l.busy = append(l.busy, &worker{l: l, n: i, die: rand.New(rand.NewPCG(seed, uint64(10+i))), fences: map[string]int64{}})
	}
	for range cycles {
		s := w.serve("bot")
		l.verify(s)
		l.load(s)
	}
	s := w.serve("bot")
	l.verify(s)
	s.stop()
	if few := l.done < 100; l.done < cycles*killClients/2 || !few && l.refused.Load() == 0 { // one in twelve is refused
		w.Errorf("%d writes were acknowledged and %d refused: too few to be a load", l.done, l.refused.Load())
	}
	w.Logf("%d writes acknowledged, %d refused, %d events", l.done, l.refused.Load(), l.ledger.last)
}

// load lets the workers write, kills the server in the middle of it, and returns when all have noticed. The moment is
// some time after some number of answers.
func (l *life) load(s *server) {
	var answers atomic.Int64
	enough := int64(1 + l.die.IntN(60))
	after := time.Duration(l.die.IntN(4000)) * time.Microsecond
	now := make(chan struct{})
	var all sync.WaitGroup
	for _, c := range l.busy {
		all.Go(func() {
			for c.act(s) {
				if answers.Add(1) == enough {
					close(now)
				}
			}
		})
	}
	gone := make(chan struct{})
	go func() { all.Wait(); close(gone) }()
	select {
	case <-now:
	case <-gone:
		l.w.Error("the server ended before it was killed")
	}
	<-time.After(after)
	s.kill()
	<-gone
}

// verify checks everything that the earlier servers left behind.
func (l *life) verify(s *server) {
	l.w.Helper()
	// A write waits for whatever a killed server's connection is still doing.
	s.post(who{instance: "first"}, "/v1/tasks/demo-1/notes", object{"text": "a new server"}, nil)
	l.compare(s)
	for _, a := range l.acks {
		if !a.found(l.ledger) {
			l.w.Fatalf("acknowledged, and not found: %s", a.what)
		}
	}
	l.done += len(l.acks)
	l.acks = nil
	for _, p := range l.pending {
		if n := p.count(l.ledger); n != 0 && n != p.whole {
			l.w.Fatalf("%d of %d parts are there of %s %v", n, p.whole, p.path, p.body)
		}
		s.post(p.by, p.path, p.body, nil)
	}
	if len(l.pending) > 0 {
		l.compare(s)
	}
	for _, p := range l.pending {
		if n := p.count(l.ledger); n != p.whole {
			l.w.Fatalf("sent again under its key, %s %v has %d parts, not %d", p.path, p.body, n, p.whole)
		}
	}
	l.pending = nil
	l.w.healthy()
}

// compare reads the events and compares the records with them.
func (l *life) compare(s *server) {
	l.w.Helper()
	s.follow(l.ledger)
	s.agree(l.ledger, "demo")
	notes := map[int64]string{}
	l.w.query(l.engine, `SELECT id, text FROM note`, func(r db.Row) { notes[r.Int(0)] = r.Text(1) })
	evidence := map[int64]bool{}
	l.w.query(l.engine, `SELECT id FROM evidence`, func(r db.Row) { evidence[r.Int(0)] = true })
	if !slices.Equal(sortedIDs(notes), sortedIDs(l.ledger.notes)) || !slices.Equal(sortedIDs(evidence), sortedIDs(l.ledger.other)) {
		l.w.Fatalf(
			"%d notes and %d items of evidence are there, and the events have %d and %d",
			len(notes),
			len(evidence),
			len(l.ledger.notes),
			len(l.ledger.other),
		)
	}
	for id, text := range notes {
		if l.ledger.notes[id] != text {
			l.w.Fatalf("note %d is %q, and its event says %q", id, text, l.ledger.notes[id])
		}
	}
}

// worker is one client over the whole life; it remembers the answers it got.
type worker struct {
	l      *life
	n      int
	die    *rand.Rand
	fences map[string]int64 // of the claims it was given
	wrote  int
}

func (c *worker) instance() string { return fmt.Sprint(c.n) }
func (c *worker) actor() string    { return "bot/" + c.instance() }

// act does one thing, and reports whether it was answered.
func (c *worker) act(s *server) bool {
	c.wrote++
	id := fmt.Sprintf("demo-%d", 1+c.die.IntN(killTasks))
	switch c.die.IntN(10) {
	case 0, 1, 2:
		return c.note(s, id)
	case 3:
		return c.evidence(s, id)
	case 4, 5:
		return c.claim(s, id)
	case 6:
		return c.release(s, c.held(id))
	case 7, 8:
		return c.move(s, c.held(id))
	default:
		return c.apply(s)
	}
}

// held returns a task that the worker believes it holds, or another one.
func (c *worker) held(id string) string {
	var ids []string
	for held := range c.fences {
		ids = append(ids, held)
	}
	if len(ids) == 0 || c.die.IntN(4) == 0 {
		return id
	}
	slices.Sort(ids)
	return ids[c.die.IntN(len(ids))]
}

// send returns the answer, or none if the server is gone. A write under a key that was not answered is stored, to be sent
// again.
func (c *worker) send(s *server, p pending, out any) (acknowledged, answered bool) {
	p.by.instance = c.instance()
	r, err := s.call(p.by, p.path, p.body)
	if err != nil {
		c.unanswered(p)
		return false, false
	}
	switch r.status {
	case 200, 201:
		if err := r.into(out); err != nil {
			c.l.w.Errorf("POST %s: %v: %s", p.path, err, r.body)
		}
		return true, true
	case 409, 422:
		c.l.refused.Add(1)
	case 503:
		if !c.l.outages {
			c.l.w.Errorf("POST %s %v: %s", p.path, p.body, r.body)
		}
		c.unanswered(p)
		time.Sleep(pause)
	default:
		c.l.w.Errorf("POST %s %v: %d %s", p.path, p.body, r.status, r.body)
	}
	return false, true
}

// unanswered stores a write under a key, of which nobody knows whether it was done.
func (c *worker) unanswered(p pending) {
	if p.by.key != "" {
		c.l.mu.Lock()
		c.l.pending = append(c.l.pending, p)
		c.l.mu.Unlock()
	}
}

func (c *worker) acknowledged(what string, found func(*ledger) bool) {
	c.l.mu.Lock()
	defer c.l.mu.Unlock()
	c.l.acks = append(c.l.acks, ack{c.actor() + ": " + what, found})
}

func (c *worker) note(s *server, id string) bool {
	text := fmt.Sprintf("%s wrote %d", c.actor(), c.wrote)
	var out work.NoteOut
	ok, answered := c.send(s, pending{
		by: who{key: text}, path: "/v1/tasks/" + id + "/notes", body: object{"text": text},
		whole: 1, count: func(l *ledger) int { return l.texts[text] },
	}, &out)
	if ok {
		c.acknowledged("the note "+text, func(l *ledger) bool { return l.notes[out.ID] == text && l.texts[text] == 1 })
	}
	return answered
}

func (c *worker) evidence(s *server, id string) bool {
	item := object{"kind": "test", "value": fmt.Sprintf("%s %d", c.actor(), c.wrote)}
	var out work.EvidenceOut
	ok, answered := c.send(s, pending{path: "/v1/tasks/" + id + "/evidence", body: object{"items": []object{item, item}}}, &out)
	if ok {
		c.acknowledged("evidence on "+id, func(l *ledger) bool {
			return len(out.IDs) == 2 && l.other[out.IDs[0]] && l.other[out.IDs[1]]
		})
	}
	return answered
}

// claim claims the task, or the next one; some leases are so short that they lapse.
func (c *worker) claim(s *server, id string) bool {
	path, body := "/v1/tasks/"+id+"/claim", object{}
	if c.die.IntN(3) == 0 {
		body["leaseMs"] = 1 + c.die.IntN(shortLease)
	}
	var got task.Claim
	var ok, answered bool
	if c.die.IntN(2) == 0 {
		var out work.NextOut
		body["project"] = "demo"
		if ok, answered = c.send(s, pending{path: "/v1/next", body: body}, &out); ok && out.Claimed != nil {
			got = *out.Claimed
		}
	} else {
		ok, answered = c.send(s, pending{path: path, body: body}, &got)
	}
	if ok && got.Task != "" {
		if got.Actor != c.actor() {
			c.l.w.Errorf("%s was answered with a claim of %s", c.actor(), got.Actor)
		}
		c.fences[string(got.Task)] = got.Fence
		c.acknowledged(fmt.Sprintf("the claim of %s, fence %d", got.Task, got.Fence), func(l *ledger) bool {
			return l.tasks[got.Task].claims[got.Fence] == c.actor()
		})
	}
	return answered
}

func (c *worker) release(s *server, id string) bool {
	body := object{"failed": c.die.IntN(2) == 0}
	fence, mine := c.fences[id]
	if mine {
		body["fence"] = fence
	}
	var out work.ReleaseOut
	ok, answered := c.send(s, pending{path: "/v1/tasks/" + id + "/release", body: body}, &out)
	if answered {
		delete(c.fences, id)
	}
	if ok && mine && string(out.Actor) == c.actor() {
		c.acknowledged(fmt.Sprintf("the release of %s, fence %d", id, fence), func(l *ledger) bool { return l.tasks[task.ID(id)].ended[fence] })
	}
	return answered
}

func (c *worker) move(s *server, id string) bool {
	to := task.Statuses[c.die.IntN(len(task.Statuses))]
	body := object{"to": to, "force": true}
	if c.die.IntN(2) == 0 {
		body = object{"to": to, "check": []int{1, 2}}
	}
	if fence, mine := c.fences[id]; mine {
		body["fence"] = fence
	}
	var out work.MoveOut
	ok, answered := c.send(s, pending{path: "/v1/tasks/" + id + "/transition", body: body}, &out)
	if answered && to != task.InProgress {
		delete(c.fences, id)
	}
	if ok {
		c.acknowledged(fmt.Sprintf("the move of %s to %s, version %d", id, to, out.Task.Version), func(l *ledger) bool {
			return l.tasks[out.Task.ID].at[out.Task.Version] == to
		})
	}
	return answered
}

// planned is how many tasks a worker's plan creates.
const planned = 4

// apply adds a few connected tasks; all of them or none.
func (c *worker) apply(s *server) bool {
	if c.l.plans.Add(1) > 150 { // the database should stay small
		return c.note(s, "demo-2")
	}
	key := fmt.Sprintf("p%d-%d", c.n, c.wrote)
	var defs []object
	for i := range planned {
		d := object{"key": fmt.Sprintf("%s-%d", key, i), "title": "Planned by " + c.actor()}
		if i > 0 {
			d["deps"], d["parent"] = []string{fmt.Sprintf("%s-%d", key, i-1)}, key+"-0"
		}
		defs = append(defs, d)
	}
	var out planning.ApplyOut
	ok, answered := c.send(s, pending{
		by: who{key: key}, path: "/v1/apply", body: object{"project": "demo", "tasks": defs},
		whole: planned, count: func(l *ledger) int {
			n := 0
			for k, times := range l.keys {
				if strings.HasPrefix(k, key+"-") {
					n += times
				}
			}
			return n
		},
	}, &out)
	if ok {
		c.acknowledged("the plan "+key, func(l *ledger) bool {
			for _, ref := range out.Created {
				if l.keys[ref.Key] != 1 || l.tasks[task.ID(ref.ID)] == nil {
					return false
				}
			}
			return len(out.Created) == planned
		})
	}
	return answered
}
