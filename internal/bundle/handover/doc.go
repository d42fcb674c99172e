// Package handover composes what a worker must know of a task, its context bundle: the tasks around it, what is noted
// beside it, what its gate and approvals ask for, who worked on it before and how far that came, and which guidance
// changed since the claim. Compose reads one snapshot; Finish reads files and counts tokens after it.
package handover
