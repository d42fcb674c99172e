package rows

import (
	"strconv"

	"tasker/internal/db"
	"tasker/internal/task"
)

// Scanner reads rows of one project, or, with Slugs, of any.
type Scanner struct {
	Slug  string
	Slugs map[int64]string // by project

	last string // what repeated gave before
}

// Of returns what reads rows of a project as records.
func Of[T any](slug string, read func(*Scanner, db.Row, *T) error) func(db.Row) (T, error) {
	s := &Scanner{Slug: slug}
	return func(row db.Row) (one T, err error) {
		err = read(s, row, &one)
		return one, err
	}
}

// TaskOf is Of for tasks, each of which is allocated once.
func TaskOf(slug string, read func(*Scanner, db.Row, *task.Task) error) func(db.Row) (*task.Task, error) {
	s := &Scanner{Slug: slug}
	return func(row db.Row) (*task.Task, error) {
		t := &task.Task{}
		return t, read(s, row, t)
	}
}

// ID returns the id of a task, and makes its project the row's.
func (s *Scanner) ID(ref int64) task.ID {
	if s.Slugs != nil {
		s.Slug = s.Slugs[ProjectOf(ref)]
	}
	var b [84]byte // a slug has up to 63 characters
	return task.ID(strconv.AppendInt(append(append(b[:0], s.Slug...), '-'), Number(ref), 10))
}

// project returns the slug of a project, or nothing, and makes the project the row's.
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

// repeated copies a text that is usually the same as in the row before.
func (s *Scanner) repeated(b []byte) string {
	if string(b) != s.last {
		s.last = string(b)
	}
	return s.last
}

// Whole returns the task of a row of TaskColumns.
func (s *Scanner) Whole(row db.Row) (*task.Task, error) {
	t := &task.Task{}
	return t, ReadTask(s, row, t)
}
