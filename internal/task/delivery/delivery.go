package delivery

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"strconv"
	"time"

	"github.com/go-json-experiment/json"

	"tasker/internal/task"
	"tasker/internal/task/waiting"
	"tasker/internal/text/words"
)

// State is the state of a delivery.
type State string

// The states.
const (
	Pending   State = "pending"
	Delivered State = "delivered"
	Failed    State = "failed"
)

// Delivery is an inbox item on its way to a channel.
type Delivery struct {
	ID      int64
	Channel string // its ID
	Name    string // the channel's
	Project string
	Kind    waiting.ItemKind
	Item    string // the item's id
	Cause   int64  // the event
	Body    string // the item as JSON, as it was when it was queued
	State   State
	Held    bool // the database has been restored since, and nobody has released it

	Attempts    int
	LastError   string
	TriedAt     task.Time // the first attempt; 0: none yet
	NextAt      task.Time
	DeliveredAt task.Time
}

// MessageID returns the id that tells a receiver that two requests carry the same item. It is the same for every
// attempt.
func (d *Delivery) MessageID() string {
	sum := sha256.Sum256([]byte(d.Channel + "\x00" + d.Item + "\x00" + strconv.FormatInt(d.Cause, 10) + "\x00" + d.Body))
	return "msg_" + hex.EncodeToString(sum[:16])
}

// Message returns what is sent.
func (d *Delivery) Message() Message {
	ref, _ := waiting.ParseItem(d.Item) // if its kind is no longer known, there is no task
	return Message{ID: d.MessageID(), Kind: string(d.Kind), Project: d.Project, Task: ref.Task, Body: d.Body}
}

// Message is what a channel gets.
type Message struct {
	ID      string
	Kind    string
	Project string
	Task    task.ID
	Body    string // JSON
}

// WaitedMs returns how long the item has waited to be delivered, since it was caused.
func (d *Delivery) WaitedMs(now task.Time) int64 {
	var item struct {
		Since task.Time `json:"since"`
	}
	if err := json.Unmarshal([]byte(d.Body), &item); err != nil || item.Since == 0 {
		return 0
	}
	return max(0, int64(now-item.Since)/1000)
}

// SendTime is how long an attempt may take. The lease outlives it.
const SendTime = 10 * time.Second

// Due reports whether the delivery may be tried now.
func (d *Delivery) Due(now task.Time) bool { return d.State == Pending && !d.Held && d.NextAt <= now }

// Outcome is how an attempt ended.
type Outcome struct {
	Error string        // "" if it was delivered; never contains a credential
	Final bool          // further attempts would end the same way
	After time.Duration // how long the receiver asks to wait before the next attempt; 0: it did not say
}

// OK reports whether the item was delivered.
func (o Outcome) OK() bool { return o.Error == "" }

const (
	// giveUp is how long a delivery is retried.
	giveUp = 24 * time.Hour
	// firstPause is the pause between the first and the second attempt; it doubles from there up to lastPause.
	firstPause = 3 * time.Second
	lastPause  = 15 * time.Minute
	// doublings is how often the pause doubles at most: by then it is longer than lastPause.
	doublings = 10
	// maxError is how much of an error is stored.
	maxError = 500
)

// pause returns how long to wait after the n-th attempt.
func pause(n int) time.Duration { return min(firstPause<<min(n-1, doublings), lastPause) }

// After returns the delivery after an attempt that ended now.
func (d *Delivery) After(o Outcome, now task.Time) *Delivery {
	out := *d
	out.Attempts++
	out.TriedAt = cmp.Or(out.TriedAt, now)
	if o.OK() {
		out.State, out.LastError, out.NextAt, out.DeliveredAt = Delivered, "", 0, now
		return &out
	}
	out.LastError = words.Cut(o.Error, maxError)
	if o.Final || now >= out.TriedAt.Add(giveUp.Milliseconds()) {
		out.State, out.NextAt = Failed, 0
		return &out
	}
	out.NextAt = now.Add(max(pause(out.Attempts), min(o.After, time.Hour)).Milliseconds())
	return &out
}

// Again returns the delivery as one that has not been tried yet.
func (d *Delivery) Again(now task.Time) *Delivery {
	out := *d
	out.State, out.Held, out.Attempts, out.LastError, out.TriedAt, out.NextAt, out.DeliveredAt = Pending, false, 0, "", 0, now, 0
	return &out
}

// Dropped returns the delivery as one that somebody dropped.
func (d *Delivery) Dropped(by string) *Delivery {
	out := *d
	out.State, out.NextAt, out.LastError = Failed, 0, "dropped by "+by
	if d.LastError != "" {
		out.LastError = words.Cut(out.LastError+"; before that: "+d.LastError, maxError)
	}
	return &out
}

// Lease says who delivers to a channel.
type Lease struct {
	Holder    string // "": nobody
	ExpiresAt task.Time
}

// LeaseTime is how long a lease lasts unless it is renewed.
const LeaseTime = 15 * time.Second

// HeldByAnother reports whether somebody other than holder delivers now.
func (l Lease) HeldByAnother(holder string, now task.Time) bool {
	return l.Holder != "" && l.Holder != holder && l.ExpiresAt > now
}

// Taken returns the lease of a holder from now.
func Taken(holder string, now task.Time) Lease {
	return Lease{holder, now.Add(LeaseTime.Milliseconds())}
}

// Queue is how far delivery to a channel has come.
type Queue struct {
	Channel string    // its ID
	Cursor  int64     // the newest event whose items were queued
	Stalls  task.Time // the same as a time, for items that no event causes
	Lease   Lease
}
