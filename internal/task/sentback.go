package task

import (
	"cmp"
	"strconv"
	"strings"

	"tasker/internal/text/words"
)

// SentBack is the newest return of a task from review, or the newest reopening: what was run, seen and approved before it
// does not count after it. Event is 0 if there was none.
type SentBack struct {
	Event    int64
	At       Time
	Reopened bool   // it was closed; otherwise it was in review
	Why      string // the note that came with it, or who did it
}

// Name returns what a task was sent back by: a return or a reopening.
func (s SentBack) Name() string { return words.Either(s.Reopened, "reopening", "return") }

// said returns how a refusal lists it.
func (s SentBack) said() string {
	return words.Either(s.Reopened, "reopened", "returned") + ": " + words.Cut(s.why(), maxReturned)
}

// why returns the reason, or what is known without one.
func (s SentBack) why() string {
	return cmp.Or(s.Why, words.Either(s.Reopened, "it was opened again", "it was sent back from review"))
}

// Sentence says that nothing has answered it, and why the task was sent back.
func (s SentBack) Sentence() string {
	return words.Either(s.Reopened, "it was reopened", "it was sent back from review") + ", and nothing has been ticked or shown since: " + s.why()
}

// OlderTick is a tick that rests on what is from before the task was returned or reopened.
type OlderTick struct {
	Index  int    `json:"index"`
	Before string `json:"before"` // return or reopening
}

// OlderTicks are such ticks of one task.
type OlderTicks []OlderTick

// Older returns the ticks that rest on runs, statements or looks from before the task was sent back.
func (s SentBack) Older(list []Criterion) (out OlderTicks) {
	for _, c := range list {
		old := c.By != 0 && int64(c.By) < s.Event || c.By == 0 && c.CheckedAt <= s.At
		if s.Event != 0 && c.Checked && old {
			out = append(out, OlderTick{c.Index, s.Name()})
		}
	}
	return out
}

// Words says which ticks rest on what is older than the return or reopening; "" if none does.
func (ticks OlderTicks) Words() string {
	if len(ticks) == 0 {
		return ""
	}
	which := strings.Join(words.Each(ticks, func(o OlderTick) string { return strconv.Itoa(o.Index) }), ", ")
	return words.Either(len(ticks) == 1, "criterion "+which+" rests", "criteria "+which+" rest") + " on what is from before the " + ticks[0].Before
}
