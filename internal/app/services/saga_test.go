package services_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"pgregory.net/rapid"

	"tasker/internal/app/services"
	"tasker/internal/core"
	"tasker/internal/fault"
	"tasker/internal/inbox"
	"tasker/internal/plan"
	"tasker/internal/planning"
	"tasker/internal/store"
	"tasker/internal/task"
	"tasker/internal/task/query"
	"tasker/internal/task/waiting"
	"tasker/internal/work"
)

// cast are the actors of the histories: two humans, one of them (ann) a lead, and two agents.
var cast = map[string]task.Actor{
	"ann": {Name: "ann", Human: true, Declared: true, Roles: []string{"lead"}},
	"bob": {Name: "bob", Human: true, Declared: true},
	"bot": {Name: "bot", Declared: true},
	"bee": {Name: "bee", Declared: true, Roles: []string{"tester"}},
}

// as returns the context of an actor; what follows a slash is the instance.
func as(name string) context.Context {
	name, instance, _ := strings.Cut(name, "/")
	a := cast[name]
	a.Instance = instance
	return core.WithCaller(context.Background(), core.Caller{Actor: a, Via: task.Via{Face: "cli"}})
}

// house holds the settings of the histories.
type house struct{ core.Settings }

var houseRules = task.Policy{
	Gates: map[string][]string{"ship": nil},
	ReviewPolicy: map[string][]task.Requirement{"ship": {
		{Role: "lead", Reason: "it ships"}, {Role: "lead", Reason: "it is loud"}, {Actor: "bob", Kind: task.KindVerification},
	}},
}

func (house) Policy(*task.Project) (task.Policy, error) { return houseRules, nil }
func (house) ActorIn(_ *task.Project, a task.Actor) (task.Actor, error) {
	if known, ok := cast[a.Name]; ok {
		known.Instance = a.Instance
		return known, nil
	}
	return a, nil
}
func (h house) Actor(name string) (task.Actor, error) { return h.ActorIn(nil, task.Actor{Name: name}) }
func (house) Actors(*task.Project) (out []task.Actor, err error) {
	for _, name := range slices.Sorted(maps.Keys(cast)) {
		out = append(out, cast[name])
	}
	return out, nil
}
func (house) Register(*task.Project) (*task.Register, error) { return nil, nil }

// saga drives random operations on one project, and remembers what readers put away.
type saga struct {
	t     *rapid.T
	s     *services.Set
	slug  string
	n     int
	asked []int64
	away  map[string]string // reader and item: the occurrence that was put away
	clock *atomic.Int64     // nil if the database has its own

	acknowledged map[task.ID]int64 // the newest failure that a human has acknowledged

	pages http.Handler
	at    func() time.Time // the time that pages show
}

// ok fails the test on errors that no caller may see, and reports whether err is nil. Refusals are expected.
func (h *saga) ok(err error) bool {
	var f *fault.Error
	if err != nil && (!errors.As(err, &f) || f.Kind == fault.Internal || f.Kind == fault.Unavailable) {
		h.t.Fatalf("an operation ended in %v", err)
	}
	return err == nil
}

func (h *saga) who(label string) context.Context {
	return as(rapid.SampledFrom([]string{"ann", "bob", "bot", "bee", "bee/2"}).Draw(h.t, label))
}

func (h *saga) pick() string {
	return fmt.Sprintf("%s-%d", h.slug, rapid.IntRange(1, h.n).Draw(h.t, "task"))
}

func (h *saga) plan() {
	var tasks []string
	for range rapid.IntRange(1, 3).Draw(h.t, "new") {
		h.n++
		def := fmt.Sprintf(`{"key": "k%d", "title": "T%d", "status": %q, "autonomy": %q, "gate": %q, "due": %s, "criteria": %s`, h.n, h.n,
			rapid.SampledFrom([]string{"open", "open", "in_review", "done"}).Draw(h.t, "status"),
			rapid.SampledFrom([]string{"autonomous", "supervised", "human_only"}).Draw(h.t, "autonomy"),
			rapid.SampledFrom([]string{"", "ship"}).Draw(h.t, "gate"),
			rapid.SampledFrom([]string{`null`, `"2020-01-01"`, `"2999-01-01"`}).Draw(h.t, "due"),
			rapid.SampledFrom([]string{`[]`, `["works"]`}).Draw(h.t, "criteria"))
		if h.n > 1 && rapid.Bool().Draw(h.t, "waits") {
			def += fmt.Sprintf(`, "deps": ["k%d"]`, rapid.IntRange(1, h.n-1).Draw(h.t, "for"))
		}
		if h.n > 1 && rapid.IntRange(0, 3).Draw(h.t, "child") == 0 {
			def += fmt.Sprintf(`, "parent": "k%d"`, rapid.IntRange(1, h.n-1).Draw(h.t, "of"))
		}
		tasks = append(tasks, def+"}")
	}
	doc, err := plan.Decode([]byte(`{"project": "` + h.slug + `", "tasks": [` + strings.Join(tasks, ",") + `]}`))
	if err != nil {
		h.t.Fatal(err)
	}
	if _, err := h.s.Planning.Apply(as("ann"), planning.ApplyIn{Doc: doc}); err != nil {
		h.t.Fatal(err)
	}
}

func (h *saga) claim() {
	lease := rapid.SampledFrom([]int64{0, 20, 3_600_000}).Draw(h.t, "lease")
	_, err := h.s.Work.Claim(h.who("claims"), work.ClaimIn{Task: h.pick(), LeaseMs: &lease})
	h.ok(err)
}

func (h *saga) release() {
	_, err := h.s.Work.Release(h.who("releases"), work.ReleaseIn{Task: h.pick(), Failed: rapid.Bool().Draw(h.t, "failed")})
	h.ok(err)
}

func (h *saga) move() {
	to := rapid.SampledFrom([]string{"open", "in_progress", "in_progress", "in_review", "in_review", "done", "done", "cancelled"}).Draw(h.t, "to")
	_, err := h.s.Work.Move(h.who("moves"), work.MoveIn{Task: h.pick(), To: to, Force: rapid.Bool().Draw(h.t, "force")})
	h.ok(err)
}

// fail makes a task fail once or more often: released as failed, or returned from review.
func (h *saga) fail() {
	id := h.pick()
	for range rapid.IntRange(1, 3).Draw(h.t, "failures") {
		if rapid.Bool().Draw(h.t, "review") {
			_, err := h.s.Work.Move(as("bob"), work.MoveIn{Task: id, To: "in_review"})
			h.ok(err)
			_, err = h.s.Work.Move(as("bob"), work.MoveIn{Task: id, To: "open"})
			h.ok(err)
			continue
		}
		_, err := h.s.Work.Claim(as("bob"), work.ClaimIn{Task: id})
		h.ok(err)
		_, err = h.s.Work.Release(as("bob"), work.ReleaseIn{Task: id, Failed: true})
		h.ok(err)
	}
}

func (h *saga) approve() {
	kind := rapid.SampledFrom([]string{"approval", "verification"}).Draw(h.t, "kind")
	_, err := h.s.Work.Approve(h.who("approves"), work.ApproveIn{Task: h.pick(), Kind: kind})
	h.ok(err)
}

func (h *saga) edit() {
	e, err := plan.DecodeEdit([]byte(fmt.Sprintf(`{"title": "U%d"}`, rapid.IntRange(0, 9).Draw(h.t, "title"))))
	if err != nil {
		h.t.Fatal(err)
	}
	_, err = h.s.Planning.Edit(as("ann"), planning.EditIn{Task: h.pick(), Edit: e})
	h.ok(err)
}

func (h *saga) note() {
	_, err := h.s.Work.Note(h.who("notes"), work.NoteIn{Task: h.pick(), Text: "so far"})
	h.ok(err)
}

func (h *saga) ask() {
	to := rapid.SampledFrom([]string{"", "bob", "tester", "bot"}).Draw(h.t, "to")
	q, err := h.s.Work.Ask(h.who("asks"), work.AskIn{Task: h.pick(), Text: "which?", Blocking: rapid.Bool().Draw(h.t, "blocking"), To: to})
	if h.ok(err) {
		h.asked = append(h.asked, q.ID)
	}
}

func (h *saga) answer() {
	if len(h.asked) == 0 {
		return
	}
	id := rapid.SampledFrom(h.asked).Draw(h.t, "question")
	if rapid.Bool().Draw(h.t, "withdraw") {
		_, err := h.s.Work.Withdraw(h.who("withdraws"), work.QuestionIn{Question: id})
		h.ok(err)
		return
	}
	by, about := h.who("answers"), task.ID("")
	err := h.s.Store.Read(context.Background(), func(tx *store.Tx) error {
		q, err := tx.Question(id)
		if err != nil {
			return err
		}
		t, err := tx.Task(q.Task)
		if err == nil && core.CallerOf(by).Actor.Human && q.AboutFailures(t) {
			about = t.ID
		}
		return err
	})
	h.ok(err)
	_, err = h.s.Work.Answer(by, work.AnswerIn{Question: id, Text: "that"})
	if h.ok(err) && about != "" { // a human who answers has acknowledged the failures
		h.acknowledged[about] = h.newestOf(about)
	}
}

// ack puts some item away.
func (h *saga) ack() {
	reader := rapid.SampledFrom([]string{"ann", "bob", "bee"}).Draw(h.t, "reader")
	all, err := h.s.Inbox.Inbox(as(reader), inbox.InboxIn{Slug: h.slug, All: true})
	if err != nil {
		h.t.Fatal(err)
	}
	if len(all.Items) == 0 {
		return
	}
	it := rapid.SampledFrom(all.Items).Draw(h.t, "item")
	if _, err = h.s.Inbox.Ack(as(reader), inbox.AckIn{Slug: h.slug, Items: []string{it.ID}}); !h.ok(err) {
		return // it no longer stalled, or had only just stalled
	}
	if it.Kind == waiting.ItemFailing && cast[reader].Human { // for everybody
		h.acknowledged[it.Task] = h.newestOf(it.Task)
		return
	}
	if it.Event == nil { // the acknowledgement itself wrote the lapse
		all, err := h.s.Inbox.Inbox(as(reader), inbox.InboxIn{Slug: h.slug, All: true})
		if err != nil {
			h.t.Fatal(err)
		}
		it = all.Items[slices.IndexFunc(all.Items, func(x inbox.Item) bool { return x.ID == it.ID })]
	}
	h.away[reader+" "+it.ID] = occurrence(it)
}

// occurrence returns what distinguishes one occurrence of an item from the next.
func occurrence(it inbox.Item) string {
	if it.Kind == waiting.ItemStalled {
		return it.Since.String()
	}
	if it.Event == nil {
		return "not written yet"
	}
	return fmt.Sprint(*it.Event)
}

func (h *saga) seen() {
	reader := rapid.SampledFrom([]string{"ann", "bot"}).Draw(h.t, "marks")
	e, err := h.s.Inbox.Estate(as(reader), inbox.EstateIn{})
	if err != nil {
		h.t.Fatal(err)
	}
	out, err := h.s.Inbox.Seen(as(reader), inbox.SeenIn{Watermark: &e.Watermark})
	if err != nil || out.Watermark != max(e.Watermark, e.Seen) {
		h.t.Fatalf("seen %d after %d: %d, %v", e.Watermark, e.Seen, out.Watermark, err)
	}
}

// pass lets time go by: up to half a lease, or all of it.
func (h *saga) pass() {
	d := time.Duration(rapid.SampledFrom([]int{5, 12, 25}).Draw(h.t, "ms")) * time.Millisecond
	if h.clock != nil {
		h.clock.Add(d.Microseconds())
		return
	}
	end := h.now().Add(d.Milliseconds())
	for left := d; left > 0; left = time.Duration(end-h.now()) * time.Microsecond {
		time.Sleep(left)
	}
}

func (h *saga) now() (now task.Time) {
	if err := h.s.Store.Read(context.Background(), func(tx *store.Tx) error { now = tx.Now(); return nil }); err != nil {
		h.t.Fatal(err)
	}
	return now
}

// newestOf returns the newest event of a task.
func (h *saga) newestOf(id task.ID) (newest int64) {
	err := h.s.Store.Read(context.Background(), func(tx *store.Tx) error {
		events, err := tx.Events(query.Events{Task: id, Limit: 1})
		if err == nil {
			newest = events[0].ID
		}
		return err
	})
	if err != nil {
		h.t.Fatal(err)
	}
	return newest
}
