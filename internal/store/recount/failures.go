package recount

import (
	"github.com/go-json-experiment/json"

	"tasker/internal/db"
	"tasker/internal/task"
)

// failed is how often a task has failed, and its newest failure.
type failed struct {
	n      int
	newest int64
}

// countFailures counts lapses, failed releases and returns from review again, since a human acknowledged the task's
// failures or it was closed.
func (c *recount) countFailures() error {
	c.failed = map[int64]failed{}
	return c.r.C.Query(`SELECT task, id, kind, payload FROM event WHERE project=$1
		AND (kind='claim.expired' OR kind='claim.released' OR kind='task.moved') ORDER BY id`, []any{c.p.ID},
		db.Scan4(func(ref, event int64, kind, payload string) error {
			if _, ok := c.place(ref); !ok {
				return nil
			}
			again, closed, err := failure(task.Kind(kind), payload)
			switch {
			case err != nil:
				return err
			case closed:
				delete(c.failed, ref)
			case again && event > c.acknowledged[ref]:
				c.failed[ref] = failed{c.failed[ref].n + 1, event}
			}
			return nil
		}))
}

// failures compares the counts of a task's failures.
func (c *recount) failures(ref int64, t *task.Task) {
	is := c.failed[ref]
	if is.n < task.FailingAt {
		is.newest = 0
	}
	c.column(ref, "failures", "failures", t.Failures, is.n)
	c.column(ref, "the newest failure of a failing task", "failing", t.Failing, is.newest)
}

// failure reports whether an event is a failure of its task, and whether it closed the task.
func failure(kind task.Kind, payload string) (failed, closed bool, err error) {
	if kind == task.ClaimExpired {
		return true, false, nil
	}
	var event struct {
		Failed bool        `json:"failed"`
		From   task.Status `json:"from"`
		To     task.Status `json:"to"`
	}
	if err := json.Unmarshal([]byte(payload), &event); err != nil {
		return false, false, err
	}
	if kind == task.ClaimReleased {
		return event.Failed, false, nil
	}
	return event.From == task.InReview && !event.To.Closed(), event.To.Closed(), nil
}
