package eventlog

import (
	"strconv"
	"strings"

	"tasker/internal/db"
)

// Spoken returns the last event of the write that an actor made before its newest one in a project, under any of some names; 0
// where there is none. Each name costs two seeks.
func (l Log) Spoken(slug string, names []string) (int64, error) {
	project, err := l.of.ProjectKey(slug)
	if err != nil {
		return 0, err
	}
	var newest, batch, before int64
	for _, name := range names {
		err := l.c.Query(`SELECT id, batch FROM event WHERE project=$1 AND actor=$2 ORDER BY id DESC LIMIT 1`, []any{project, name},
			db.Scan2(func(id, of int64) error {
				if id > newest {
					newest, batch = id, of
				}
				return nil
			}))
		if err != nil {
			return 0, err
		}
	}
	for _, name := range names {
		err := l.c.Query(`SELECT id FROM event WHERE project=$1 AND actor=$2 AND id<$3 ORDER BY id DESC LIMIT 1`, []any{project, name, batch},
			db.Scan1(func(id int64) error {
				before = max(before, id)
				return nil
			}))
		if err != nil {
			return 0, err
		}
	}
	return before, nil
}

// Concerned reports whether there can be news for an actor in a project: whether it holds a task there, under any of some
// names, besides one, or has asked anything anywhere that was answered. It is one statement of a few seeks.
func (l Log) Concerned(slug string, names []string, besides int64) (bool, error) {
	project, err := l.of.ProjectKey(slug)
	if err != nil {
		return false, err
	}
	args := []any{project, besides}
	var in []string
	for _, name := range names {
		args = append(args, name)
		in = append(in, `$`+strconv.Itoa(len(args)))
	}
	found, list := false, strings.Join(in, `, `)
	err = l.c.Query(`SELECT 1 WHERE EXISTS (SELECT 1 FROM task WHERE project=$1 AND holder IN (`+list+`) AND holder IS NOT NULL AND id<>$2)
		OR EXISTS (SELECT 1 FROM question WHERE actor IN (`+list+`) AND answered_at>0)`, args, func(db.Row) error {
		found = true
		return nil
	})
	return found, err
}
