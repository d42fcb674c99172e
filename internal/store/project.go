package store

import (
	"cmp"
	"maps"
	"slices"

	"tasker/internal/db"
	"tasker/internal/fault"
	"tasker/internal/hint"
	"tasker/internal/store/frontier"
	"tasker/internal/store/rows"
	"tasker/internal/task"
	"tasker/internal/task/query"
)

// Project returns a project's record.
func (tx *Tx) Project(slug string) (*task.Project, error) {
	p, err := tx.Find(slug)
	if err != nil {
		return nil, err
	}
	return tx.Shown(p)
}

// Projects returns every project that the reader sees, by slug.
func (tx *Tx) Projects() ([]*task.Project, error) {
	all, err := db.All(tx.C, `SELECT `+rows.ProjectColumns+` FROM project ORDER BY slug`, nil, ScanProject)
	if err != nil {
		return nil, err
	}
	out := make([]*task.Project, 0, len(all))
	for _, p := range all {
		slug := p.Rec.Slug
		if tx.Cache[slug] == nil {
			tx.Cache[slug] = p
		}
		if tx.Hides(slug) {
			continue
		}
		shown, err := tx.Shown(tx.Cache[slug])
		if err != nil {
			return nil, err
		}
		out = append(out, shown)
	}
	return out, nil
}

// CheckSlugFree declines a slug that differs only in case from that of an existing project; the project own may have
// it.
func (tx *Tx) CheckSlugFree(name, own string) error {
	taken, err := db.Value[string](tx.C, `SELECT slug FROM project WHERE LOWER(slug)=$1 AND slug<>$2`, task.LowerSlug(name), own)
	switch {
	case err == nil && taken == "":
		return CheckFormer(tx, name, own)
	case err != nil:
		return err
	case tx.Hides(taken):
		return fault.Decline("%s cannot name a project here: a slug that differs from it only in case is taken", name).
			WithHint("choose another slug")
	}
	return fault.Decline("there is a project %s already, and %s differs from it only in case", taken, name).
		WithHint("write %s if you mean that project, else choose another slug", taken)
}

// CreateProject adds a project and records its events.
func (tx *Tx) CreateProject(rec *task.Project, ev ...task.Draft) error {
	if tx.Hides(rec.Slug) {
		return NoProject(rec.Slug)
	}
	_, err := tx.Find(rec.Slug)
	switch {
	case err == nil:
		return fault.Decline("there is a project %q already", rec.Slug).WithHint("show it: %s", hint.Project(rec.Slug))
	case !fault.Is(err, fault.NotFound):
		return err
	}
	if err := (tx).CheckSlugFree(rec.Slug, rec.Slug); err != nil {
		return err
	}
	id, err := db.Value[int64](tx.C, `SELECT COALESCE(MAX(id), 0) + 1 FROM project`)
	if err != nil {
		return err
	}
	next, err := tx.NumberAfter(rec.Slug)
	if err != nil {
		return err
	}
	p := NewProject(id)
	p.Rec = *rec
	p.Rec.NextNumber, p.Rec.CreatedAt, p.Rec.UpdatedAt, p.Rec.GraphVersion, p.Rec.FlowVersion = next, tx.Now(), tx.Now(), 1, 1
	values, err := rows.ProjectValues(&p.Rec, id)
	if err != nil {
		return err
	}
	tx.Exec(1, rows.InsertProject, values...)
	tx.Cache[rec.Slug] = p
	tx.Turn.Undo(func() { delete(tx.Cache, rec.Slug) })
	*rec = p.Rec
	if _, err := tx.Places.Order(p.Front, task.Order{}); err != nil {
		return err
	}
	return tx.Record(rec.Slug, "", ev...)
}

// SaveProject writes the description of a project, guarded by its graph version, which it increments.
func (tx *Tx) SaveProject(before, after *task.Project, ev ...task.Draft) error {
	p, err := tx.Find(before.Slug)
	if err != nil {
		return err
	}
	if p.Rec.GraphVersion != before.GraphVersion {
		return fault.Stale("the project %s was changed by somebody else in between", before.Slug).WithHint("read it again and retry")
	}
	tx.Touch(p)
	p.Rec.GraphVersion++
	p.Rec.Name, p.Rec.Vision, p.Rec.Gates, p.Rec.Settings = after.Name, after.Vision, after.Gates, after.Settings
	p.Rec.Policy, p.Rec.PolicyFile, p.Rec.PolicyAt = after.Policy, after.PolicyFile, after.PolicyAt
	p.Rec.PolicyDir, p.Rec.PolicyPlace, p.Rec.Repo = after.PolicyDir, after.PolicyPlace, after.Repo
	p.Rec.Archived, p.Rec.UpdatedAt = after.Archived, tx.Now()
	args, err := rows.ProjectDescriptionArgs(p.ID, &p.Rec)
	if err != nil {
		return err
	}
	tx.Exec(1, rows.UpdateProjectDescription, args...)
	return tx.Record(before.Slug, "", ev...)
}

// RenameProject changes a project's slug, and with it the ids of its tasks. The old ids still resolve.
func (tx *Tx) RenameProject(slug, to string, undoes ...int64) error {
	p, err := tx.Find(slug)
	if err != nil {
		return err
	}
	if tx.Hides(to) {
		return NoProject(to)
	}
	if _, err := tx.Find(to); err == nil {
		return fault.Decline("there is a project %q already", to)
	} else if !fault.Is(err, fault.NotFound) {
		return err
	}
	if err := (tx).CheckSlugFree(to, slug); err != nil {
		return err
	}
	tx.Touch(p)
	p.Rec.Slug, p.Rec.UpdatedAt, p.Rec.GraphVersion = to, tx.Now(), p.Rec.GraphVersion+1
	delete(tx.Cache, slug)
	tx.Cache[to] = p
	tx.Turn.Undo(func() { delete(tx.Cache, to); tx.Cache[slug] = p })
	tx.Exec(1, `UPDATE project SET slug=$2, updated_at=$3 WHERE id=$1 AND slug=$4`, p.ID, to, int64(tx.Now()), slug)
	if err := tx.C.Exec(db.Any, `DELETE FROM former WHERE slug=$1`, to); err != nil { // its own slug again, or that of a deleted project
		return err
	}
	tx.Exec(1, `INSERT INTO former (slug, project, next_n) VALUES ($1,$2,0)`, slug, p.ID)
	payload := Undoing(task.Payload{"slug": task.Delta{From: slug, To: to}}, undoes)
	return tx.Record(to, "", task.Draft{Kind: task.ProjectRenamed, Payload: payload})
}

// DeleteProject removes a project and everything in it, including its events, and records one event that says so.
func (tx *Tx) DeleteProject(slug string) error {
	p, err := tx.Find(slug)
	if err != nil {
		return err
	}
	lo, hi := p.Span()
	for _, table := range OfTask {
		tx.Exec(db.Any, `DELETE FROM `+table+` WHERE task BETWEEN $1 AND $2`, lo, hi)
	}
	tx.Exec(db.Any, `DELETE FROM task WHERE id BETWEEN $1 AND $2`, lo, hi)
	tx.removesEvents()
	tx.Places.Delete(p.ID)
	for _, table := range []string{"tally", "touch", "delivery", "event", "actor", "linked", "runner"} {
		tx.Exec(db.Any, `DELETE FROM `+table+` WHERE project=$1`, p.ID)
	}
	_ = tx.C.DropWords(p.ID) // the connection keeps the error
	tx.Exec(1, `DELETE FROM project WHERE id=$1 AND slug=$2`, p.ID, slug)
	delete(tx.Cache, slug)
	tx.Turn.Undo(func() { tx.Cache[slug] = p })
	tx.Exec(db.Any, `UPDATE former SET project=0, next_n=$2 WHERE project=$1`, p.ID, p.Rec.NextNumber)
	tx.Exec(1, `INSERT INTO former (slug, project, next_n) VALUES ($1,0,$2)`, slug, p.Rec.NextNumber)
	return tx.Record("", "", task.Draft{Kind: task.ProjectDeleted, Payload: task.Payload{
		"slug": slug, "deleted": task.Delta{From: false, To: true},
	}})
}

// NewProject returns a project with an empty record.
func NewProject(id int64) *Project {
	p := &Project{ID: id}
	p.Front = frontier.NewProject(id, &p.Rec)
	return p
}

// ScanProject reads a project from a row of rows.ProjectColumns.
func ScanProject(row db.Row) (*Project, error) {
	p := NewProject(row.Int(rows.ProjectAtID))
	return p, rows.ReadProject(&rows.Scanner{}, row, &p.Rec)
}

// Find returns a project that the reader sees.
func (tx *Tx) Find(slug string) (*Project, error) {
	if tx.Hides(slug) {
		return nil, NoProject(slug)
	}
	return tx.Loaded(slug)
}

// Loaded returns a project, visible or not. It loads the project once per transaction.
func (tx *Tx) Loaded(slug string) (*Project, error) {
	if p := tx.Cache[slug]; p != nil {
		return p, nil
	}
	found, err := db.All(tx.C, `SELECT `+rows.ProjectColumns+` FROM project WHERE slug=$1`, []any{slug}, ScanProject)
	switch {
	case err != nil:
		return nil, err
	case len(found) > 0:
		tx.Cache[slug] = found[0]
		return found[0], nil
	case tx.Head.Absent != "":
		return nil, NoDatabase(tx.Head.Absent).WithCause(task.UnknownProject(slug))
	}
	f, err := tx.former(slug)
	if err == nil {
		err = f.gone(tx, slug)
	}
	return nil, err
}

// Known returns the slugs of the projects that the transaction has looked up, in order.
func (tx *Tx) Known() []string { return sortedKeys(tx.Cache) }

// Shown returns the record with lapsed claims counted as if they were swept.
func (tx *Tx) Shown(p *Project) (*task.Project, error) {
	rec := p.Rec
	lapsed, err := tx.Lapsed(p)
	if err != nil {
		return nil, err
	}
	for _, t := range lapsed {
		rec.Tasks.InProgress--
		rec.Tasks.Open++
		rec.Held--
		switch t.State() {
		case task.StateReady:
			rec.Ready++
		case task.StateWaiting:
			rec.Waiting++
		default: // asked: the others count it
		}
	}
	return &rec, nil
}

// SlugsByID returns the slug of each project by its id.
func (tx *Tx) SlugsByID() (map[int64]string, error) {
	return db.Pairs[int64, string](tx.C, `SELECT id, slug FROM project`)
}

// days sums the daily counts from one day up to, but not including, another.
func (tx *Tx) days(p *Project, what string, from, to int64) (int, error) {
	return db.Value[int](tx.C, `SELECT CAST(COALESCE(SUM(n), 0) AS BIGINT) FROM tally WHERE project=$1 AND what=$2 AND at>=$3 AND at<$4`, p.ID, what,
		from, to)
}

// Overdue counts the open tasks of a project that are past due.
func (tx *Tx) Overdue(slug string) (int, error) {
	p, err := tx.Find(slug)
	if err != nil {
		return 0, err
	}
	today := tx.Now().Day()
	n, err := tx.days(p, TallyDue, -1<<40, today)
	if err != nil {
		return 0, err
	}
	due, err := db.Value[int](tx.C, `SELECT COUNT(*) FROM task WHERE project=$1 AND due_at IS NOT NULL AND due_at>=$2 AND due_at<$3
		AND status<>'done' AND status<>'cancelled'`, p.ID, int64(task.StartOfDay(today)), tx.Head.Now)
	return n + due, err
}

// ClosedSince counts the closed tasks of a project that were closed at since or later.
func (tx *Tx) ClosedSince(slug string, since task.Time) (int, error) {
	p, err := tx.Find(slug)
	if err != nil {
		return 0, err
	}
	day := since.Day()
	n, err := tx.days(p, TallyClosed, day+1, 1<<40)
	if err != nil {
		return 0, err
	}
	for _, s := range []task.Status{task.Done, task.Cancelled} {
		closed, err := db.Value[int](tx.C, `SELECT COUNT(*) FROM task WHERE project=$1 AND status=`+literal(s)+`
			AND closed_at>0 AND closed_at>=$2 AND closed_at<$3`, p.ID, int64(since), int64(task.StartOfDay(day+1)))
		if err != nil {
			return 0, err
		}
		n += closed
	}
	return n, nil
}

// ReadyBy counts ready tasks by what they declare for routing. keptBack counts the tasks that a blocking question holds
// back, whether or not something else does too.
func (tx *Tx) ReadyBy(slug string) (ready []query.RouteCount, keptBack int, err error) {
	p, err := tx.Find(slug)
	if err != nil {
		return nil, 0, err
	}
	if err := tx.Front().Know(p.Front); err != nil {
		return nil, 0, err
	}
	counts := map[Tally]int{}
	err = tx.C.Query(`SELECT what, at, n FROM tally WHERE project=$1 AND (what=$2 OR what=$3)`, []any{p.ID, TallyRoute, TallyAsked},
		db.Each3(func(what string, at int64, n int) { counts[Tally{what, at}] = n }))
	if err != nil {
		return nil, 0, err
	}
	for k, by := range p.Tallies { // changed in this turn, and not written yet
		counts[k] += by
	}
	lapsed, err := tx.Lapsed(p)
	if err != nil {
		return nil, 0, err
	}
	for _, rt := range p.Front.Routes() {
		ready = append(ready, query.RouteCount{Autonomy: rt.Autonomy, MayExecute: rt.MayExecute, Ready: counts[Tally{What: TallyRoute, At: rt.ID}]})
	}
	keptBack = counts[Tally{What: TallyAsked}]
	for _, t := range lapsed { // as the sweep will write it
		if t.Ready() {
			ready = append(ready, query.RouteCount{Autonomy: t.Autonomy, MayExecute: t.MayExecute, Ready: 1})
		}
		keptBack += One(t.KeptBack())
	}
	return ready, keptBack, nil
}

// The counts of a project's tasks that are not in its own row: see the table tally.
const (
	TallyDue    = "due"    // open tasks by the day they are due
	TallyClosed = "closed" // closed tasks by the day they were closed
	TallyRoute  = "route"  // ready tasks by route
	TallyAsked  = "asked"  // tasks that a blocking question holds back, even if something else does too
)

// Tally names one count.
type Tally struct {
	What string
	At   int64
}

// Compare orders counts.
func (k Tally) Compare(o Tally) int {
	return cmp.Or(cmp.Compare(k.What, o.What), cmp.Compare(k.At, o.At))
}

// Count changes one count. It is written once, before the commit.
func (tx *Tx) Count(p *Project, what string, at int64, by int) {
	if by == 0 {
		return
	}
	if p.Tallies == nil {
		p.Tallies = map[Tally]int{}
	}
	k := Tally{what, at}
	p.Tallies[k] += by
	p.dirty = true
	tx.Turn.Undo(func() { p.Tallies[k] -= by })
}

// Daily updates the counts by day. before is nil for a new task.
func (tx *Tx) Daily(p *Project, before, after *task.Task) {
	if before == nil || before.Status != after.Status || before.Due != after.Due || before.ClosedAt != after.ClosedAt {
		if before != nil {
			tx.countDays(p, before, -1)
		}
		tx.countDays(p, after, 1)
	}
}

func (tx *Tx) countDays(p *Project, t *task.Task, by int) {
	if at, ok := t.Deadline(); ok {
		tx.Count(p, TallyDue, at.Day(), by)
	}
	if t.ClosedAt != 0 {
		tx.Count(p, TallyClosed, t.ClosedAt.Day(), by)
	}
}

// flush writes the counts that changed in the turn.
func (p *Project) flush(c db.Conn) {
	for _, k := range slices.SortedFunc(maps.Keys(p.Tallies), Tally.Compare) {
		by := p.Tallies[k]
		if by == 0 {
			continue
		}
		db.Exec(c, 1, `INSERT INTO tally (project, what, at, n) VALUES ($1,$2,$3,$4)
			ON CONFLICT (project, what, at) DO UPDATE SET n=tally.n+excluded.n`, p.ID, k.What, k.At, by)
	}
}

// GatesNamed returns the gates that tasks of a project have, closed ones included.
func (tx *Tx) GatesNamed(slug string) (map[string]bool, error) {
	p, err := tx.Find(slug)
	if err != nil {
		return nil, err
	}
	names, err := db.All(tx.C, `SELECT DISTINCT gate FROM task WHERE project=$1 AND gate<>''`, []any{p.ID}, db.Read1(func(gate string) string { return gate }))
	out := map[string]bool{}
	for _, name := range names {
		out[name] = true
	}
	return out, err
}

// The following counts in SQL how a project grew and was closed, so that a large project needs no task loaded for it.

// FirstCreated returns when the first task of a project was created, or zero if it has none.
func (tx *Tx) FirstCreated(slug string) (task.Time, error) {
	p, err := tx.Find(slug)
	if err != nil {
		return 0, err
	}
	lo, hi := p.Span()
	first, err := db.Value[int64](tx.C, `SELECT CAST(COALESCE(MIN(created_at), 0) AS BIGINT) FROM task WHERE id BETWEEN $1 AND $2`, lo, hi)
	return task.Time(first), err
}

// CreatedBySpan counts the tasks of a project by creation time, in n consecutive spans. The first span also has
// everything before it, and the last everything after. It reads the tasks in the order in which they lie.
func (tx *Tx) CreatedBySpan(slug string, s query.Spans) ([]int, error) {
	p, err := tx.Find(slug)
	if err != nil {
		return nil, err
	}
	lo, hi := p.Span()
	return tx.countSpans(s, `created_at`, `id BETWEEN $5 AND $6`, lo, hi)
}

// ClosedBySpan counts the tasks with a closed status by when they were closed, as CreatedBySpan does.
func (tx *Tx) ClosedBySpan(slug string, status task.Status, s query.Spans) ([]int, error) {
	p, err := tx.Find(slug)
	if err != nil {
		return nil, err
	}
	return tx.countSpans(s, `closed_at`, `project=$5 AND status=`+literal(status)+` AND closed_at>0`, p.ID)
}

func (tx *Tx) countSpans(s query.Spans, column, where string, args ...any) ([]int, error) {
	out := make([]int, s.N)
	// A span includes the moment that it begins at, and everything up to the next one.
	return out, tx.C.Query(`SELECT span, COUNT(*) FROM (SELECT CASE WHEN `+column+`<$1 THEN 0 WHEN `+column+`>=$2 THEN $3 ELSE (`+column+`-$1)/$4 END AS span
		FROM task WHERE `+where+`) spans GROUP BY span`,
		append([]any{int64(s.From), int64(s.From) + int64(s.Each)*int64(s.N), int64(s.N - 1), int64(s.Each)}, args...), db.Each2(func(span, n int) {
			out[span] += n
		}))
}

// Remaining returns the open tasks of a project, with only what a forecast needs.
func (tx *Tx) Remaining(slug string, limit int) ([]query.Remaining, error) {
	p, err := tx.Find(slug)
	if err != nil {
		return nil, err
	}
	return db.All(tx.C, `SELECT id, gate, created_at, CASE WHEN holder IS NOT NULL THEN claimed_at WHEN status<>'open' THEN updated_at ELSE 0 END FROM task
		WHERE project=$1 AND status<>'done' AND status<>'cancelled' ORDER BY id LIMIT $2`,
		[]any{p.ID, int64(limit)}, db.Read4(func(key int64, gate string, created, began int64) query.Remaining {
			return query.Remaining{Task: p.TaskID(key), Gate: gate, Created: task.Time(created), Began: task.Time(began)}
		}))
}

// Parts counts the parts of every task of a project that has any.
func (tx *Tx) Parts(slug string) (map[task.ID]query.Parts, error) {
	p, err := tx.Find(slug)
	if err != nil {
		return nil, err
	}
	out := map[task.ID]query.Parts{}
	return out, tx.C.Query(`SELECT parent, COUNT(*), SUM(CASE WHEN status='done' OR status='cancelled' THEN 1 ELSE 0 END) FROM task
		WHERE project=$1 AND parent IS NOT NULL GROUP BY parent`, []any{p.ID}, db.Each3(func(key int64, all, closed int) {
		out[p.TaskID(key)] = query.Parts{All: all, Closed: closed}
	}))
}
