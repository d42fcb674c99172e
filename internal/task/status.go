package task

import (
	"slices"

	"tasker/internal/fault"
	"tasker/internal/text/words"
)

// Status is where a task stands.
type Status string

// The statuses, in the order of a board's columns.
const (
	Open       Status = "open"
	InProgress Status = "in_progress"
	InReview   Status = "in_review"
	Done       Status = "done"
	Cancelled  Status = "cancelled"
)

// Statuses lists every status in the order of a board's columns.
var Statuses = []Status{Open, InProgress, InReview, Done, Cancelled}

// Closed reports whether a task with this status no longer holds anything up.
func (s Status) Closed() bool { return s == Done || s == Cancelled }

// ParseStatus returns the status of that name, or a refusal.
func ParseStatus(s string) (Status, error) {
	if slices.Contains(Statuses, Status(s)) {
		return Status(s), nil
	}
	return "", fault.Bad("%q is not a status", s).WithHint("one of %s", words.List(Statuses))
}

// Autonomy says how far an agent may take a task unsupervised.
type Autonomy string

// The autonomies, from the widest to the strictest.
const (
	Autonomous Autonomy = "autonomous"
	Supervised Autonomy = "supervised"
	HumanOnly  Autonomy = "human_only"
)

// Autonomies lists every autonomy from the widest to the strictest.
var Autonomies = []Autonomy{Autonomous, Supervised, HumanOnly}
