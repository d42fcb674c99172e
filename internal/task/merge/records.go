package merge

import (
	"maps"
	"slices"

	"tasker/internal/task"
	"tasker/internal/text/words"
)

// State is the state of a disagreement.
type State string

// The states.
const (
	Open     State = "open"
	Deferred State = "deferred" // until either side changes
	Resolved State = "resolved" // by somebody
	Settled  State = "settled"  // by itself: both sides agree again
)

// Disagreement is a field on which two systems disagree.
type Disagreement struct {
	ID      int64     `json:"-"`
	Project string    `json:"-"`
	Task    task.ID   `json:"-"`
	State   State     `json:"-"`
	Binding int64     `json:"binding"`
	Field   string    `json:"field"`
	Ours    string    `json:"ours"`
	Theirs  string    `json:"theirs"`
	Base    *Pair     `json:"base,omitzero"`
	Since   task.Time `json:"since"`

	// How it was resolved, so that a second resolution can undo the first.

	Resolution string `json:"resolution,omitzero"`
	Value      string `json:"value,omitzero"`    // what the field was set to here
	Handed     bool   `json:"handed,omitzero"`   // ownership was changed
	WasOwner   Owner  `json:"wasOwner,omitzero"` // what was set for this field before; empty: nothing
}

// The resolutions.
const (
	KeepLocal  = "keep_local"
	TakeRemote = "take_remote"
	SetValue   = "set_value"
	HandOver   = "hand_over"
	Defer      = "defer"
)

// Resolution is one way to settle a disagreement, and what it does.
type Resolution struct {
	Name   string `json:"name"`
	Effect string `json:"effect"`
}

// Resolutions returns every way to settle a disagreement about a field with the given owner.
func Resolutions(owner Owner) []Resolution {
	hand := words.Either(owner == Tracker, "we own the field from now on, and our value is written to the tracker by the next push",
		"the tracker owns the field from now on, and its value is taken")
	return []Resolution{
		{KeepLocal, "our value stays, and is written to the tracker by the next push"},
		{TakeRemote, "their value is taken"},
		{SetValue, "another value is set here, and written to the tracker by the next push"},
		{HandOver, hand},
		{Defer, "nothing changes, and the conflict is out of the inbox until either side changes again"},
	}
}

// WriteState is the state of an outbound write.
type WriteState string

// The states of writes. A write that was sent is removed; the log shows it.
const (
	Pending WriteState = "pending"
	Failed  WriteState = "failed" // refused for good, until somebody retries it
)

// Write is one value to be written to another system.
type Write struct {
	ID       int64      `json:"-"`
	Project  string     `json:"-"`
	Task     task.ID    `json:"-"`
	State    WriteState `json:"-"`
	NextAt   task.Time  `json:"nextAt,omitzero"` // not tried again before
	Binding  int64      `json:"binding"`
	Field    string     `json:"field"`
	System   string     `json:"system"`
	Ref      string     `json:"ref"`
	From     string     `json:"from"`
	To       string     `json:"to"`
	Why      string     `json:"why"`
	Insisted bool       `json:"insisted,omitzero"` // a resolution asks for it, no matter who owns the field
	Attempts int        `json:"attempts,omitzero"`
	Error    string     `json:"error,omitzero"`
}

// The time between two tries of a write, which doubles from the first to the last.
const (
	firstRetry int64 = 5_000
	lastRetry  int64 = 3_600_000
	doublings        = 10 // at most: by then the time is longer than the last
)

// Retry returns the write after a temporary failure. If the other system asks for it, the next try
// is at least waitMs milliseconds later.
func (w Write) Retry(now task.Time, waitMs int64, problem string) Write {
	w.Attempts++
	pause := min(firstRetry<<min(w.Attempts-1, doublings), lastRetry)
	w.State, w.NextAt, w.Error = Pending, now.Add(max(pause, min(waitMs, lastRetry))), problem
	return w
}

// Refuse returns the write after a try that was refused for good.
func (w Write) Refuse(problem string) Write {
	w.Attempts++
	w.State, w.Error = Failed, problem
	return w
}

// Health is the state of a link of a project.
type Health struct {
	URL      string    `json:"url,omitzero"`
	Auth     string    `json:"auth,omitzero"`
	LastPull task.Time `json:"lastPull,omitzero"` // the last one that succeeded completely
	Started  task.Time `json:"started,omitzero"`  // when that one started; the next asks for changes since
	// Marks is the time of the newest change in each repository, by its code host's clock.
	Marks    map[string]string `json:"marks,omitzero"`
	Failures int               `json:"failures,omitzero"` // in a row
	FailedAt task.Time         `json:"failedAt,omitzero"` // the first of them
	Error    string            `json:"error,omitzero"`    // the last of them
	Event    int64             `json:"event,omitzero"`    // records the first of them
}

// Fare is the state of one link of a project, with counts.
type Fare struct {
	Project, System            string
	Health                     Health
	Pending, Failed, Conflicts int64
}

// The states of credentials.
const (
	AuthUnknown = "unknown" // never tried, or the site did not answer as one that accepts them
	AuthOK      = "ok"
	AuthMissing = "missing"
	AuthRefused = "refused"
)

// Loop is the background loop of a project: which process runs it, how long its lease lasts, and
// how the runs end.
type Loop struct {
	Holder  string    `json:"holder"`
	Until   task.Time `json:"until"`
	EveryMs int64     `json:"everyMs"`
	LastRun task.Time `json:"lastRun,omitzero"`
	Error   string    `json:"error,omitzero"`
}

// missedRuns is how many intervals may pass without a run before a loop counts as stopped.
const missedRuns = 3

// Overdue reports whether a loop that once ran has stopped, and the time from which people see
// that.
func (l *Loop) Overdue(now task.Time) (since task.Time, overdue bool) {
	since = max(l.LastRun.Add(missedRuns*l.EveryMs), l.Until)
	return since, l.LastRun != 0 && l.EveryMs > 0 && since < now
}

// FreeFor reports whether a process may run the loop.
func (l *Loop) FreeFor(holder string, now task.Time) bool {
	return l == nil || l.Holder == holder || l.Until <= now
}

// Basis is what both sides agreed on for a binding, and the time of the last state seen there, by
// the other system's clock.
type Basis struct {
	Pairs map[string]Pair   `json:"pairs,omitzero"`
	Last  map[string]string `json:"last,omitzero"` // values there that differ from those of the pairs
	Seen  string            `json:"seen,omitzero"`
	// Tried is what we started to write there, by field, without learning the outcome: it may have
	// arrived.
	Tried map[string][]string `json:"tried,omitzero"`
}

// maxTried is how many values of a field are remembered as tried; the oldest are forgotten first.
const maxTried = 8

// Try returns the basis with a value that is about to be written, and reports whether it changed.
func (b Basis) Try(field, value string) (Basis, bool) {
	had := b.Tried[field]
	if slices.Contains(had, value) {
		return b, false
	}
	b.Tried = maps.Clone(b.Tried)
	if b.Tried == nil {
		b.Tried = map[string][]string{}
	}
	b.Tried[field] = append(slices.Clone(had[max(0, len(had)+1-maxTried):]), value)
	return b, true
}

// Theirs returns the values there as last seen.
func (b Basis) Theirs() Values {
	v := make(Values, len(b.Pairs))
	for field, p := range b.Pairs {
		v[field] = p.Theirs
	}
	maps.Copy(v, b.Last)
	return v
}

// After returns the basis after a merge, and reports whether it changed.
func (b Basis) After(r *Result, seen string) (Basis, bool) {
	out := Basis{Pairs: map[string]Pair{}, Last: map[string]string{}, Seen: seen, Tried: maps.Clone(b.Tried)}
	for _, field := range r.echoed { // the others were seen before, or no longer matter
		delete(out.Tried, field)
	}
	maps.Copy(out.Pairs, b.Pairs)
	maps.Copy(out.Pairs, r.Agreed)
	for field, value := range r.Theirs {
		if p, ok := out.Pairs[field]; !ok || p.Theirs != value {
			out.Last[field] = value
		}
	}
	same := len(r.echoed) == 0 && seen == b.Seen && maps.Equal(out.Pairs, b.Pairs) && maps.Equal(out.Last, b.Last)
	return out, !same
}
