package asof

import (
	"cmp"
	"maps"
	"slices"
	"strconv"
	"strings"

	"tasker/internal/core"
	"tasker/internal/fault"
	"tasker/internal/task"
	"tasker/internal/task/query"
)

// List returns the tasks that a query finds, a page at a time: those of the stored list that have not changed, and
// those of the overlay merged into its order.
func (v *View) List(q query.List) ([]*task.Task, query.Count, string, error) {
	if q.Sort == query.ByChanged {
		return nil, query.Count{}, "", fault.Bad("the time of the last change is not known for an earlier moment").WithMissing(fault.Parameter("sort")).
			WithHint("leave at out, or sort by %s", strings.Join(sortable, ", "))
	}
	if q.Mark != "" && q.Mark != task.MarkNeedsAnswer {
		return nil, query.Count{}, "", fault.Bad("what was %s is not known for an earlier moment", q.Mark).WithMissing(fault.Parameter("mark")).
			WithHint("leave at out, or ask for the mark %s", task.MarkNeedsAnswer)
	}
	l, err := v.listing(q)
	if err != nil {
		return nil, query.Count{}, "", err
	}
	if err := l.read(); err != nil {
		return nil, query.Count{}, "", err
	}
	if q.Bytes > 0 {
		fit, err := v.FillWithin(q.Bytes, l.tasks...)
		if err != nil {
			return nil, query.Count{}, "", err
		}
		l.cut(fit)
	}
	total, err := l.total()
	return l.tasks, total, l.next(), err
}

// Marked counts the tasks that needed an answer. No other mark is known for an earlier moment.
func (v *View) Marked(slug string, mark task.Mark, reader string) (int, error) {
	l, err := v.listing(query.List{Project: slug, Mark: mark, Reader: reader})
	if err != nil {
		return 0, err
	}
	total, err := l.total()
	return total.N, err
}

// sortable are the orders for an earlier moment: events do not record when a task was last changed before them.
var sortable = slices.DeleteFunc(slices.Clone(query.Sorts), func(name string) bool { return query.Sort(name) == query.ByChanged })

// listing is a page of a list as it was, merged from stored tasks and the overlay.
type listing struct {
	tasks []*task.Task
	ends  []spot // the position after each task

	v      *View
	q      query.List
	plain  func(*task.Task) bool // what a task shows itself: all but Under and DependencyOf
	match  func(*task.Task) bool // of a task in the overlay: the whole query
	over   []*task.Task          // the tasks of the overlay or, if stored is not set, everything that the query finds, in order
	stored bool
	count  *query.Count // of the stored list, once it has been read

	at    spot
	whole bool // nothing follows it
}

// spot is how far a list has been read: by number, up to one; in any other order, up to a position in the stored list
// and one in the overlay.
type spot struct {
	stored int64
	over   int
}

// listing prepares a list from the position of its cursor. If the query depends on tasks of the overlay, all its tasks are
// known already and the stored list is not read.
func (v *View) listing(q query.List) (*listing, error) {
	l := &listing{v: v, q: q, stored: true}
	within, among, err := l.narrow()
	if err != nil {
		return nil, err
	}
	l.plain = v.s.matches(q)
	l.match = func(t *task.Task) bool {
		return l.plain(t) && (q.Under == "" || within[t.ID]) && (q.DependencyOf == "" || among[t.ID])
	}
	if l.stored {
		l.over = v.s.replaced(nil, l.match)
	} else {
		one := among
		if q.DependencyOf == "" {
			one = within
		}
		if l.over, err = v.TasksByID(slices.Collect(maps.Keys(one))); err != nil {
			return nil, err
		}
		l.over = slices.DeleteFunc(l.over, func(t *task.Task) bool { return !l.match(t) })
	}
	slices.SortFunc(l.over, l.compare)
	return l, l.begin(q.Cursor)
}

// narrow returns the tasks below q.Under, and those that q.DependencyOf waited for: all of them, or only those of the
// overlay.
func (l *listing) narrow() (within, among map[task.ID]bool, err error) {
	s, q := l.v.s, l.q
	if q.DependencyOf != "" {
		deps, err := l.v.Edges([]task.ID{q.DependencyOf})
		if err != nil {
			return nil, nil, err
		}
		among = map[task.ID]bool{}
		for _, e := range deps {
			among[e.To] = true
		}
		l.stored = !s.Has(q.DependencyOf)
	}
	if q.Under == "" {
		return nil, among, nil
	}
	if l.stored = l.stored && !s.moved; l.stored {
		within, err = s.under(q.Under)
		return within, among, err
	}
	below, err := l.v.Below(q.Under)
	within = make(map[task.ID]bool, len(below))
	for _, t := range below {
		within[t.ID] = true
	}
	return within, among, err
}

// begin goes to the position of a cursor.
func (l *listing) begin(cursor string) error {
	if cursor == "" {
		return nil
	}
	stored, over, both := strings.Cut(cursor, ".")
	var err, second error
	if l.at.stored, err = strconv.ParseInt(stored, 10, 64); both {
		l.at.over, second = strconv.Atoi(over)
	}
	if err != nil || second != nil || both != l.q.Sorted() || l.at.stored < 0 || l.at.over < 0 {
		return fault.Bad("the cursor is not one of this list").WithMissing(fault.Parameter("cursor")).
			WithHint("give the nextCursor of the previous page, with the same at")
	}
	if !both {
		l.at.over = l.upTo(l.at.stored)
	}
	l.at.over = min(l.at.over, len(l.over))
	return nil
}

// upTo returns how many tasks of the overlay have a number up to one. They are sorted by number.
func (l *listing) upTo(n int64) int {
	i, _ := slices.BinarySearchFunc(l.over, n+1, func(t *task.Task, n int64) int { return cmp.Compare(numberOf(t), n) })
	return i
}

func numberOf(t *task.Task) int64 {
	_, n, _ := task.ParseID(string(t.ID))
	return n
}

// next returns the cursor of the next page, or nothing.
func (l *listing) next() string {
	switch {
	case l.whole:
		return ""
	case l.q.Sorted():
		return strconv.FormatInt(l.at.stored, 10) + "." + strconv.Itoa(l.at.over)
	}
	return strconv.FormatInt(l.at.stored, 10)
}

// cut keeps only the first n tasks of the page.
func (l *listing) cut(n int) {
	if n < len(l.tasks) {
		l.tasks, l.ends, l.at, l.whole = l.tasks[:n], l.ends[:n], l.ends[n-1], false
	}
}

// read reads the page: one task more than fits, to see whether there is a next page.
func (l *listing) read() error {
	from := run{more: l.stored}
	for scanned := 0; l.q.Limit == 0 || len(l.tasks) <= l.q.Limit; {
		for len(from.rows) == 0 && from.more && (l.q.Text == "" || scanned < query.MaxScanned) {
			var err error
			if from, err = l.fetch(l.at.stored); err != nil {
				return err
			}
			scanned += from.scanned
			if len(from.rows) == 0 {
				l.at.stored = from.next
			}
		}
		switch {
		case len(from.rows) == 0 && from.more: // it has looked at enough
			l.upToHere()
			return nil
		case l.at.over < len(l.over) && (len(from.rows) == 0 || l.compare(l.over[l.at.over], from.rows[0]) < 0):
			t, end := l.over[l.at.over], spot{l.at.stored, l.at.over + 1}
			if !l.q.Sorted() {
				end.stored = numberOf(t)
			}
			l.add(t, end)
		case len(from.rows) > 0:
			l.add(from.rows[0], spot{from.at[0], l.at.over})
			from.rows, from.at = from.rows[1:], from.at[1:]
			if len(from.rows) == 0 && from.more {
				l.at.stored = from.next
			}
		default:
			l.whole = true
			return nil
		}
	}
	l.cut(l.q.Limit)
	return nil
}

// upToHere ends a page of a list by number at the last number it looked at: the page includes every task of the overlay
// up to there.
func (l *listing) upToHere() {
	if l.q.Sorted() {
		return
	}
	here := l.at.stored
	for end := l.upTo(here); l.at.over < end; {
		t := l.over[l.at.over]
		l.add(t, spot{numberOf(t), l.at.over + 1})
	}
	if l.at.stored = here; l.q.Limit > 0 {
		l.cut(l.q.Limit)
	}
}

func (l *listing) add(t *task.Task, end spot) {
	l.tasks, l.ends, l.at = append(l.tasks, t), append(l.ends, end), end
}

// run is some tasks of the stored list that have not changed since.
type run struct {
	rows    []*task.Task
	at      []int64 // the position after each task
	next    int64   // where to continue, if there is more
	more    bool    // whether there is more
	scanned int     // how many tasks it looked at
}

// mostAtOnce is how many tasks of the stored list are read at once.
const mostAtOnce = 1000

// fetch reads the next part of the stored list. If that is not sorted by number, the text is compared here, because the
// position would not be known otherwise.
func (l *listing) fetch(from int64) (out run, err error) {
	q := l.q
	q.Limit, q.Bytes, q.Cursor = mostAtOnce, 0, strconv.FormatInt(from, 10)
	if l.q.Limit > 0 && (q.Text == "" || !q.Sorted()) {
		q.Limit = min(l.q.Limit+1, mostAtOnce)
	}
	if q.Sorted() {
		q.Text, q.Bytes = "", cmp.Or(l.q.Bytes, core.PageBytes)
	}
	found, total, next, err := l.v.tx.List(q)
	if err != nil {
		return out, err
	}
	if l.count == nil && q.Text == l.q.Text {
		l.count = &total
	}
	out.next = from
	if out.more = next != ""; out.more {
		if out.next, err = strconv.ParseInt(next, 10, 64); err != nil {
			return out, err
		}
	}
	out.scanned = len(found)
	if !q.Sorted() && out.more {
		out.scanned = int(out.next - from)
	}
	for i, t := range found {
		if l.v.s.Has(t.ID) || q.Text != l.q.Text && !l.plain(t) {
			continue
		}
		at := from + int64(i) + 1
		if !q.Sorted() {
			at = numberOf(t)
		}
		out.rows, out.at = append(out.rows, t), append(out.at, at)
	}
	return out, nil
}

// total counts what the query finds.
func (l *listing) total() (query.Count, error) {
	if !l.stored {
		return query.Count{N: len(l.over)}, nil
	}
	if l.count == nil {
		q := l.q
		q.Limit, q.Bytes, q.Cursor = 1, 1, ""
		_, total, _, err := l.v.tx.List(q)
		if err != nil {
			return total, err
		}
		l.count = &total
	}
	if !l.count.More {
		l.v.s.count(func(t *task.Task, by int) {
			if l.match(t) {
				l.count.N += by
			}
		})
	}
	return *l.count, nil
}
