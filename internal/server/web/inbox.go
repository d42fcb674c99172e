package web

import (
	"tasker/internal/inbox"
	"tasker/internal/op"
	"tasker/internal/task/waiting"
)

// inboxBody is what waits, by urgency.
type inboxBody struct {
	inbox.InboxOut
	Sections []needSection
	All      bool
}

func (s *site) inbox(a *asker, _ *shown) any {
	q := only(a.r.URL.Query(), "actor", "all", "limit")
	q.Set("sort", waiting.SortImpact)
	out := askWith(a, op.Inbox, q)
	return inboxBody{InboxOut: out, Sections: needsOf(fromInbox(out.Items)), All: a.value("all") == "true"}
}
