package web

import (
	"net/http"

	"tasker/internal/inbox"
	"tasker/internal/inbox/waiting"
	"tasker/internal/op"
)

// inboxBody is what waits, by urgency.
type inboxBody struct {
	inbox.InboxOut
	Sections []needSection
	All      bool
}

func (s *site) inbox(r *http.Request, p *shown) error {
	p.Title = "Inbox"
	q := only(r.URL.Query(), "actor", "all", "limit")
	q.Set("sort", waiting.SortImpact)
	a := s.asker(r)
	out := askWith(a, op.Inbox, q)
	p.Body = inboxBody{InboxOut: out, Sections: needsOf(fromInbox(out.Items)), All: r.URL.Query().Get("all") == "true"}
	return a.err
}
