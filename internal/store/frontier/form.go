package frontier

import (
	"strings"

	"tasker/internal/db"
	"tasker/internal/store/rows"
	"tasker/internal/task"
	"tasker/internal/task/query"
)

// form is how much of a task a walk reads: the columns, the tables, and the function that reads them.
type form struct {
	cols string
	n    int    // how many they are
	join string // to the tables next to the task
	from string // what follows "frontier f" in a statement that reads along it
	scan func(s *rows.Scanner, row db.Row, t *task.Task) error
}

func formOf(cols, join string, scan func(s *rows.Scanner, row db.Row, t *task.Task) error) form {
	return form{cols, strings.Count(cols, ",") + 1, join, ` CROSS JOIN task t` + join + ` WHERE t.id=f.task AND `, scan}
}

// keysAlone reads only keys.
var keysAlone = form{cols: `f.task`, n: 1, from: ` WHERE `}

// forms are the forms by query.Form. The preferred actor is also on the frontier's row, and is read from there.
var forms = [...]form{
	query.Whole: formOf(rows.TaskColumnsT, ``, rows.ReadTask),
	query.Ready: formOf(rows.ReadyTaskColumnsT, ` LEFT JOIN task_body b ON b.task=t.id`, scanReady),
	query.Brief: formOf(rows.BriefTaskColumnsT, ``, rows.ReadBriefTask),
}

// scanReady reads what a list shows of ready tasks, and sets the fields that are the same for all of them: see
// query.Ready.
func scanReady(s *rows.Scanner, row db.Row, t *task.Task) error {
	err := rows.ReadReadyTask(s, row, t)
	t.Status, t.HasBody = task.Open, t.Body != ""
	return err
}
