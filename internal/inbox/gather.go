package inbox

import (
	"cmp"
	"slices"
	"strings"

	"tasker/internal/fault"
	"tasker/internal/hint"
	"tasker/internal/store/inboxdb"
	"tasker/internal/task"
	"tasker/internal/task/merge"
	"tasker/internal/task/waiting"
)

// counted is the number up to which items are counted.
const counted = 1000

// stub is an inbox item before it is put into words.
type stub struct {
	of   waiting.Waiting
	ref  waiting.ItemRef
	kind waiting.ItemKind
	who  string
	need *task.Requirement // of an approval
	lost bool              // no declared actor could give it
	seen bool

	approved, own bool // a review: a human has approved it since it was handed over; the reader has
}

// key orders items by their event; those whose event is not written yet come last.
func (s *stub) key() int64 {
	if s.of.Event == task.ThisEvent {
		return task.Unwritten
	}
	return s.of.Event
}

// judged reports whether the item asks people to judge a task in review.
func (s stub) judged() bool {
	return s.of.Kind == waiting.WaitJudgement && s.kind == waiting.ItemReview
}

// toBeDone reports whether the item is about a task that may be done.
func (s stub) toBeDone() bool { return s.judged() || s.elsewhere() }

// elsewhere reports whether the item says that another system closed the task, and this one did not.
func (s stub) elsewhere() bool {
	return s.of.Kind == waiting.WaitUnclosed || s.of.Kind == waiting.WaitNotice && s.of.Name == merge.NoticeMerged
}

func (s *stub) compare(o *stub) int {
	if c := cmp.Compare(s.key(), o.key()); c != 0 { // nearly always; comparing ids means parsing them
		return c
	}
	return cmp.Or(task.CompareIDs(s.ref.Task, o.ref.Task), cmp.Compare(s.ref.Item, o.ref.Item))
}

// gatherer finds the items of a project: those for a reader who has not put them away, or everybody's.
type gatherer struct {
	scene
	reader task.Actor
	all    bool

	actors []task.Actor // the declared ones, once a question needs them
}

// gather returns up to limit+1 of the oldest items (the extra one shows that there are more) and their total, exact up
// to 1,000. If a task is named, it returns only the items of that task.
func (g *gatherer) gather(only task.ID) (out []stub, total int, err error) {
	limit := g.Limit + 1
	if g.Limit == 0 {
		limit = counted + 1
	}
	for _, kind := range waiting.WaitKinds {
		if kind != waiting.WaitQuestion && !g.all && !g.reader.Human {
			continue // everything else is for humans
		}
		some, err := g.ofKind(kind, only, max(limit, counted+1-total)) // once the count is reached, no more than are returned
		if err != nil {
			return nil, 0, err
		}
		total += len(some)
		if kind != waiting.WaitStall { // all other kinds are ordered by their events
			some = first(some, limit)
		}
		out = append(out, some...)
	}
	return oldest(out, limit), total, nil
}

// oldest returns the first items in order, up to limit. It sorts pointers, because items are large and few of them are
// returned.
func oldest(items []stub, limit int) []stub {
	by := make([]*stub, len(items))
	for i := range items {
		by[i] = &items[i]
	}
	slices.SortFunc(by, (*stub).compare)
	out := make([]stub, 0, min(len(items), limit))
	for _, s := range by[:cap(out)] {
		out = append(out, *s)
	}
	return out
}

// first returns the first of items that are ordered by events: limit of them, or more if the last event has more.
func first(items []stub, limit int) []stub {
	end := min(len(items), limit)
	for end > 0 && end < len(items) && items[end].key() == items[end-1].key() {
		end++
	}
	return items[:end]
}

// pages are how many things of a kind are read at once. There are few sizes, so that their statements stay prepared.
var pages = []int{16, 64, 256, 512, counted + 1}

// ofKind returns the first items of a kind, up to want of them.
func (g *gatherer) ofKind(kind waiting.WaitKind, only task.ID, want int) ([]stub, error) {
	var out []stub
	size, _ := slices.BinarySearch(pages, want)
	q := waiting.Query{Task: only, Kind: kind, Limit: pages[min(size, len(pages)-1)]}
	if !g.all && (kind == waiting.WaitOverride || kind == waiting.WaitUnsupervised) {
		var err error
		if q.After, err = inboxdb.SeenAll(g.Tx, g.reader.Name, g.Project.Slug, kind); err != nil {
			return nil, err
		}
	}
	if !g.all && kind.EndsAtMark() {
		mark, err := inboxdb.Mark(g.Tx, g.reader.Name)
		if err != nil {
			return nil, err
		}
		q.After = max(q.After, mark)
	}
	for {
		page, stubs, err := g.page(q)
		if err != nil {
			return nil, err
		}
		if !g.all {
			if stubs, err = g.unseen(stubs); err != nil {
				return nil, err
			}
		}
		out = append(out, stubs...)
		if len(page) < q.Limit || len(out) >= want {
			return out, nil
		}
		q.After = page[len(page)-1].Stamp
	}
}

// page reads what waits in the project, and returns it with its items.
func (g *gatherer) page(q waiting.Query) ([]waiting.Waiting, []stub, error) {
	q.Project = g.Project.Slug
	page, err := inboxdb.Waiting(g.Tx, q)
	if err != nil {
		return nil, nil, err
	}
	stubs, err := g.expand(page)
	return page, stubs, err
}

// expand returns the items of waiting things: only those for the reader, unless everybody's are wanted.
func (g *gatherer) expand(page []waiting.Waiting) ([]stub, error) {
	given, err := g.given(page)
	if err != nil {
		return nil, err
	}
	out := make([]stub, 0, len(page))
	for _, w := range page {
		q := task.Question{To: w.To}
		mine := g.all || q.For(g.reader) || w.To == "" && g.reader.Human
		if w.Kind == waiting.WaitAsked {
			if mine, err = g.asked(q); err != nil {
				return nil, err
			}
		}
		switch {
		case w.Kind == waiting.WaitJudgement:
			out = g.judgement(out, w, given[w.Task])
		case w.Kind != waiting.WaitQuestion && w.Kind != waiting.WaitAsked || mine:
			out = append(out, stub{of: w, ref: waiting.ItemRef{Task: w.Task, Item: w.Item()}, kind: w.ItemKind(), who: cmp.Or(string(w.To), "human")})
		}
	}
	return g.unsettled(out)
}

// asked reports whether a question that blocks nothing is an item for the reader, who is a human, or for anyone if
// everybody's are wanted. One that is put to an agent is in no inbox: the agent hears of it in its news.
func (g *gatherer) asked(q task.Question) (bool, error) {
	if g.actors == nil {
		declared, err := g.env.Actors(g.Tx, g.Project)
		if err != nil {
			return false, err
		}
		g.actors = append(slices.Clone(g.Policy.Humans), declared...)
	}
	who, mine := q.Asks(g.actors, false), g.reader.Human && q.For(g.reader)
	if who == task.AskedPeople && q.To != "" && !mine {
		name, _, _ := strings.Cut(string(q.To), "/")
		wrote, err := g.Tx.Wrote(g.Project.Slug, name)
		if err != nil {
			return false, err
		}
		who = q.Asks(g.actors, wrote && g.Policy.DeclaresHuman)
	}
	switch who {
	case task.AskedPeople:
		return g.all || g.reader.Human, nil
	case task.AskedHuman:
		return g.all || mine, nil
	case task.AskedAgent:
	}
	return false, nil
}

// unsettled drops reviews that a human has approved since the task was handed over, unless something else is missing
// before the task can be done: then the others still have to look at it.
func (g *gatherer) unsettled(stubs []stub) ([]stub, error) {
	left, err := g.unfinished(stubs, func(s stub) bool { return s.approved })
	return slices.DeleteFunc(stubs, func(s stub) bool {
		o := left[s.ref.Task].Obstacles
		o.Approvals = nil // it lists all that are required
		return s.approved && len(o.Missing()) == 0
	}), err
}

// given reads the approvals of the tasks, if they decide anything: about a requirement, or about a review.
func (g *gatherer) given(page []waiting.Waiting) (map[task.ID][]task.Approval, error) {
	var ids []task.ID
	for _, w := range page {
		if w.Kind == waiting.WaitJudgement && w.Approvals > 0 && (w.InReview || len(g.requires(w.Gate)) > 0) {
			ids = append(ids, w.Task)
		}
	}
	return g.Tx.ApprovalsOf(g.Project.Slug, ids)
}

func (g *gatherer) requires(gate task.Opt) []task.Requirement {
	return g.Policy.RequiredOfAgents(&task.Task{Gate: gate})
}

// judgement returns the items that ask people to judge a task: one for each requirement that is not met, or else a
// review, which leaves the inbox of a human who approves it.
func (g *gatherer) judgement(out []stub, w waiting.Waiting, given []task.Approval) []stub {
	missing := task.MissingApprovals(g.requires(w.Gate), given)
	if len(missing) == 0 {
		if w.InReview && (g.all || g.reader.Human) {
			s := stub{of: w, ref: waiting.ItemRef{Task: w.Task, Item: w.Item()}, kind: waiting.ItemReview, who: "human"}
			s.approved, s.own = task.ApprovedSince(w.Event, given, g.reader.Name)
			out = append(out, s)
		}
		return out
	}
	for i, r := range missing {
		lost := len(g.Policy.Humans) > 0 && !slices.ContainsFunc(g.Policy.Humans, r.By)
		if !g.all && !r.By(g.reader) && !(lost && g.reader.Human) {
			continue
		}
		item := string(waiting.KindOf(r)) + ":" + r.For()
		same := 1 // two requirements of the same kind for the same people are two items
		for _, before := range missing[:i] {
			if waiting.KindOf(before) == waiting.KindOf(r) && before.For() == r.For() {
				same++
			}
		}
		if same > 1 {
			item += "#" + string(rune('0'+min(same, 9)))
		}
		out = append(out, stub{of: w, ref: waiting.ItemRef{Task: w.Task, Item: item}, kind: waiting.KindOf(r), who: r.For(), need: &missing[i], lost: lost})
	}
	return out
}

// unseen drops what the reader has put away.
func (g *gatherer) unseen(stubs []stub) ([]stub, error) {
	err := g.look(g.reader, stubs)
	return slices.DeleteFunc(stubs, func(s stub) bool { return s.seen }), err
}

// look marks what a reader has put away.
func (s scene) look(reader task.Actor, stubs []stub) error {
	if len(stubs) == 0 {
		return nil
	}
	seen, err := inboxdb.Seen(s.Tx, reader.Name, s.Project.Slug, tasksOf(stubs, nil))
	if err != nil {
		return err
	}
	var mark int64
	if slices.ContainsFunc(stubs, func(st stub) bool { return st.of.Kind.EndsAtMark() }) {
		if mark, err = inboxdb.Mark(s.Tx, reader.Name); err != nil {
			return err
		}
	}
	for i := range stubs {
		of := stubs[i].of
		stamp, ok := seen[stubs[i].ref]
		stubs[i].seen = stubs[i].own || ok && stamp >= of.Stamp || of.Kind.EndsAtMark() && of.Stamp <= mark
	}
	return nil
}

// tasksOf returns the tasks of the wanted stubs, or of all if wanted is nil.
func tasksOf(stubs []stub, wanted func(stub) bool) (ids []task.ID) {
	for _, s := range stubs {
		if wanted == nil || wanted(s) {
			ids = append(ids, s.ref.Task)
		}
	}
	return ids
}

// find returns the item with an id, or not found if no such item waits.
func (g *gatherer) find(ref waiting.ItemRef) (stub, error) {
	none := fault.Missing("there is no item %s in the inbox of %s", ref.ID(), g.Project.Slug).WithHint("see what there is: %s", hint.InboxOf(g.Project.Slug))
	t, err := g.View.Task(ref.Task) // this sweeps a lapsed lease
	if fault.Is(err, fault.NotFound) || err == nil && t.Project != g.Project.Slug {
		return stub{}, none
	}
	if err != nil {
		return stub{}, err
	}
	found, _, err := g.gather(ref.Task)
	if err != nil {
		return stub{}, err
	}
	if i := slices.IndexFunc(found, func(s stub) bool { return s.ref == ref }); i >= 0 {
		return found[i], nil
	}
	return stub{}, none
}
