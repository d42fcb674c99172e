package roots

import (
	"tasker/internal/task"
	"tasker/internal/task/query"
)

// Of is OfFlow for tasks and edges by their ids. Each edge leads from a task to one that it waits for.
func Of(ids []task.ID, edges []query.Edge) *Chart { return chart(ids, edges, len(ids) <= MaxOpen) }
