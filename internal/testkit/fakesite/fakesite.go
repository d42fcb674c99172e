// Package fakesite has what the stand-ins for other systems share: a clock of their own, a count of the requests, and
// deliberate faults, which a seed reproduces.
package fakesite

import (
	"io"
	"math/rand/v2"
	"net/http"
	"sync"
	"time"
)

// Site is the part of a stand-in that does not depend on its protocol. Its state is read and written under its lock,
// which the methods take, except Tick, Count and Fails: they are called by a request that already holds it.
type Site struct {
	sync.Mutex
	Now  time.Time
	Dice *rand.Rand // nil: no faults

	asked map[string]int
}

// New returns a site whose clock differs from everybody else's.
func New() Site {
	return Site{Now: time.Date(2031, 5, 1, 8, 0, 0, 0, time.FixedZone("", 5*3600)), asked: map[string]int{}}
}

// Misbehave makes the site fail at random: 429, 500, answers that break off, pages out of order, items twice.
func (s *Site) Misbehave(seed uint64) {
	s.Lock()
	defer s.Unlock()
	s.Dice = rand.New(rand.NewPCG(seed, 0)) //nolint:gosec // so that a history can be repeated
}

// Behave ends the faults.
func (s *Site) Behave() {
	s.Lock()
	defer s.Unlock()
	s.Dice = nil
}

// Pass lets the site's time pass.
func (s *Site) Pass(d time.Duration) {
	s.Lock()
	defer s.Unlock()
	s.Now = s.Now.Add(d)
}

// Asked returns how many requests of a kind there were.
func (s *Site) Asked(what string) int {
	s.Lock()
	defer s.Unlock()
	return s.asked[what]
}

// Count counts a request.
func (s *Site) Count(what string) { s.asked[what]++ }

// Tick advances the clock by a second and returns it, so that no two changes have the same time.
func (s *Site) Tick() time.Time {
	s.Now = s.Now.Add(time.Second)
	return s.Now
}

// Fails rolls a die with the given number of sides, and reports whether the request was answered with a fault. The sides
// 0, 1 and 2 mean the same everywhere; own, if given, decides about the others.
func (s *Site) Fails(w http.ResponseWriter, sides int, half string, fail func(http.ResponseWriter, int, string), own func(side int) bool) bool {
	if s.Dice == nil {
		return false
	}
	switch side := s.Dice.IntN(sides); side {
	case 0:
		w.Header().Set("Retry-After", "2")
		fail(w, http.StatusTooManyRequests, "slow down")
	case 1:
		fail(w, http.StatusInternalServerError, "oops")
	case 2:
		BreakOff(w, half)
	default:
		return own != nil && own(side)
	}
	return true
}

// LosesTheAnswer rolls a die for a write that was carried out, and reports whether its answer was cut off: the client
// cannot know that the write succeeded.
func (s *Site) LosesTheAnswer(w http.ResponseWriter, half string) bool {
	if s.Dice == nil || s.Dice.IntN(4) != 0 {
		return false
	}
	BreakOff(w, half)
	return true
}

// Drip sends a byte at a time, each within the timeout, and never ends.
func Drip(w http.ResponseWriter, r *http.Request) {
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for {
		select {
		case <-r.Context().Done():
			return
		case <-tick.C:
			_, _ = io.WriteString(w, " ")
			_ = http.NewResponseController(w).Flush()
		}
	}
}

// BreakOff announces more than it sends.
func BreakOff(w http.ResponseWriter, half string) {
	w.Header().Set("Content-Length", "1000")
	_, _ = io.WriteString(w, half)
}
