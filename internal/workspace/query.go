package workspace

import "tasker/internal/task"

// Query says which workspaces are asked for; what is empty is any.
type Query struct {
	Task    task.ID
	Project string
	Host    string
}
