package db

import "sync"

// Underway counts running work, so that closing can wait for its end through Waiting.
type Underway struct {
	mu    sync.Mutex
	count int
	idle  chan struct{} // closed when the count falls to zero; nil: nobody waits
}

// Begin counts one more.
func (u *Underway) Begin() {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.count++
}

// End counts one less.
func (u *Underway) End() {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.count--; u.count == 0 && u.idle != nil {
		close(u.idle)
		u.idle = nil
	}
}

// Drain returns when nothing is running.
func (u *Underway) Drain(w Waiting) {
	u.mu.Lock()
	if u.count == 0 {
		u.mu.Unlock()
		return
	}
	if u.idle == nil {
		u.idle = make(chan struct{})
	}
	idle := u.idle
	u.mu.Unlock()
	_ = w.Wait(background, idle)
}
