package eventlog

import (
	"errors"
	"strconv"
	"strings"

	"tasker/internal/db"
	"tasker/internal/task"
	"tasker/internal/task/query"
)

// Spoken looks for events of an actor in a project, under any of some names. It returns the last event of the write
// before the actor's newest one, or 0. It is one statement with two seeks per name.
func (l Log) Spoken(slug string, names []string) (int64, error) {
	project, err := l.of.ProjectKey(slug)
	if err != nil {
		return 0, err
	}
	newest, heard := spoken(len(names), 1)
	return db.Value[int64](l.c, newest+` SELECT id FROM `+heard, db.Args(names, project)...)
}

// spoken returns the common table newest, and the one-row table heard that is built from it and holds what Spoken
// returns. The project is $1, and the names follow the argument last. heard is not a common table, because SQLite would
// materialise one that is read more than once.
func spoken(names, last int) (newest, heard string) {
	latest, earlier := make([]string, names), make([]string, names)
	for i := range names {
		by := ` FROM event WHERE project=$1 AND actor=$` + strconv.Itoa(last+1+i)
		latest[i] = `SELECT * FROM (SELECT id, batch` + by + ` ORDER BY id DESC LIMIT 1) AS n`
		earlier[i] = `SELECT * FROM (SELECT id` + by + ` AND id<(SELECT batch FROM newest) ORDER BY id DESC LIMIT 1) AS e`
	}
	return `WITH newest AS (SELECT batch FROM (` + strings.Join(latest, ` UNION ALL `) + `) AS a ORDER BY id DESC LIMIT 1)`,
		`(SELECT COALESCE(MAX(id), 0) AS id FROM (` + strings.Join(earlier, ` UNION ALL `) + `) AS b) AS heard`
}

// looked is how many events after the last one that an actor knows of are searched for one by somebody else.
const looked = 50

// Concerned returns what concerns an actor in a project, under any of some names. It is one statement with a few seeks.
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
	past := `FROM event WHERE project=$1 AND id>heard.id ORDER BY id LIMIT ` + strconv.Itoa(looked)
	newest, heard := spoken(len(names), 2)
	return c.Ask(newest+`
		SELECT (SELECT COUNT(*) FROM (SELECT 1 FROM task WHERE project=$1 AND holder IN `+list+` AND holder IS NOT NULL AND id<>$2
				LIMIT `+strconv.Itoa(limit)+`) AS h),
			CASE WHEN EXISTS (SELECT 1 FROM question WHERE actor IN `+list+` AND answered_at>0) THEN 1 ELSE 0 END,
			heard.id,
			CASE WHEN EXISTS (SELECT 1 FROM (SELECT actor `+past+`) AS p WHERE actor NOT IN `+list+`) OR
				(SELECT COUNT(*) FROM (SELECT 1 `+past+`) AS q)=`+strconv.Itoa(looked)+` THEN 1 ELSE 0 END FROM `+heard, db.Args(names, project, besides),
		db.Scan4(func(held int, answered bool, last int64, others bool) error {
			*into = query.Concern{Held: held, Answered: answered, Heard: last, Others: others}
			return nil
		}))
}

// Wrote reports whether an actor has an event in a project up to one, under its plain name or any instance of it. It is one
// statement with two seeks. Pruning keeps the newest event of every actor, so it is true for good. That an actor created
// the project says nothing about who it is: it could have declared itself as anything in the file that became the record.
func (l Log) Wrote(slug, name string, until int64) (bool, error) {
	project, err := l.of.ProjectKey(slug)
	if err != nil {
		return false, err
	}
	n, err := db.Value[int64](l.c, `SELECT CASE WHEN EXISTS (SELECT 1 FROM event WHERE project=$1 AND actor=$2 AND kind<>$5 AND id<=$6)
		OR EXISTS (SELECT 1 FROM event WHERE project=$1 AND actor>$3 AND actor<$4 AND kind<>$5 AND id<=$6) THEN 1 ELSE 0 END`, project, name, name+"/", name+"0", string(task.ProjectCreated), until)
	return n == 1, err
}
