package store

import (
	"strconv"
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
	task.Ready: formOf(readyColsT, ` LEFT JOIN task_body b ON b.task=t.id`, scanReady),
	task.Brief: formOf(briefColsT, ``, scanBrief),
}

// scanner reads many rows of one project: tasks and keys lie side by side, and what most rows repeat is kept once.
type scanner struct {
	slug string
	most int         // rows at most
	room []task.Task // for the rows to come
	keys []byte
	page strings.Builder // of texts
	by   string          // who made the task before
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

// key keeps bytes of a row; what is empty is not null.
func (s *scanner) key(b []byte) []byte {
	if s.keys == nil || cap(s.keys)-len(s.keys) < len(b) {
		s.keys = make([]byte, 0, max(len(b), 48*min(s.most, 24)))
	}
	at := len(s.keys)
	s.keys = append(s.keys, b...)
	return s.keys[at:len(s.keys):len(s.keys)]
}

// text keeps a text of a row, beside others.
func (s *scanner) text(b []byte) string {
	if len(b) == 0 {
		return ""
	}
	if s.page.Cap()-s.page.Len() < len(b) {
		s.page = strings.Builder{}
		s.page.Grow(max(len(b), min(s.most, 8)*512))
	}
	at := s.page.Len()
	s.page.Write(b)
	return s.page.String()[at:]
}

// id keeps the id of a task.
func (s *scanner) id(ref int64) task.ID {
	var b [84]byte // a slug has up to 63 characters
	return task.ID(s.text(strconv.AppendInt(append(append(b[:0], s.slug...), '-'), number(ref), 10)))
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
	return task.Opt(s.id(ref))
}

// readyColsT are the columns that a list shows of ready tasks, body included, but for those that are the same of all of
// them: they are open, nobody holds them, and nothing is in their way.
const readyColsT = `t.id, t.key, t.title, t.parent, t.priority, t.severity, t.due, t.gate, t.autonomy, t.open_children,
	t.has_deps, t.may_execute, t.touches, t.criteria, t.links, t.sprint, t.rank, b.body, t.attempts, t.version, t.created_by,
	t.created_at, t.updated_at`

// scanReady reads these alone: see task.FrontierQuery.
func scanReady(s *scanner, row Row, t *task.Task) error {
	t.ID, t.Project, t.Key, t.Title = s.id(row.Int(0)), s.slug, s.text(row.Bytes(1)), s.text(row.Bytes(2))
	t.Parent, t.Status, t.Priority, t.Severity = s.parentOf(row.Int(3)), task.Open, int(row.Int(4)), task.Severity(row.Int(5))
	t.Due, t.Gate, t.Autonomy = task.Opt(row.Text(6)), task.Opt(row.Text(7)), task.Opt(row.Text(8))
	t.OpenChildren, t.NoDeps = int(row.Int(9)), row.Int(10) == 0
	t.Sprint, t.Rank = task.Opt(row.Text(15)), task.Opt(row.Text(16))
	t.Body = task.Opt(s.text(row.Bytes(17)))
	t.HasBody = t.Body != ""
	t.Attempts, t.Version, t.CreatedBy = int(row.Int(18)), row.Int(19), s.maker(row.Bytes(20))
	t.CreatedAt, t.UpdatedAt = task.Time(row.Int(21)), task.Time(row.Int(22))
	return readLists(t, row.Text(11), row.Text(12), s.text(row.Bytes(13)), row.Text(14))
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
