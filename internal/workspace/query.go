package workspace

import "tasker/internal/task"

// Query selects workspaces; an empty field matches any.
type Query struct {
	Task    task.ID
	Project string
	Host    string
}
