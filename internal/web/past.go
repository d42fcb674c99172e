package web

import (
	"net/http"
	"strconv"

	"tasker/internal/core/past"
	"tasker/internal/core/reading"
	"tasker/internal/fault"
	"tasker/internal/op"
)

// pastBar is the way through the history of a project: moments to go to, and a slider over its events.
type pastBar struct {
	reading.MomentsOut
	Was  *past.Was // nil: now
	Keep []kept    // the rest of the address
}

// kept is a parameter that stays as it is.
type kept struct{ Name, Value string }

// at reads the event that a page is asked for; nil for now.
func at(r *http.Request) (*int64, error) {
	n, err := number(r.URL.Query(), "at")
	if err != nil || n == nil {
		return nil, err
	}
	return new(int64(*n)), nil
}

// history adds the way through the history to a page that shows a moment.
func (s *site) history(r *http.Request, p *shown, was *past.Was) error {
	bar := &pastBar{Was: was}
	in := reading.MomentsIn{Slug: p.Project.Slug}
	if was != nil {
		in.At = &was.Event
	}
	var err error
	if bar.MomentsOut, err = op.Moments.Do(r.Context(), s.Ops, in); err != nil {
		if fault.Of(err).Kind == fault.Internal {
			return err
		}
		return nil // there is nothing to go through
	}
	for _, name := range []string{"status", "state", "q", "heldBy", "parent", "gate", "priority", "due", "sort", "group", "limit",
		"show", "focus", "up", "down", "fold", "open", "days"} {
		if v := r.URL.Query().Get(name); v != "" {
			bar.Keep = append(bar.Keep, kept{name, v})
		}
	}
	p.Past = bar
	return nil
}

// then returns how an address asks for the same moment, behind another parameter.
func then(was *past.Was) string {
	if was == nil {
		return ""
	}
	return "&at=" + strconv.FormatInt(was.Event, 10)
}
