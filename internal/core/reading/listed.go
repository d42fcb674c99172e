package reading

import (
	"strings"

	"tasker/internal/fault"
	"tasker/internal/task"
	"tasker/internal/task/query"
	"tasker/internal/words"
)

// parseSort refuses anything that is no name of an order.
func parseSort(s string) (query.Sort, error) {
	switch s {
	case "", "id":
		return query.ByID, nil
	case "due", "priority", "age", "changed":
		return query.Sort(s), nil
	}
	return "", fault.Bad("%s is not an order", words.Quoted(s)).WithHint("one of %s", words.List(query.Sorts))
}

// parseStatuses returns the states of tasks in one of the statuses, which commas part.
func parseStatuses(list string) (query.States, error) {
	var set query.States
	for name := range strings.SplitSeq(list, ",") {
		of := query.Of(task.Status(strings.TrimSpace(name)))
		if of == 0 {
			return 0, fault.Bad("%q names no status", name).WithHint("one of %s; several with commas between them", words.List(task.Statuses))
		}
		set |= of
	}
	return set, nil
}
