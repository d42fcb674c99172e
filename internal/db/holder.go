package db

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"tasker/internal/fault"
)

// closeAfter is for how long a write still waits for its turn when the database is closed.
const closeAfter = 2 * time.Second

// Patience is how long a write waits for its turn, and a read for a connection, before that is told, and before it is refused.
type Patience struct{ Tell, GiveUp time.Duration }

// enough is the patience that suits people and the programs that call us.
var enough = Patience{Tell: time.Second, GiveUp: 25 * time.Second}

// ErrHeld is in the chain of the error of a write that could not have what another process holds.
var ErrHeld = errors.New("somebody else holds it")

// Holder is who has the turn, as far as that can be told: the zero value where it cannot.
type Holder struct {
	PID   int
	Who   string // what it does and for whom: "apply by bot-2"
	Since time.Time
}

func (h Holder) String() string {
	who := h.Who
	if who == "" {
		who = "another process"
	}
	if h.PID != 0 {
		who += fmt.Sprintf(", pid %d", h.PID)
	}
	return who
}

// Told says for whom somebody waits, and for how long that one has had its turn.
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

// Refusal is the answer to a write that has waited long enough.
func (h Holder) Refusal(now time.Time) *fault.Error {
	since := ""
	if !h.Since.IsZero() {
		since = ", for " + h.span(now)
	}
	hint := "send it again in a moment"
	if h.PID != 0 {
		hint = fmt.Sprintf("see what holds process %d up (it may be stopped: kill -CONT %d), or end it, and send this again", h.PID, h.PID)
	}
	return fault.Unready("the turn to write is held by %s%s", h, since).WithHint("%s", hint).WithCause(ErrHeld)
}

// Asking is for whom a turn is asked, and how long to wait for it: Told, where it is not nil, is called once after
// Patience.Tell, and the wait ends with ErrHeld after Patience.GiveUp.
type Asking struct {
	Who   string // what is done and for whom, for other processes that wait meanwhile
	Known bool   // the database was there before, and is not made anew

	Patience Patience
	Told     func(Holder)
}

// Waits tells whoever wants to know that the turn is waited for.
func (a Asking) Waits(h Holder) {
	if a.Told != nil {
		a.Told(h)
	}
}

// Request says what a transaction is for. The zero value is one of nobody, which shares its turn and whose bytes nobody counts.
type Request struct {
	What, Whom string // what is done and for whom: others who wait meanwhile are shown it

	Alone bool // a write has a turn of its own
	// Charge is called with how many bytes of texts a read has read, piece by piece and while it reads, so that the memory of a
	// process can be bounded without knowing how large the records of an answer are. Its error ends the read. Turns and replies
	// are not charged: what was written is answered.
	Charge func(bytes int64) error
}

// who says what is done and for whom.
func (r Request) who() string {
	switch {
	case r.What == "":
		return r.Whom
	case r.Whom == "":
		return r.What
	}
	return r.What + " by " + r.Whom
}

// whoLimit is how many bytes of a name others are shown.
const whoLimit = 100

// oneLine makes a name fit to be left beside the turn: names are whatever somebody typed.
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
