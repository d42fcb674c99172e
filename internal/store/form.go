package store

import (
	"strings"

	"tasker/internal/task"
)

// form is how much of a task a walk reads: which columns, of which tables, and what is made of them.
type form struct {
	cols string
	n    int    // how many they are
	join string // of what stands beside the task
	from string // what follows "frontier f" in a statement that reads along it
	scan func(s *scanner, row Row, t *task.Task) error
}

func formOf(cols, join string, scan func(s *scanner, row Row, t *task.Task) error) form {
	return form{cols, strings.Count(cols, ",") + 1, join, ` CROSS JOIN task t` + join + ` WHERE t.id=f.task AND `, scan}
}

// keysAlone reads nothing of the task.
var keysAlone = form{cols: `f.task`, n: 1, from: ` WHERE `}

// forms are the forms by their names. Whom a task prefers stands on the frontier's row too, and is taken from there.
var forms = [...]form{
	task.Whole: formOf(taskColsT, ``, func(s *scanner, row Row, t *task.Task) error { return readTask(s.slug, row, t) }),
	task.Shown: formOf(shownColsT, ` LEFT JOIN task_body b ON b.task=t.id`, scanShown),
	task.Brief: formOf(briefColsT, ``, scanBrief),
}

// scanner reads many rows of one project: tasks and keys lie side by side, and what most rows repeat is kept once.
type scanner struct {
	slug string
	most int         // rows at most
	room []task.Task // for the rows to come
	keys []byte
	by   string // who made the task before
}

// task gives the next task to read a row into.
func (s *scanner) task() *task.Task {
	if len(s.room) == 0 {
		s.room = make([]task.Task, max(1, min(s.most, 8)))
	}
	t := &s.room[0]
	s.room = s.room[1:]
	return t
}

// key keeps bytes of a row.
func (s *scanner) key(b []byte) []byte {
	if cap(s.keys)-len(s.keys) < len(b) {
		s.keys = make([]byte, 0, max(len(b), 48*min(s.most, 24)))
	}
	at := len(s.keys)
	s.keys = append(s.keys, b...)
	return s.keys[at:len(s.keys):len(s.keys)]
}

// maker is who made a task: mostly whoever made the one before.
func (s *scanner) maker(b []byte) string {
	if string(b) != s.by {
		s.by = string(b)
	}
	return s.by
}

// statusOf reads a status without a copy of the word.
func statusOf(b []byte) task.Status {
	for _, s := range task.Statuses {
		if string(b) == string(s) {
			return s
		}
	}
	return task.Status(b)
}

// parentOf is the id of a parent, if there is one.
func (s *scanner) parentOf(ref int64) task.Opt {
	if ref == 0 {
		return ""
	}
	return task.Opt(task.MakeID(s.slug, number(ref)))
}

// shownColsT are the columns that a list shows of tasks that nobody holds, body included, and those by which they stand
// on a lane.
const shownColsT = `t.id, t.key, t.title, t.parent, t.status, t.priority, t.severity, t.due, t.gate, t.autonomy,
	t.has_deps, t.may_execute, t.touches, t.criteria, t.links, t.sprint, t.rank, t.open_deps, t.open_children,
	t.live_children, t.questions, b.body, t.attempts, t.version, t.created_by, t.created_at, t.updated_at`

// scanShown reads these alone: see task.FrontierQuery.
func scanShown(s *scanner, row Row, t *task.Task) error {
	t.ID, t.Project, t.Key, t.Title = task.MakeID(s.slug, number(row.Int(0))), s.slug, row.Text(1), row.Text(2)
	t.Parent, t.Status, t.Priority, t.Severity = s.parentOf(row.Int(3)), statusOf(row.Bytes(4)), int(row.Int(5)), task.Severity(row.Int(6))
	t.Due, t.Gate, t.Autonomy, t.NoDeps = task.Opt(row.Text(7)), task.Opt(row.Text(8)), task.Opt(row.Text(9)), row.Int(10) == 0
	t.Sprint, t.Rank = task.Opt(row.Text(15)), task.Opt(row.Text(16))
	t.OpenDeps, t.OpenChildren, t.LiveChildren, t.Questions = int(row.Int(17)), int(row.Int(18)), int(row.Int(19)), int(row.Int(20))
	t.Body = task.Opt(row.Text(21))
	t.HasBody = t.Body != ""
	t.Attempts, t.Version, t.CreatedBy = int(row.Int(22)), row.Int(23), s.maker(row.Bytes(24))
	t.CreatedAt, t.UpdatedAt = task.Time(row.Int(25)), task.Time(row.Int(26))
	return scanLists(t, row)
}

// briefColsT are the columns that say who holds a task and whom it is for.
const briefColsT = `t.id, t.status, t.autonomy, t.may_execute, t.open_deps, t.live_children, t.questions, t.holder,
	t.claimed_at, t.expires_at`

// scanBrief reads these alone: see task.FrontierQuery.
func scanBrief(s *scanner, row Row, t *task.Task) (err error) {
	t.ID, t.Project, t.Status, t.Autonomy = task.MakeID(s.slug, number(row.Int(0))), s.slug, statusOf(row.Bytes(1)), task.Opt(row.Text(2))
	t.OpenDeps, t.LiveChildren, t.Questions = int(row.Int(4)), int(row.Int(5)), int(row.Int(6))
	if !row.Null(7) {
		t.Claim = &task.Claim{Task: t.ID, Actor: row.Text(7), ClaimedAt: task.Time(row.Int(8)), ExpiresAt: task.Time(row.Int(9))}
	}
	t.MayExecute, err = decodeTexts(row.Text(3))
	return err
}
