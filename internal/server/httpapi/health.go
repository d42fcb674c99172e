package httpapi

import (
	"context"
	"errors"
	"net/http"
	"time"

	"tasker/internal/fault"
)

// health reports that the process answers.
func (s *Server) health(w http.ResponseWriter, _ *http.Request) error {
	return Answer(w, http.StatusOK, struct {
		OK bool `json:"ok"`
	}{true})
}

// ready reports whether requests can be carried out: everything the server depends on works, and it is not stopping.
// Problems that delay no request are listed as warnings.
func (s *Server) ready(w http.ResponseWriter, r *http.Request) error {
	if s.stopping.Load() {
		return fault.Unready("the server is stopping").WithHint("ask another server, or wait for the next one")
	}
	ctx, cancel := context.WithTimeout(r.Context(), 5*time.Second)
	defer cancel()
	names := make([]string, 0, len(s.opts.Ready))
	failing, warnings := []string{}, []string{}
	for _, check := range s.opts.Ready {
		names = append(names, check.Name)
		switch err := check.Do(ctx); {
		case err == nil:
		case check.Told:
			warnings = append(warnings, check.Name+": "+plainly(err))
		default:
			failing = append(failing, check.Name+": "+plainly(err))
		}
	}
	if len(failing) > 0 {
		return fault.Unready("the server is not ready").WithMissing(failing...).WithHint("the server's log may say more; ask again soon")
	}
	return Answer(w, http.StatusOK, struct {
		Ready    bool     `json:"ready"`
		Checks   []string `json:"checks"`
		Warnings []string `json:"warnings"`
	}{true, names, warnings})
}

// plainly returns what anybody may learn about an error: our own words, never a driver's, which may contain addresses and
// credentials.
func plainly(err error) string {
	var e *fault.Error
	if errors.As(err, &e) && e.Kind != fault.Internal {
		return e.Message
	}
	return "not reachable"
}
