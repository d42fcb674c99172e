package eventlog

import (
	"errors"
	"strconv"
	"strings"

	"tasker/internal/db"
)

// Spoken returns the last event of the write that an actor made before its newest one in a project, under any of some names; 0
// where there is none. It is one statement of two seeks a name.
func (l Log) Spoken(slug string, names []string) (before int64, err error) {
	project, err := l.of.ProjectKey(slug)
	if err != nil {
		return 0, err
	}
	args := []any{project}
	newest, earlier := make([]string, 0, len(names)), make([]string, 0, len(names))
	for _, name := range names {
		args = append(args, name)
		by := ` FROM event WHERE project=$1 AND actor=$` + strconv.Itoa(len(args))
		newest = append(newest, `SELECT * FROM (SELECT id, batch`+by+` ORDER BY id DESC LIMIT 1) AS n`)
		earlier = append(earlier, `SELECT * FROM (SELECT id`+by+` AND id<(SELECT batch FROM newest) ORDER BY id DESC LIMIT 1) AS e`)
	}
	err = l.c.Query(`WITH newest AS (SELECT batch FROM (`+strings.Join(newest, ` UNION ALL `)+`) AS a ORDER BY id DESC LIMIT 1)
		SELECT COALESCE(MAX(id), 0) FROM (`+strings.Join(earlier, ` UNION ALL `)+`) AS b`, args, db.Scan1(func(id int64) error {
		before = id
		return nil
	}))
	return before, err
}

// Concern says whether there can be news for an actor: without either there are none.
type Concern struct {
	Held     int  // tasks that it holds in a project, besides one and up to a limit
	Answered bool // something that it asked anywhere was answered
}

// Concerned returns what concerns an actor in a project, under any of some names. It is one statement of a few seeks.
func (l Log) Concerned(slug string, names []string, besides int64, limit int) (out Concern, err error) {
	project, err := l.of.ProjectKey(slug)
	if err != nil {
		return out, err
	}
	return out, errors.Join(AskConcerned(l.c, project, names, besides, limit, &out), l.c.Flush())
}

// AskConcerned queries what concerns an actor.
func AskConcerned(c db.Conn, project int64, names []string, besides int64, limit int, into *Concern) error {
	args := []any{project, besides}
	var in []string
	for _, name := range names {
		args = append(args, name)
		in = append(in, `$`+strconv.Itoa(len(args)))
	}
	list := strings.Join(in, `, `)
	return c.Ask(`SELECT (SELECT COUNT(*) FROM (SELECT 1 FROM task WHERE project=$1 AND holder IN (`+list+`) AND holder IS NOT NULL AND id<>$2
			LIMIT `+strconv.Itoa(limit)+`) AS held),
		CASE WHEN EXISTS (SELECT 1 FROM question WHERE actor IN (`+list+`) AND answered_at>0) THEN 1 ELSE 0 END`, args,
		db.Scan2(func(held, answered int64) error {
			*into = Concern{Held: int(held), Answered: answered > 0}
			return nil
		}))
}
