package faults

import (
	"fmt"
	"testing"
)

// Wrong credentials do not lock a valid session out: neither one that was used before nor, after a restart, one that the
// server has not seen.
func TestWrongCredentialsKeepNobodyOutAcrossARestart(t *testing.T) {
	t.Parallel()
	each(t, func(w *world) {
		w.apply(plain(1))
		w.closed()
		var made struct {
			Token string `json:"token"`
		}
		w.must(reply{body: w.tasker("ann", "session", "create", "--actor", "ann", "--json")}.into(&made))
		guess := func(s *server) {
			for i := range 40 {
				if status, _ := s.browse(fmt.Sprintf("tsk_%052d", i), "/v1/whoami", nil); status != 401 {
					w.Fatalf("a wrong credential was answered with %d", status)
				}
			}
		}
		s := w.serve("bot")
		if status, _ := s.browse(made.Token, "/v1/whoami", nil); status != 200 {
			w.Fatalf("a good session was answered with %d", status)
		}
		guess(s)
		if status, _ := s.browse(made.Token, "/v1/whoami", nil); status != 200 {
			w.Errorf("next to wrong guesses, a session that was good before was answered with %d", status)
		}
		s.stop()
		s = w.serve("bot")
		guess(s)
		if status, _ := s.browse(made.Token, "/v1/whoami", nil); status != 200 {
			w.Errorf("after a restart, a good session is refused with %d", status)
		}
		s.stop()
	})
}
