package shop

import (
	"time"

	"tasker/internal/links"
	"tasker/internal/store"
	"tasker/internal/task"
	"tasker/internal/task/merge"
)

// bound are the tasks that an issue of the tracker stands for.
var bound = []struct{ key, issue string }{
	{"checkout-place", "SHOP-101"}, {"delivery-options", "SHOP-102"}, {"pay-pdf", "SHOP-103"}, {"launch-addresses", "SHOP-104"}, {"delivery-late", "SHOP-105"},
}

// tracker plans the links: issues that agreed once and no longer do, and pull requests of what is in review.
func (p *play) tracker() {
	for _, b := range bound {
		p.at(7*day, func() error {
			_, err := p.Links.Bind(p.as("alice"), links.BindIn{Task: p.ids[b.key], Ref: b.issue})
			return err
		})
	}
	p.at(7*day-minute, func() error { return p.pull(nil) })
	p.at(7*time.Hour, p.edit("alice", "checkout-place", `{"title": "Place the order, once", "due": "`+p.date(5)+`"}`))
	p.at(7*time.Hour, p.edit("alice", "delivery-options", `{"priority": 1}`))
	p.at(7*time.Hour, p.edit("alice", "pay-pdf", `{"priority": 1, "due": "`+p.date(8)+`"}`))
	p.at(7*time.Hour, p.edit("alice", "launch-addresses", `{"title": "Keep every address of the old shop"}`))
	p.at(2*time.Hour, func() error {
		return p.pull(map[string]merge.Values{
			"checkout-place":   {"title": "Submit the order", "due": p.date(10)},
			"delivery-options": {"priority": "3"},
			"pay-pdf":          {"priority": "0", "due": p.date(3)},
			"launch-addresses": {"title": "Redirects of the old shop"},
			"delivery-late":    {"priority": "1"},
		})
	})
	for i, key := range []string{"checkout-gift", "delivery-customs", "pay-webhooks"} {
		p.at(2*time.Hour-time.Duration(1+i)*minute, p.request(key, int64(41+i)))
	}
}

func (p *play) date(days int) string { return p.now.AddDate(0, 0, days).Format(time.DateOnly) }

// pull merges the values of the tracker: ours, except for what was changed there.
func (p *play) pull(theirs map[string]merge.Values) error {
	var seen []merge.Issue
	var began task.Time
	err := p.Store.Read(p.ctx, func(tx *store.Tx) error {
		seen, began = nil, tx.Now()
		for _, b := range bound {
			t, err := tx.Task(task.ID(p.ids[b.key]))
			if err != nil {
				return err
			}
			values := merge.Of(t)
			for field, v := range theirs[b.key] {
				values[field] = v
			}
			seen = append(seen, merge.Issue{Ref: b.issue, Updated: p.clock.Format(time.RFC3339), Values: values})
		}
		return nil
	})
	if err != nil {
		return err
	}
	if _, err := p.Links.Merge(p.as("alice"), links.MergeIn{Project: Project, System: merge.IssueTracker, Seen: seen}); err != nil {
		return err
	}
	_, err = p.Links.Looked(p.as("alice"), links.LookedIn{
		Project: Project, System: merge.IssueTracker, URL: "https://tracker.example.org", Auth: merge.AuthOK, Started: began,
	})
	return err
}

// request has the code host report an open pull request of a task.
func (p *play) request(key string, number int64) func() error {
	return func() error {
		r := merge.Request{Repo: "example/shop", Number: number, Title: key, Branch: "tasker/" + p.ids[key], State: "open", Updated: p.clock.Format(time.RFC3339),
			Checks: merge.Checks{Passed: 6, Total: 6}}
		if _, err := p.Links.Bind(p.as("alice"), links.BindIn{Task: p.ids[key], Ref: r.Ref()}); err != nil {
			return err
		}
		_, err := p.Links.Requests(p.as("alice"), links.RequestsIn{Project: Project, Requests: []merge.Request{r}})
		return err
	}
}
