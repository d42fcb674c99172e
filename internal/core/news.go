package core

import (
	"context"
	"slices"

	"tasker/internal/event/news"
	"tasker/internal/fault"
	"tasker/internal/store"
	"tasker/internal/task"
	"tasker/internal/task/query"
)

// News is what an answer has for its caller in addition to what was asked: what others did to the tasks that
// the caller holds, the answers to its questions, and whether the answer itself is incomplete.
type News struct {
	Items []news.Item
	More  bool // older ones are left out

	// Warning says that the change was made, and why this answer lacks something; empty if it lacks nothing. Cause is the
	// error of the read that failed, for the log of this process; it is not sent.
	Warning string
	Cause   error
}

// None reports whether there is nothing to say.
func (n News) None() bool { return len(n.Items) == 0 && n.Warning == "" }

// ear collects the news of one call.
type ear struct {
	News
	project string     // the project that a write is about
	left    *task.Task // the task that the caller held until this write, as it was then
}

// Listening returns the environment for one call, and where the news of that call will be. In any other environment,
// operations skip news.
func (s *Env) Listening() (*Env, *News) {
	on := *s
	on.ear = &ear{}
	return &on, &on.ear.News
}

// Listens returns the context of a call whose caller wants its news.
func Listens(ctx context.Context) context.Context {
	c := CallerOf(ctx)
	c.Listens = true
	return WithCaller(ctx, c)
}

// Unread notes that a read for the answer failed after the write was committed. The caller is told with the answer.
func (s *Env) Unread(err error) {
	if s.ear == nil {
		return
	}
	f := fault.Of(err)
	why := f.Message
	if f.Kind == fault.Internal { // the text may contain anything
		why = "something unexpected happened"
	}
	s.ear.Cause = f
	s.ear.Warning = "the change was made, so do not send it again; this answer lacks what could not be read after it: " + why
}

// About notes the project that a call is about.
func (s *Env) About(project string) {
	if s.ear != nil {
		s.ear.project = project
	}
}

// LetGo notes a task that the caller stops holding with this write: what others did to it before is still news, and no
// later answer would include it.
func (s *Env) LetGo(held *task.Task) {
	if s.ear != nil {
		s.ear.left = held
	}
}

// HearOf looks for news of a project after a write. The write is answered whether or not the news can be read.
func (s *Env) HearOf(ctx context.Context, project string) {
	if s.ear == nil || project == "" {
		return
	}
	_, _ = Read(Uncharged(ctx), s, func(tx *store.Tx) (None, error) { return None{}, s.Hear(ctx, tx, project, "") })
}

// written returns the project that a write was about; empty if it named none, or if nobody listens.
func (s *Env) written() string {
	if s.ear != nil {
		return s.ear.project
	}
	return ""
}

// Hear looks for news of a project for the caller, in the snapshot of its answer. What was already delivered is not
// stored: an actor has heard everything before its second newest write, because the answer to its newest write no
// longer includes that. claimed is the task that this answer hands over with everything about it, if any. News of other
// projects is left for later answers.
func (s *Env) Hear(ctx context.Context, tx *store.Tx, project string, claimed task.ID) error {
	ear := s.ear
	if ear == nil {
		return nil
	}
	a := CallerOf(ctx).Actor
	names := slices.Compact([]string{a.Full(), a.Name})
	c, err := tx.Concerned(project, names, claimed, oneByOne+1)
	asked := c.Asked && !a.Human
	if err != nil || (!c.Others || c.Held == 0 && !c.Answered && !asked && ear.left == nil) && !instanceToo(ctx, a) {
		return err
	}
	h := hearing{tx: tx, names: names, heard: c.Heard, left: ear.left}
	if c.Held > oneByOne {
		err = h.among(project, claimed)
	} else {
		err = h.each(ctx, project, claimed)
	}
	if err != nil {
		return err
	}
	if c.Answered || instanceToo(ctx, a) {
		if err := h.answers(project); err != nil {
			return err
		}
	}
	if asked {
		if err := s.asked(&h, project, a); err != nil {
			return err
		}
	}
	var more bool
	ear.Items, more = news.Newest(append(ear.Items, h.items...))
	ear.More = ear.More || more || h.more
	return nil
}

// instanceToo reports whether the caller may act for an instance of its name, which holds tasks under a different full
// name.
func instanceToo(ctx context.Context, a task.Actor) bool {
	return a.Instance == "" && CallerOf(ctx).AtCommand()
}

// Bounds of the search for news, so that a call costs the same however much its caller holds.
const (
	oneByOne    = 10  // held tasks that are read one by one
	heardEvents = 100 // events of each of them after heard
	amongEvents = 200 // newest events of the project, for an actor that holds more
)

// hearing collects the news of an actor.
type hearing struct {
	tx    *store.Tx
	names []string
	heard int64 // the last event that the actor has heard about
	items []news.Item
	more  bool       // some events after heard were not looked at
	left  *task.Task // the task that the actor held until now
}

// each looks at every task that the actor can work on as its own, one by one.
func (h *hearing) each(ctx context.Context, project string, claimed task.ID) error {
	held, err := Holdings(ctx, h.tx, []string{project})
	if err != nil {
		return err
	}
	if h.left != nil {
		held = append(held, h.left)
	}
	known := len(h.names)
	for _, t := range held {
		if !slices.Contains(h.names, t.Claim.Actor) {
			h.names = append(h.names, t.Claim.Actor)
		}
	}
	if len(h.names) > known {
		if h.heard, err = h.tx.Spoken(project, h.names); err != nil {
			return err
		}
	}
	for _, t := range held {
		if t.ID == claimed {
			continue
		}
		if err := h.on(t); err != nil {
			return err
		}
	}
	return nil
}

func (h *hearing) since(id task.ID) ([]task.Event, error) {
	events, err := h.tx.Events(query.Events{Task: id, SinceID: &h.heard, Limit: heardEvents, Bytes: PageBytes})
	return slices.DeleteFunc(events, h.own), err
}

func (h *hearing) own(e task.Event) bool { return slices.Contains(h.names, e.Actor) }

// on adds what others did to a held task since it was claimed.
func (h *hearing) on(t *task.Task) error {
	events, err := h.since(t.ID)
	if err != nil {
		return err
	}
	for _, e := range events {
		if err := h.of(e, t); err != nil {
			return err
		}
	}
	if t.OpenDeps == 0 { // a claim requires closed dependencies: an open one has been reopened
		return nil
	}
	neighbours, err := h.tx.Neighbours(t, news.Limit)
	if err != nil {
		return err
	}
	for _, d := range neighbours.Deps {
		if d.Status.Closed() {
			continue
		}
		events, err := h.since(d.ID)
		if err != nil {
			return err
		}
		for _, e := range events {
			h.reopened(e, t)
		}
	}
	return nil
}

// of adds the news in an event of a held task.
func (h *hearing) of(e task.Event, t *task.Task) error {
	if e.At < t.Claim.ClaimedAt {
		return nil
	}
	if e.Kind == task.QuestionAnswered {
		return h.answered(e, true)
	}
	if item, ok := news.Of(e); ok {
		h.items = append(h.items, item)
	}
	return nil
}

// reopened adds the news in an event of a dependency for the holder of a task that waits for it.
func (h *hearing) reopened(e task.Event, t *task.Task) {
	if item, ok := news.Reopened(e, t.ID); ok && e.At >= t.Claim.ClaimedAt {
		h.items = append(h.items, item)
	}
}

// among looks through the newest events of a project for news for the actor. It is for a name that holds many tasks and
// that many workers share: reading each task would make every call more expensive with each claim.
func (h *hearing) among(project string, claimed task.ID) error {
	events, err := h.unheard(project)
	if err != nil {
		return err
	}
	events = slices.DeleteFunc(events, func(e task.Event) bool { return e.Task == "" })
	if len(events) == 0 {
		return nil
	}
	held, err := h.holds(idsOf(events, func(e task.Event) task.ID { return task.ID(e.Task) }), claimed)
	if err != nil {
		return err
	}
	if h.left != nil {
		held[h.left.ID] = h.left
	}
	waiting, err := h.waiting(events, claimed)
	if err != nil {
		return err
	}
	for _, e := range events {
		if t := held[task.ID(e.Task)]; t != nil {
			if err := h.of(e, t); err != nil {
				return err
			}
		}
		for _, t := range waiting[task.ID(e.Task)] {
			h.reopened(e, t)
		}
	}
	return nil
}

// unheard returns what others did in a project after heard; only the newest events if there are many.
func (h *hearing) unheard(project string) ([]task.Event, error) {
	q := query.Events{Project: project, SinceID: &h.heard, Limit: amongEvents, Bytes: PageBytes}
	events, err := h.tx.Events(q)
	if err != nil || len(events) == 0 {
		return nil, err
	}
	first, last := events[0].ID, events[len(events)-1].ID
	rest, err := h.tx.Events(query.Events{Project: project, SinceID: &last, Limit: 1})
	if err != nil {
		return nil, err
	}
	if len(rest) > 0 { // they were cut, by number or by bytes
		q.SinceID = nil
		if events, err = h.tx.Events(q); err != nil {
			return nil, err
		}
		h.more = len(events) == 0 || events[0].ID > first
	}
	return slices.DeleteFunc(events, func(e task.Event) bool { return e.ID <= h.heard || h.own(e) }), nil
}

// waiting returns the actor's held tasks that depend on a task that one of the events reopened.
func (h *hearing) waiting(events []task.Event, claimed task.ID) (map[task.ID][]*task.Task, error) {
	var again []task.Event
	for _, e := range events {
		if _, ok := news.Reopened(e, ""); ok {
			again = append(again, e)
		}
	}
	if len(again) == 0 {
		return nil, nil
	}
	edges, err := h.tx.EdgesTo(idsOf(again, func(e task.Event) task.ID { return task.ID(e.Task) }), amongEvents)
	if err != nil {
		return nil, err
	}
	held, err := h.holds(idsOf(edges, func(e query.Edge) task.ID { return e.From }), claimed)
	if err != nil {
		return nil, err
	}
	out := map[task.ID][]*task.Task{}
	for _, e := range edges {
		if t := held[e.From]; t != nil {
			out[e.To] = append(out[e.To], t)
		}
	}
	return out, nil
}

// holds returns the given tasks that the actor holds, except one.
func (h *hearing) holds(ids []task.ID, besides task.ID) (map[task.ID]*task.Task, error) {
	tasks, err := h.tx.TasksByID(ids)
	out := map[task.ID]*task.Task{}
	for _, t := range tasks {
		if t.ID != besides && t.Claim.Live(h.tx.Now()) && slices.Contains(h.names, t.Claim.Actor) {
			out[t.ID] = t
		}
	}
	return out, err
}

// idsOf returns the tasks that a list names, each once.
func idsOf[T any](list []T, id func(T) task.ID) []task.ID {
	out := make([]task.ID, 0, len(list))
	for _, x := range list {
		out = append(out, id(x))
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// answers adds the answers to the actor's questions.
func (h *hearing) answers(project string) error {
	var events []task.Event
	err := h.tx.Latest(project, task.QuestionAnswered, h.heard, heardEvents, func(e task.Event) { events = append(events, e) })
	if err != nil {
		return err
	}
	for _, e := range slices.DeleteFunc(events, h.own) {
		if err := h.answered(e, false); err != nil {
			return err
		}
	}
	return nil
}

// asked adds the questions that block nothing and are put to an agent, by its name or a role: no inbox has them.
func (s *Env) asked(h *hearing, project string, a task.Actor) error {
	p, err := h.tx.Project(project)
	if err != nil {
		return err
	}
	if a, err = s.ActorIn(h.tx, p, a); err != nil || a.Human {
		return err
	}
	put, err := h.tx.Put(project, h.heard, heardEvents)
	if err != nil {
		return err
	}
	for i := range put {
		if q := &put[i]; q.For(a) && !slices.Contains(h.names, q.Actor) {
			h.items = append(h.items, news.Asked(q))
		}
	}
	return nil
}

// answered adds the answer to a question: any question about a held task, and otherwise the actor's own.
func (h *hearing) answered(e task.Event, held bool) error {
	q, err := h.tx.Question(news.Question(e))
	if err == nil && (held || slices.Contains(h.names, q.Actor)) {
		h.items = append(h.items, news.Answered(e, q))
	}
	return err
}
