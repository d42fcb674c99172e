package inbox

import (
	"context"
	"iter"
	"slices"
	"strings"

	"tasker/internal/core"
	"tasker/internal/store"
	"tasker/internal/store/inboxdb"
	"tasker/internal/task"
	"tasker/internal/task/query"
	"tasker/internal/task/waiting"
)

// EstateIn asks for the queue of all projects at once: for the named actor, or else the caller; with all set, for
// anyone.
type EstateIn struct {
	Actor string `query:"actor"`
	All   bool   `query:"all"`
	Limit *int   `query:"limit"`
}

// EstateOut is what waits in all projects, oldest first, followed by the ready work, in one order. Total counts it for
// anyone, Matching for the reader. Inbox items are counted up to 1,000.
type EstateOut struct {
	Total     int          `json:"total"`
	Matching  int          `json:"matching"`
	TotalMore bool         `json:"totalMore"`
	Watermark int64        `json:"watermark"` // for posting back: nothing up to it was left out
	Seen      int64        `json:"seen"`      // the stored mark
	Items     []EstateItem `json:"items"`

	Ready int `json:"ready"` // the part of Total that is ready tasks
	// For counts the items that wait for the reader in each project, up to 1,000, for the page of all projects.
	For           map[string]int `json:"-"`
	ReadyMatching int            `json:"readyMatching"` // the part of Matching that is ready tasks the reader may hold
}

// EstateItem is an inbox item, or a ready task (kind ready).
type EstateItem struct {
	ID       string      `json:"id"`
	Kind     string      `json:"kind"`
	Project  string      `json:"project"`
	Task     task.ID     `json:"task"`
	Title    string      `json:"title"`
	Status   task.Status `json:"status"` // of the task
	For      string      `json:"for"`
	Why      string      `json:"why"`
	Since    task.Time   `json:"since"`
	Event    *int64      `json:"event"`
	Seen     bool        `json:"seen"`
	TakenBy  task.Opt    `json:"takenBy"`
	TakenTo  task.Time   `json:"takenUntil"`
	Unblocks int         `json:"unblocks"`
	Settle   []string    `json:"settle"` // as in Item; empty for a ready task
	New      bool        `json:"new"`    // past the reader's mark

	About   *About   `json:"about"` // as in Item
	Dispute *Dispute `json:"dispute"`
}

// Waits returns an item that waits for somebody, in the form that the inbox has.
func (it *EstateItem) Waits() Item {
	return Item{
		ID: it.ID, Kind: waiting.ItemKind(it.Kind), Project: it.Project, Task: it.Task, Title: it.Title, Status: it.Status, For: it.For, Why: it.Why,
		Since: it.Since, Event: it.Event, Seen: it.Seen, TakenBy: it.TakenBy, TakenTo: it.TakenTo, Unblocks: it.Unblocks, Settle: it.Settle, About: it.About, Dispute: it.Dispute,
	}
}

// KindReady is the kind of an estate item for work that is ready.
const KindReady = "ready"

// Estate returns the queue of every project that is not archived.
func (s *Service) Estate(ctx context.Context, in EstateIn) (EstateOut, error) {
	limit, err := core.Limit(in.Limit)
	if err != nil {
		return EstateOut{}, err
	}
	return core.Read(ctx, s.Env, func(tx *store.Tx) (EstateOut, error) {
		e := &estate{in: in, limit: limit, cut: task.Unwritten, out: EstateOut{For: map[string]int{}}}
		if err := e.open(ctx, s.Env, tx); err != nil {
			return EstateOut{}, err
		}
		return e.compose()
	})
}

// estate is one reading of every project.
type estate struct {
	in     EstateIn
	limit  int
	out    EstateOut
	places []*place
	cut    int64 // the oldest event that the limit cut off, or Unwritten
}

// place is one project of the estate.
type place struct {
	scene
	found    []stub
	holdable int // ready tasks for the reader
	shown    map[task.ID]bool
}

func (e *estate) open(ctx context.Context, s *core.Env, tx *store.Tx) error {
	name := core.CallerOf(ctx).Actor.Name
	if e.in.Actor != "" {
		var err error
		if name, _, err = task.ParseActor(e.in.Actor); err != nil {
			return err
		}
	}
	all, err := tx.Projects()
	if err != nil {
		return err
	}
	if e.out.Seen, err = inboxdb.Mark(tx, name); err != nil {
		return err
	}
	for _, p := range all {
		if p.Archived {
			continue
		}
		reader, err := s.ReaderIn(ctx, tx, p, e.in.Actor)
		if err != nil {
			return err
		}
		pol, err := s.Policy(tx, p)
		if err != nil {
			return err
		}
		pl := &place{scene: scene{core.Scene{Tx: tx, View: tx, Project: p, Actor: reader, Policy: pol, Limit: e.limit}, s}, shown: map[task.ID]bool{}}
		if err := e.count(pl); err != nil {
			return err
		}
		e.places = append(e.places, pl)
	}
	return nil
}

// count gathers the items of a project, and counts its ready work.
func (e *estate) count(pl *place) error {
	g := gatherer{scene: pl.scene, reader: pl.Actor, all: e.in.All}
	found, matching, err := g.gather("")
	if err != nil {
		return err
	}
	pl.found = found
	anyones := matching
	pl.holdable = pl.Project.Ready
	if !e.in.All {
		if matching <= counted { // otherwise there are more items for anyone than are counted
			g.all = true
			if _, anyones, err = g.gather(""); err != nil {
				return err
			}
		}
		ready, _, err := pl.View.ReadyBy(pl.Project.Slug)
		if err != nil {
			return err
		}
		pl.holdable = query.Holdable(pl.Policy, pl.Actor, ready)
	}
	e.out.Ready += pl.Project.Ready
	e.out.ReadyMatching += pl.holdable
	e.out.TotalMore = e.out.TotalMore || anyones > counted
	e.out.Total += min(anyones, counted) + pl.Project.Ready
	e.out.Matching += min(matching, counted) + pl.holdable
	e.out.For[pl.Project.Slug] = min(matching, counted)
	return nil
}

func (e *estate) compose() (EstateOut, error) {
	if err := e.waiting(); err != nil {
		return e.out, err
	}
	if err := e.ready(); err != nil {
		return e.out, err
	}
	e.out.Watermark = e.out.Seen
	shown := int64(0)
	for i := range e.out.Items {
		item := &e.out.Items[i]
		item.New = item.Event == nil || *item.Event > e.out.Seen
		if item.Event != nil {
			shown = max(shown, *item.Event)
		}
	}
	if shown > 0 {
		e.out.Watermark = min(shown, e.cut-1)
	}
	return e.out, nil
}

// waiting adds inbox items, the oldest of all projects first.
func (e *estate) waiting() error {
	type of struct {
		*place
		stub
	}
	var all []of
	for _, pl := range e.places {
		for _, s := range pl.found[:min(len(pl.found), e.limit+1)] { // they are in order: later ones can neither be shown nor be the first cut off
			all = append(all, of{pl, s})
		}
	}
	slices.SortStableFunc(all, func(a, b of) int { return a.compare(&b.stub) })
	if len(all) > e.limit {
		e.cut = all[e.limit].key()
		all = all[:e.limit]
	}
	byPlace := map[*place][]stub{}
	for _, o := range all {
		byPlace[o.place] = append(byPlace[o.place], o.stub)
	}
	worded := map[*place][]Item{}
	for pl, stubs := range byPlace {
		var err error
		if worded[pl], err = pl.worded(pl.Actor, stubs); err != nil {
			return err
		}
	}
	for _, o := range all {
		it := worded[o.place][0]
		worded[o.place] = worded[o.place][1:]
		e.out.Items = append(e.out.Items, EstateItem{
			ID: it.ID, Kind: string(it.Kind), Project: it.Project, Task: it.Task, Title: it.Title, Status: it.Status, For: it.For, Why: it.Why,
			Since: it.Since, Event: it.Event, Seen: it.Seen, TakenBy: it.TakenBy, TakenTo: it.TakenTo, Unblocks: it.Unblocks, Settle: it.Settle, About: it.About, Dispute: it.Dispute,
		})
	}
	return nil
}

// ready adds ready work of all projects after the items, in the order of the default policy.
func (e *estate) ready() error {
	room := e.limit - len(e.out.Items)
	var heads []*walk
	defer func() {
		for _, h := range heads {
			h.stop()
		}
	}()
	for _, pl := range e.places {
		if room == 0 || pl.holdable == 0 {
			continue
		}
		h := pl.walk(e.in.All, room)
		if err := h.step(); err != nil {
			return err
		}
		heads = append(heads, h)
	}
	var picked []*walk
	for ; room > 0; room-- {
		var best *walk
		for _, h := range heads {
			if h.head != nil && (best == nil || h.before(best)) {
				best = h
			}
		}
		if best == nil {
			break
		}
		best.place.shown[best.head.ID] = true
		picked = append(picked, &walk{place: best.place, head: best.head})
		if err := best.step(); err != nil {
			return err
		}
	}
	err := e.work(picked)
	for _, pl := range e.places {
		if err == nil {
			err = e.cutOff(pl)
		}
	}
	return err
}

// before reports whether its head comes before another's.
func (w *walk) before(o *walk) bool {
	return task.Order{}.Compare(task.Policy{}, w.place.Actor, w.head, o.head) < 0
}

// cutOff finds the oldest event of the reader's ready work that is not shown. After a thousand tasks that are not for
// the reader it stops, and uses the event where it stopped.
func (e *estate) cutOff(pl *place) error {
	if len(pl.shown) >= pl.holdable {
		return nil
	}
	// If all of it is for the reader, one more than is shown is enough.
	for _, limit := range []int{len(pl.shown) + 1, len(pl.shown) + counted} {
		oldest, err := pl.Tx.OldestReady(pl.Project.Slug, limit)
		if err != nil {
			return err
		}
		for i, t := range oldest {
			mine := e.in.All || pl.Policy.MayHold(pl.Actor, t.Autonomy, t.MayExecute) == nil
			if mine && !pl.shown[t.ID] || i == len(pl.shown)+counted-1 {
				e.cut = min(e.cut, t.LastEvent)
				return nil
			}
		}
		if len(oldest) < limit {
			return nil // the rest has lapsed and is not swept yet: its event will come later
		}
	}
	return nil
}

// walk yields a project's ready work, one task at a time.
type walk struct {
	place *place
	head  *task.Task
	next  func() (*task.Task, error, bool)
	stop  func()
}

func (p *place) walk(all bool, room int) *walk {
	q := query.Frontier{Project: p.Project.Slug, Policy: p.Policy, Actor: p.Actor, Lane: query.LaneHoldable, Limit: min(room, 8)}
	q.Policy.Selection = nil // one order for all projects
	if all {
		q.Lane = query.LaneReady
	}
	next, stop := iter.Pull2(func(yield func(*task.Task, error) bool) {
		if err := p.View.Walk(q, func(t *task.Task) bool { return yield(t, nil) }); err != nil {
			yield(nil, err)
		}
	})
	return &walk{place: p, next: next, stop: stop}
}

// step moves to the next task; after the last, there is no head.
func (w *walk) step() (err error) {
	w.head, err, _ = w.next()
	return err
}

// work adds ready tasks as items.
func (e *estate) work(picked []*walk) error {
	if len(picked) == 0 {
		return nil
	}
	ids, events := map[*place][]task.ID{}, []int64{}
	for _, w := range picked {
		ids[w.place] = append(ids[w.place], w.head.ID)
		if w.head.LastEvent > 0 {
			events = append(events, w.head.LastEvent)
		}
	}
	gists := map[*place]map[task.ID]task.Gist{}
	for pl, of := range ids {
		var err error
		if gists[pl], err = pl.Tx.Gists(pl.Project.Slug, of); err != nil {
			return err
		}
	}
	happened := map[int64]task.Time{}
	if err := picked[0].place.Tx.EventsByID(events, func(ev task.Event) { happened[ev.ID] = ev.At }); err != nil {
		return err
	}
	for _, w := range picked {
		t := w.head
		item := EstateItem{
			ID: KindReady + ":" + string(t.ID), Kind: KindReady, Project: t.Project, Task: t.ID, Title: t.Title, Status: t.Status,
			For: w.place.routed(t), Why: "it is ready", Since: t.UpdatedAt, Unblocks: gists[w.place][t.ID].Unblocks,
		}
		if at, ok := happened[t.LastEvent]; ok {
			item.Event, item.Since = &t.LastEvent, at
		}
		e.out.Items = append(e.out.Items, item)
	}
	return nil
}

// routed returns who may take a task.
func (p *place) routed(t *task.Task) string {
	if p.Policy.ForPeople(t.Autonomy) {
		return "human"
	}
	if may := p.Policy.TaskMayExecute(t.MayExecute); len(may) > 0 {
		return strings.Join(may, ", ")
	}
	return "anyone"
}
