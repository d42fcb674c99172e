package web

import (
	"net/http"

	"tasker/internal/core/people"
	"tasker/internal/op"
	"tasker/internal/task/inbox"
)

// inboxBody is what waits, by urgency.
type inboxBody struct {
	people.InboxOut
	Sections []needSection
	All      bool
}

func (s *site) inbox(r *http.Request, p *shown) error {
	p.Title = "Inbox"
	q := only(r.URL.Query(), "actor", "all", "limit")
	q.Set("sort", inbox.SortImpact)
	out, err := answeredWith(s, r, op.Inbox, q)
	if err != nil {
		return err
	}
	p.Body = inboxBody{InboxOut: out, Sections: needsOf(fromInbox(out.Items)), All: r.URL.Query().Get("all") == "true"}
	return nil
}
