// Package handover composes what a worker must know about a task, its context bundle: the tasks around it, its notes and
// other annotations, what its gate and approvals require, who worked on it before and how far they got, and which
// guidance has changed since the claim. Compose reads one snapshot; Finish then reads files and counts tokens.
package handover
