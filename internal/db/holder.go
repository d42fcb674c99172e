package db

import (
	"cmp"
	"errors"
	"fmt"
	"strings"
	"time"

	"tasker/internal/fault"
)

// closeAfter is how long a write still waits for its turn when the database is closed.
const closeAfter = 2 * time.Second

// Patience is how long a write waits for its turn, or a read for a connection, before the wait is reported, and before it
// is refused. The others are for databases on a server: how long connecting to it may take, how long it may leave a question
// unanswered before it counts as hanging, and how long a commit may take before its outcome counts as unknown.
type Patience struct{ Tell, GiveUp, Connect, Answer, Commit time.Duration }

// enough is the patience that suits people and the programs that call us.
var enough = Patience{Tell: time.Second, GiveUp: 25 * time.Second, Connect: 5 * time.Second, Answer: 3 * time.Second, Commit: 4500 * time.Millisecond}

// after returns what is left of the patience of a caller that has waited already.
func (p Patience) after(waited time.Duration) Patience {
	p.GiveUp = max(p.GiveUp-waited, p.Tell)
	p.Connect = max(p.Connect-waited, p.Tell)
	return p
}

// ErrHeld is in the error chain of a write that needed what another process holds.
var ErrHeld = errors.New("somebody else holds it")

// ErrStandby is in the error chain where the only database servers that answer are standbys: one of them may be promoted
// at any moment.
var ErrStandby = errors.New("it is a standby")

// Holder says who has the turn, as far as it is known; otherwise it is the zero value.
type Holder struct {
	PID   int
	Who   string // what it does and for whom: "apply by bot-2"
	Since time.Time
}

func (h Holder) String() string {
	who := cmp.Or(h.Who, "another process")
	if h.PID != 0 {
		who += fmt.Sprintf(", pid %d", h.PID)
	}
	return who
}

// Told says who is being waited for, and how long they have had the turn.
func (h Holder) Told(now time.Time) string {
	text := "waiting for " + h.String()
	if !h.Since.IsZero() {
		text += ", " + h.span(now)
	}
	return text
}

func (h Holder) span(now time.Time) string {
	return fmt.Sprintf("%d s", max(0, int(now.Sub(h.Since).Seconds())))
}

// Refusal returns the answer to a write that has waited long enough.
func (h Holder) Refusal(now time.Time) *fault.Error {
	since := ""
	if !h.Since.IsZero() {
		since = ", for " + h.span(now)
	}
	hint := "send it again in a moment"
	if h.PID != 0 {
		hint = fmt.Sprintf("see what holds up process %d (it may be stopped: kill -CONT %d), or end it, and send this again", h.PID, h.PID)
	}
	return fault.Unready("the turn to write is held by %s%s", h, since).WithHint("%s", hint).WithCause(ErrHeld)
}

// Asking says who asks for a turn, and how long to wait for it: Told, if not nil, is called once after Patience.Tell, and
// the wait ends with ErrHeld after Patience.GiveUp.
type Asking struct {
	Who   string // what is done and for whom, to show to other processes that wait
	Known bool   // the database existed before, and must not be created again

	Recall Point // an event that the log had: see Head.Differs

	Patience Patience
	Told     func(Holder)
}

// Waits reports, if anybody wants to know, that the turn is being waited for.
func (a Asking) Waits(h Holder) {
	if a.Told != nil {
		a.Told(h)
	}
}

// Request says what a transaction is for. The zero value names nobody, shares its turn and is not charged.
type Request struct {
	What, Whom string // what is done and for whom, to show to others that wait

	Alone bool // a write gets a turn of its own
	Idle  bool // a write changes nothing, and only wants to know whether its turn can be committed
	// Accepts is set for the write with which a person goes on although the log was rewound. It has a turn of its own.
	Accepts bool
	// Charge is called with the number of bytes of text that a read has read, piece by piece while it reads, so that a
	// process can limit its memory without knowing the size of an answer's records. Its error ends the read. Turns and
	// replies are not charged: a write that was made is answered.
	Charge func(bytes int64) error
}

// who says what is done and for whom.
func (r Request) who() string {
	if r.What == "" || r.Whom == "" {
		return r.What + r.Whom
	}
	return r.What + " by " + r.Whom
}

// whoLimit is how many bytes of a name others are shown.
const whoLimit = 100

// oneLine makes a name fit to be recorded with the turn: names are whatever somebody typed.
func oneLine(who string) string {
	who = strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(who, "?"))
	if len(who) > whoLimit {
		who = strings.ToValidUTF8(who[:whoLimit], "")
	}
	return who
}
