package task

import (
	"fmt"
	"strings"
	"time"

	"tasker/internal/text/words"
)

// Cause is what a waiting task waits for in the end: the root of its longest chain, an open task that does not wait itself,
// so that somebody can act on it.
//
//field:json
type Cause struct {
	Task        ID     `json:"task"`
	Title       string `json:"title"`
	Status      Status `json:"status"`
	State       string `json:"state"` // its state
	Holder      Opt    `json:"holder"`
	QuietSince  Time   `json:"quietSince"`  // the last write of its holder; null if nobody holds it, and for a claim without a lease
	NeedsAnswer bool   `json:"needsAnswer"` // a blocking question is open on it
	Others      int    `json:"others"`      // how many other such tasks it waits for; 0 in a project with more than 20,000 open tasks
}

// CauseOf returns a task as the cause of one that waits for this many others, too.
func CauseOf(t *Task, others int) *Cause {
	c := &Cause{Task: t.ID, Title: t.Title, Status: t.Status, State: States[t.State()], Holder: t.Holder(), NeedsAnswer: t.Questions > 0, Others: others}
	if t.Claim != nil {
		c.QuietSince = t.Claim.LastWrite()
	}
	return c
}

// LastWrite returns when the holder last wrote: each of its writes extends the lease by its own length. It returns 0 for
// a claim without a lease, which no write extends.
func (c *Claim) LastWrite() Time {
	if c.LeaseMs == 0 || c.ExpiresAt == 0 {
		return 0
	}
	return c.ExpiresAt.Add(-c.LeaseMs)
}

// Words names the cause, with who holds it, for how long nothing was heard, or what is missing:
// "shop-59 Delivery date (claude/1, quiet 38 min) and 4 others". span is how the reader's face says a duration.
func (c *Cause) Words(now Time, span func(time.Duration) string) string {
	out := fmt.Sprintf("%s %s (%s)", c.Task, c.Title, c.Standing(now, span))
	if c.Others > 0 {
		out += " and " + words.Count(c.Others, "other", "others")
	}
	return out
}

// Standing says who holds the cause, for how long nothing was heard, or what is missing.
func (c *Cause) Standing(now Time, span func(time.Duration) string) string {
	var out []string
	switch {
	case c.Holder != "":
		out = append(out, string(c.Holder))
		if quiet := now.Go().Sub(c.QuietSince.Go()); c.QuietSince != 0 && quiet >= time.Minute && !c.NeedsAnswer {
			out = append(out, "quiet "+span(quiet))
		}
	case c.State == States[StateUnheld]:
		out = append(out, "in progress, nobody holds it")
	case c.State == States[StateAsked]: // the answer is what it needs
	default:
		out = append(out, strings.ReplaceAll(c.State, "_", " "))
	}
	if c.NeedsAnswer {
		out = append(out, "needs an answer")
	}
	return strings.Join(out, ", ")
}
