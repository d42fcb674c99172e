package httpapi

import (
	"sync"
	"time"
)

// outageEvery is how often the same outage is logged: every request runs into it.
const outageEvery = 10 * time.Second

// outages remembers which outage was last logged.
type outages struct {
	mu   sync.Mutex
	text string
	at   time.Time
}

// news reports whether an outage is worth a line in the log.
func (o *outages) news(text string, now time.Time) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	if text == o.text && now.Sub(o.at) < outageEvery {
		return false
	}
	o.text, o.at = text, now
	return true
}
