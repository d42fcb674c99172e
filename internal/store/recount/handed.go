package recount

import (
	"github.com/go-json-experiment/json"

	"tasker/internal/db"
	"tasker/internal/task"
)

// handed is what the log says about who had a task, and whether it came back from review. A log that was pruned, or is older
// than what its events say now, does not know it.
type handed struct {
	holder   string // who claimed it last; empty if no event says so
	since    int64  // the first claim of the holder after which nobody else held it; 0: unknown
	returned int64  // the event of the return that nothing has answered; 0: none
	known    bool   // whether events say anything about returns
	sentBack int64  // the newest return or reopening that an event calls one; 0: none
}

// handedPayload is what the payload of an event says: a claim has a fence; Returned.To says whether the event returns the task from
// review, and otherwise it answers a return.
type handedPayload struct {
	Fence      int64  `json:"fence"`
	LastHolder string `json:"lastHolder"`
	HeldSince  int64  `json:"heldSince"`
	Returned   *struct {
		To bool `json:"to"`
	} `json:"returned"`
	SentBack *struct{} `json:"sentBack"`
}

// findHanded reads claims and moves, and, for tasks that came back, what was ticked and shown since.
func (c *recount) findHanded() error {
	c.handed = map[int64]handed{}
	err := c.r.C.Query(`SELECT task, id, actor, payload FROM event WHERE project=$1 AND (kind='task.claimed' OR kind='task.moved') ORDER BY id`, []any{c.p.ID},
		db.Scan4(func(ref, event int64, actor, payload string) error {
			if _, ok := c.place(ref); !ok {
				return nil
			}
			var is handedPayload
			if err := json.Unmarshal([]byte(payload), &is); err != nil {
				return err
			}
			h := c.handed[ref]
			switch {
			case is.Fence == 0 || h.holder == actor:
			case h.holder == "" && is.LastHolder == actor: // the log does not reach back to the first claim
				h.holder, h.since = actor, is.HeldSince
			default:
				h.holder, h.since = actor, event
			}
			if is.Returned != nil {
				if h.known, h.returned = true, 0; is.Returned.To {
					h.returned = event
				}
			}
			if is.SentBack != nil {
				h.sentBack = event
			}
			c.handed[ref] = h
			return nil
		}))
	for _, ref := range c.refs {
		if h := c.handed[ref]; err == nil && h.returned != 0 {
			h.returned, err = c.unanswered(ref, h.returned)
			c.handed[ref] = h
		}
	}
	return err
}

// unanswered returns the event of a return, or 0 if a tick or evidence has answered it.
func (c *recount) unanswered(ref, event int64) (int64, error) {
	err := c.r.C.Query(`SELECT id, payload FROM event WHERE task=$1 AND id>$2 AND (kind='criterion.checked' OR kind='evidence.added') ORDER BY id`, []any{ref, event},
		db.Scan2(func(_ int64, payload string) error {
			var is handedPayload
			if err := json.Unmarshal([]byte(payload), &is); err != nil {
				return err
			}
			if is.Returned != nil {
				event = 0
			}
			return nil
		}))
	return event, err
}

// hands compares who had a task, and its return from review, as far as the log knows them.
func (c *recount) hands(ref int64, t *task.Task) {
	h := c.handed[ref]
	if h.holder != "" && t.LastHolder != "" { // databases of earlier versions do not have it
		c.column(ref, "who held it last", "last_holder", t.LastHolder, h.holder)
		if h.since != 0 && t.HeldSince != 0 {
			c.column(ref, "since when its last holder has it", "held_since", t.HeldSince, h.since)
		}
	}
	if h.known {
		c.column(ref, "the return from review that nothing answers", "returned", t.Returned, h.returned)
	}
	if h.sentBack != 0 {
		c.column(ref, "its newest return or reopening", "sent_back", t.SentBack, h.sentBack)
	}
}
