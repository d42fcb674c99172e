package task

import (
	"crypto/sha256"
	"encoding/hex"
)

// AgentSession is a session of an agent, so that its hooks act for what it claimed and for nothing else of that agent. Each
// part is a digest, and empty where nothing tells it.
type AgentSession struct {
	Session string // of the id that the agent gives its session
	Process string // of the agent's process, for an agent that has one session in a process
}

// Unknown reports whether nothing tells which session it is.
func (s AgentSession) Unknown() bool { return s.Session == "" && s.Process == "" }

// Digest returns what is kept of the id of a session or a process; "" for none.
func Digest(kind, id string) string {
	if id == "" {
		return ""
	}
	sum := sha256.Sum256([]byte(kind + "\x00" + id))
	return hex.EncodeToString(sum[:16])
}

// InHand is a task that a session of an agent holds.
type InHand struct {
	Task    *Task
	Wrote   int64 // the newest event of its holder about it
	Claimed int64 // the event of its claim
}

// Kept returns the claim of a task after its holder's agent used a tool without writing here: it lasts for half of its lease
// from now on at least. A worker that goes on so is still seen to stall, since that is when half of its lease is left.
// It returns false if the claim lasts longer anyway.
func (t *Task) Kept(now Time) (Claim, bool) { return t.lasting(now.Add(t.Claim.LeaseMs / 2)) }

// maxAwaited is how long a claim is kept at most for an agent that waits for the end of a limit, in milliseconds.
const maxAwaited = 6 * 60 * 60 * 1000

// afterLimit is how long a claim lasts beyond the end of a limit, in milliseconds.
const afterLimit = 15 * 60 * 1000

// Awaited returns the claim of a task whose agent goes on at until. It returns false if the claim lasts long enough anyway.
func (t *Task) Awaited(until, now Time) (Claim, bool) {
	return t.lasting(min(until.Add(afterLimit), now.Add(maxAwaited)))
}

// lasting returns the claim with an end that is not before until, or false if it has that already.
func (t *Task) lasting(until Time) (Claim, bool) {
	if t.Claim == nil || t.Claim.ExpiresAt == 0 || t.Claim.ExpiresAt >= until {
		return Claim{}, false
	}
	claim := *t.Claim
	claim.ExpiresAt = until
	return claim, true
}

// Name returns the name of the holder, without its instance.
func (c *Claim) Name() string { return actorName(c.Actor) }
