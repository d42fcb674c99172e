package eventlog

import (
	"errors"
	"strconv"
	"strings"

	"tasker/internal/db"
	"tasker/internal/task/query"
)

// Spoken returns the last event of the write that an actor made before its newest one in a project, under any of some names; 0
// where there is none. It is one statement of two seeks a name.
func (l Log) Spoken(slug string, names []string) (before int64, err error) {
	project, err := l.of.ProjectKey(slug)
	if err != nil {
		return 0, err
	}
	err = l.c.Query(heard(len(names), 1)+` SELECT id FROM heard`, arguments(names, project), db.Scan1(func(id int64) error {
		before = id
		return nil
	}))
	return before, err
}

// heard returns the common table heard, of one row: what Spoken returns. The project is $1, and the names follow the argument
// last.
func heard(names, last int) string {
	newest, earlier := make([]string, names), make([]string, names)
	for i := range names {
		by := ` FROM event WHERE project=$1 AND actor=$` + strconv.Itoa(last+1+i)
		newest[i] = `SELECT * FROM (SELECT id, batch` + by + ` ORDER BY id DESC LIMIT 1) AS n`
		earlier[i] = `SELECT * FROM (SELECT id` + by + ` AND id<(SELECT batch FROM newest) ORDER BY id DESC LIMIT 1) AS e`
	}
	return `WITH newest AS (SELECT batch FROM (` + strings.Join(newest, ` UNION ALL `) + `) AS a ORDER BY id DESC LIMIT 1),
		heard AS (SELECT COALESCE(MAX(id), 0) AS id FROM (` + strings.Join(earlier, ` UNION ALL `) + `) AS b)`
}

func arguments(names []string, first ...any) []any {
	for _, name := range names {
		first = append(first, name)
	}
	return first
}

// looked is how many events past what an actor has heard are searched for one by somebody else.
const looked = 50

// Concerned returns what concerns an actor in a project, under any of some names. It is one statement of a few seeks.
func (l Log) Concerned(slug string, names []string, besides int64, limit int) (out query.Concern, err error) {
	project, err := l.of.ProjectKey(slug)
	if err != nil {
		return out, err
	}
	return out, errors.Join(AskConcerned(l.c, project, names, besides, limit, &out), l.c.Flush())
}

// AskConcerned queries what concerns an actor.
func AskConcerned(c db.Conn, project int64, names []string, besides int64, limit int, into *query.Concern) error {
	list := db.In(3, len(names))
	past := `FROM event WHERE project=$1 AND id>(SELECT id FROM heard) ORDER BY id LIMIT ` + strconv.Itoa(looked)
	return c.Ask(heard(len(names), 2)+`
		SELECT (SELECT COUNT(*) FROM (SELECT 1 FROM task WHERE project=$1 AND holder IN `+list+` AND holder IS NOT NULL AND id<>$2
				LIMIT `+strconv.Itoa(limit)+`) AS h),
			CASE WHEN EXISTS (SELECT 1 FROM question WHERE actor IN `+list+` AND answered_at>0) THEN 1 ELSE 0 END,
			(SELECT id FROM heard),
			CASE WHEN EXISTS (SELECT 1 FROM (SELECT actor `+past+`) AS p WHERE actor NOT IN `+list+`) OR
				(SELECT COUNT(*) FROM (SELECT 1 `+past+`) AS q)=`+strconv.Itoa(looked)+` THEN 1 ELSE 0 END`, arguments(names, project, besides),
		db.Scan4(func(held, answered, heard, others int64) error {
			*into = query.Concern{Held: int(held), Answered: answered > 0, Heard: heard, Others: others > 0}
			return nil
		}))
}
