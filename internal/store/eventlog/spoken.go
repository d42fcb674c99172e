package eventlog

import (
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

// Concerned returns how many tasks an actor holds in a project under any of some names, besides one and up to limit, and whether
// anything that it asked anywhere was answered: without either there are no news for it. It is one statement of a few seeks.
func (l Log) Concerned(slug string, names []string, besides int64, limit int) (held int, answered bool, err error) {
	project, err := l.of.ProjectKey(slug)
	if err != nil {
		return 0, false, err
	}
	args := []any{project, besides}
	var in []string
	for _, name := range names {
		args = append(args, name)
		in = append(in, `$`+strconv.Itoa(len(args)))
	}
	list := strings.Join(in, `, `)
	err = l.c.Query(`SELECT (SELECT COUNT(*) FROM (SELECT 1 FROM task WHERE project=$1 AND holder IN (`+list+`) AND holder IS NOT NULL AND id<>$2
			LIMIT `+strconv.Itoa(limit)+`) AS held),
		CASE WHEN EXISTS (SELECT 1 FROM question WHERE actor IN (`+list+`) AND answered_at>0) THEN 1 ELSE 0 END`, args,
		db.Scan2(func(n, asked int64) error {
			held, answered = int(n), asked > 0
			return nil
		}))
	return held, answered, err
}
