package web

import (
	"net/http"

	"tasker/internal/core/people"
	"tasker/internal/op"
)

// inboxBody is what waits, by urgency.
type inboxBody struct {
	people.InboxOut
	Sections []needSection
	All      bool
}

func (s *site) inbox(r *http.Request, p *shown) error {
	p.Title = "Inbox"
	out, err := answered(s, r, op.Inbox, "actor", "all", "limit")
	if err != nil {
		return err
	}
	p.Body = inboxBody{InboxOut: out, Sections: needsOf(fromInbox(out.Items)), All: r.URL.Query().Get("all") == "true"}
	return nil
}
