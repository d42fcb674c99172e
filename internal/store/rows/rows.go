// Package rows reads the store's records from rows and turns them into rows. The code for each column is generated from
// the db tags of package task by tasker/internal/task/field, so that nothing is addressed by its position in a
// statement:
//
//	s := rows.Scanner{Slug: slug}
//	conn.Query(`SELECT `+rows.TaskColumns+` FROM task WHERE id=$1`, args, func(row db.Row) error {
//		return rows.ReadTask(&s, row, t)
//	})
//
// The code written by hand handles what columns contain: the keys of tasks, moments, lists stored as JSON, and memory that
// many rows of one read share.
package rows

import (
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"

	"tasker/internal/db"
	"tasker/internal/fault"
	"tasker/internal/task"
)

// Shift is the number of bits of a task's number in its key, below the project's id.
const Shift = 32

// MaxNumber is the largest number that a task can have in its project.
const MaxNumber = 1<<Shift - 1

// KeyOf returns the key of the n-th task of a project.
func KeyOf(project, n int64) int64 { return project<<Shift | n }

// KeyIn returns the key of a task of a project.
func KeyIn(project int64, id task.ID) int64 {
	_, n, _ := task.ParseID(string(id))
	return KeyOf(project, n)
}

// Number returns a task's number in its project.
func Number(ref int64) int64 { return ref & MaxNumber }

// ProjectOf returns the id of the project that a task belongs to.
func ProjectOf(ref int64) int64 { return ref >> Shift }

// Ref returns the key of the task in a row. Every form of a task begins with it.
func Ref(row db.Row) int64 { return row.Int(0) }

// refOf returns the value of a column that names another task of the same project, or null.
func refOf(ref int64, id task.Opt) any {
	if id == "" {
		return nil
	}
	return KeyIn(ProjectOf(ref), task.ID(id))
}

// claimOf returns a claim for its columns, and its holder, which is null without a claim.
func claimOf(c *task.Claim) (task.Claim, any) {
	if c == nil {
		return task.Claim{}, nil
	}
	return *c, c.Actor
}

// Kinds writes a list of event kinds as SQL. Kinds are a closed list, so that is safe.
func Kinds(kinds []task.Kind) string {
	quoted := make([]string, len(kinds))
	for i, k := range kinds {
		quoted[i] = `'` + string(k) + `'`
	}
	return `(` + strings.Join(quoted, `,`) + `)`
}

// MomentOf returns the moment that a due date means, or null.
func MomentOf(due task.Opt) any {
	if at, err := task.ParseDue(string(due)); err == nil {
		return int64(at)
	}
	return nil
}

// statusOf returns a status without copying its text.
func statusOf(b []byte) task.Status {
	for _, s := range task.Statuses {
		if string(b) == string(s) {
			return s
		}
	}
	return task.Status(b)
}

// bytesOf copies a column; an empty one is nil.
func bytesOf(b []byte) []byte {
	if len(b) == 0 {
		return nil
	}
	return append([]byte(nil), b...)
}

// EncodeList returns a list as JSON; an empty list is the empty text, which costs nothing to read.
func EncodeList[T any](list []T) (string, error) {
	if len(list) == 0 {
		return "", nil
	}
	b, err := json.Marshal(list)
	return string(b), err
}

func encodeMap(m map[string][]string) (string, error) {
	if len(m) == 0 {
		return "", nil
	}
	b, err := json.Marshal(m, json.Deterministic(true))
	return string(b), err
}

// encodeVia joins face, request, session and, if there is one, the agent with a character that none of them contains.
func encodeVia(v task.Via) string {
	s := v.Face + "\x1f" + string(v.RequestID) + "\x1f" + string(v.Session)
	if v.Agent != "" {
		s += "\x1f" + string(v.Agent)
	}
	return s
}

func decodeVia(s string) (v task.Via, err error) {
	face, rest, _ := strings.Cut(s, "\x1f")
	request, rest, ok := strings.Cut(rest, "\x1f")
	session, agent, _ := strings.Cut(rest, "\x1f")
	if !ok || strings.Contains(agent, "\x1f") {
		return v, fault.New(fault.Internal, "an event's via reads %q", s)
	}
	return task.Via{Face: face, RequestID: task.Opt(request), Session: task.Opt(session), Agent: task.Opt(agent)}, nil
}

// Scanner reads rows of one project, or, with Slugs, of any. If Limit says how many rows to expect, it allocates tasks,
// keys and texts together. Lists and boards read dozens of rows with half a dozen short texts each: without this, "GET
// ready" of make bench allocates 718 times instead of 383 (with no measurable difference in processor time). Without a
// limit, each is allocated separately, so that none keeps the others in memory.
type Scanner struct {
	Slug  string
	Slugs map[int64]string // by project
	Limit int

	room []task.Task // for the rows to come
	keys []byte
	page strings.Builder // for texts
	last string          // the last result of repeated
}

// Of returns a function that reads rows of a project as records.
func Of[T any](slug string, read func(*Scanner, db.Row, *T) error) func(db.Row) (T, error) {
	return By(&Scanner{Slug: slug}, read)
}

// By is Of for the rows that a scanner reads.
func By[T any](s *Scanner, read func(*Scanner, db.Row, *T) error) func(db.Row) (T, error) {
	return func(row db.Row) (one T, err error) {
		err = read(s, row, &one)
		return one, err
	}
}

// TaskOf is Of for tasks, each of which is allocated once.
func TaskOf(slug string, read func(*Scanner, db.Row, *task.Task) error) func(db.Row) (*task.Task, error) {
	s := &Scanner{Slug: slug}
	return func(row db.Row) (*task.Task, error) {
		t := s.Task()
		return t, read(s, row, t)
	}
}

// Task returns the next task to read a row into.
func (s *Scanner) Task() *task.Task {
	if len(s.room) == 0 {
		s.room = make([]task.Task, max(1, min(s.Limit, 8)))
	}
	t := &s.room[0]
	s.room = s.room[1:]
	return t
}

// Key copies bytes of a row; empty bytes are not nil.
func (s *Scanner) Key(b []byte) []byte {
	if s.keys == nil || cap(s.keys)-len(s.keys) < len(b) {
		s.keys = make([]byte, 0, max(len(b), 48*min(s.Limit, 24)))
	}
	at := len(s.keys)
	s.keys = append(s.keys, b...)
	return s.keys[at:len(s.keys):len(s.keys)]
}

// text copies a text of a row.
func (s *Scanner) text(b []byte) string {
	if len(b) == 0 {
		return ""
	}
	if s.page.Cap()-s.page.Len() < len(b) {
		s.page = strings.Builder{}
		s.page.Grow(max(len(b), min(s.Limit, 8)*512))
	}
	at := s.page.Len()
	s.page.Write(b)
	return s.page.String()[at:]
}

// ID returns the id of a task, and makes its project the current one.
func (s *Scanner) ID(ref int64) task.ID {
	if s.Slugs != nil {
		s.Slug = s.Slugs[ProjectOf(ref)]
	}
	var b [84]byte // a slug has up to 63 characters
	return task.ID(s.text(strconv.AppendInt(append(append(b[:0], s.Slug...), '-'), Number(ref), 10)))
}

// project returns the slug of a project, or nothing, and makes the project the current one.
func (s *Scanner) project(id int64) task.Opt {
	s.Slug = s.Slugs[id]
	return task.Opt(s.Slug)
}

// parent returns the id of another task of the row's project, or nothing.
func (s *Scanner) parent(ref int64) task.Opt {
	if ref == 0 || s.Slug == "" {
		return ""
	}
	return task.Opt(s.ID(ref))
}

// repeated copies a text that is usually the same as in the previous row.
func (s *Scanner) repeated(b []byte) string {
	if string(b) != s.last {
		s.last = string(b)
	}
	return s.last
}

// Whole returns the task of a row of TaskColumns.
func (s *Scanner) Whole(row db.Row) (*task.Task, error) {
	t := s.Task()
	return t, ReadTask(s, row, t)
}
