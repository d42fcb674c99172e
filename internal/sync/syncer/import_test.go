package syncer_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"tasker/internal/links"
	"tasker/internal/site"
	"tasker/internal/sync/forge"
	"tasker/internal/sync/jira"
	"tasker/internal/sync/syncer"
	"tasker/internal/task"
	"tasker/internal/testkit/coretest"
	"tasker/internal/testkit/forgetest"
	"tasker/internal/testkit/jiratest"
	"tasker/internal/work"
)

// linkedTo returns a syncer that links every project to one site.
func linkedTo(k *coretest.Kit, at *jiratest.Site) *syncer.Syncer {
	return &syncer.Syncer{Links: k.Links, Plans: k.Planning, Open: func(context.Context, string) (syncer.Link, error) {
		c, err := jira.New(jira.Options{URL: at.URL, Trust: site.Trusting(at.URL), User: at.User, Token: at.Token, Status: jiratest.Map, Fields: jiratest.Fields,
			Pause: func(context.Context, time.Duration) error { return nil }})
		return syncer.Link{Tracker: c, Projects: []string{"DEMO"}}, err
	}}
}

func TestIssuesBecomeTasksThatAreBoundToThem(t *testing.T) {
	coretest.Each(t, func(k *coretest.Kit) {
		site := jiratest.New(true)
		defer site.Close()
		s := linkedTo(k, site)
		k.ConfigFile = fmt.Sprintf(`{"version": 1, "project": "demo", "integrations": {"issue_tracker": {"baseUrl": %q, "projects": ["DEMO"]}}}`, site.URL)
		for n := 1; n <= 60; n++ {
			site.Put(fmt.Sprintf("DEMO-%d", n), func(i *jiratest.Issue) {
				i.Summary, i.Severity, i.Priority, i.Sprint, i.Rank = fmt.Sprint("Issue ", n), "Sev 3", "Highest", "Now", fmt.Sprint("0|", n)
			})
		}
		site.Put("DEMO-7", func(i *jiratest.Issue) { i.Status = "Done" })
		site.Put("OTHER-1", func(*jiratest.Issue) {})

		// The project does not exist yet: the import creates it.
		out, err := s.Import(coretest.Ann, "demo", false, true, nil)
		k.Must(err)
		if len(out.Created) != 60 || out.Read != 60 {
			t.Errorf("%d would be created, %d were read", len(out.Created), out.Read)
		}
		read := 0
		out, err = s.Import(coretest.Ann, "demo", false, false, func(n int) { read = n })
		k.Must(err)
		if len(out.Created) != 60 || out.Source != "tracker" || read != 60 {
			t.Errorf("%d created of %s, %d read", len(out.Created), out.Source, read)
		}
		byKey := map[string]string{}
		for _, r := range out.Created {
			byKey[r.Key] = string(r.ID)
		}
		seventh := k.Show(byKey["DEMO-7"])
		if tk := seventh.Task; tk.Status != task.Done || tk.Priority != 0 || tk.Severity != 3 || tk.Title != "Issue 7" || tk.Sprint != "Now" || tk.Rank != "0|7" {
			t.Errorf("%+v", tk)
		}
		if b := seventh.Bindings; len(b) != 1 || b[0].Ref != "DEMO-7" || string(b[0].URL) != site.URL+"/browse/DEMO-7" {
			t.Errorf("%+v", b)
		}
		pulled, err := s.Pull(coretest.Ann, "demo", false, nil)
		k.Must(err)
		if pulled.Read != 60 || len(pulled.Updated)+pulled.Conflicts+pulled.Planned != 0 {
			t.Errorf("%+v", pulled)
		}

		// Bound issues are left to a pull; new ones are imported.
		out, err = s.Import(coretest.Ann, "demo", false, false, nil)
		k.Must(err)
		if out.Differs() || out.Read != 0 || out.Source != "tracker" || out.Project != "demo" {
			t.Errorf("without anything new: %+v", out)
		}
		site.Put("DEMO-61", func(*jiratest.Issue) {})
		out, err = s.Import(coretest.Ann, "demo", false, false, nil)
		k.Must(err)
		if len(out.Created) != 1 || out.Read != 1 {
			t.Errorf("%+v", out.Created)
		}

		// An unbound task is found by its key, and bound again.
		_, err = k.Links.Unbind(coretest.Ann, links.BindIn{Task: byKey["DEMO-7"], Ref: "DEMO-7"})
		k.Must(err)
		out, err = s.Import(coretest.Ann, "demo", false, false, nil)
		k.Must(err)
		if len(out.Created) != 0 || len(k.Show(byKey["DEMO-7"]).Bindings) != 1 {
			t.Errorf("%+v", out)
		}
		k.Healthy()
	})
}

// TestWhatASiteLeavesOutIsAsItWas has sites whose answers lack fields: only an explicit null clears
// one.
func TestWhatASiteLeavesOutIsAsItWas(t *testing.T) {
	t.Parallel()
	coretest.Each(t, func(k *coretest.Kit) {
		k.Apply(`{"project": "demo", "tasks": [{"key": "a", "title": "A"}, {"key": "b", "title": "B"}]}`)
		jiraSite, forgeSite := jiratest.New(true), forgetest.New(true)
		defer jiraSite.Close()
		defer forgeSite.Close()
		jiraSite.Put("DEMO-1", func(i *jiratest.Issue) {
			i.Summary, i.Description, i.Due, i.Sprint, i.Severity, i.Rank = "There", "Text", "2031-06-01", "Now", "Sev 2", "0|i"
		})
		forgeSite.Issue("own/code", 7, func(i *forgetest.Issue) {
			i.Title, i.Body, i.Due, i.Milestone = "There", "Text", "2031-06-01T00:00:00Z", "Now"
		})
		for _, c := range []struct {
			task, ref, site string
			s               *syncer.Syncer
			touch           func()
			leave           func(...string)
			fields          []string
			clear           func()
		}{
			{
				"demo-1", "DEMO-1", jiraSite.URL, linkedTo(k, jiraSite), func() { jiraSite.Put("DEMO-1", func(*jiratest.Issue) {}) },
				func(list ...string) { jiraSite.LeavesOut = list },
				[]string{"summary", "description", "duedate", "priority", jiratest.Fields["sprint"], jiratest.Fields["severity"], jiratest.Fields["rank"]},
				func() {
					jiraSite.Put("DEMO-1", func(i *jiratest.Issue) { i.Description, i.Due, i.Sprint = "", "", "" })
				},
			},
			{
				"demo-2", "own/code#7", forgeSite.URL,
				&syncer.Syncer{Links: k.Links, Plans: k.Planning, Open: func(context.Context, string) (syncer.Link, error) {
					c, err := forge.New(forge.Options{URL: forgeSite.URL, Trust: site.Trusting(forgeSite.URL), Token: forgeSite.Token})
					return syncer.Link{Tracker: forge.Issues{Client: c}, Projects: []string{"own/code"}}, err
				}},
				func() { forgeSite.Issue("own/code", 7, func(*forgetest.Issue) {}) },
				func(list ...string) { forgeSite.LeavesOut = list }, []string{"title", "body", "due_date", "milestone"},
				func() {
					forgeSite.Issue("own/code", 7, func(i *forgetest.Issue) { i.Body, i.Due, i.Milestone = "", "", "" })
				},
			},
		} {
			k.ConfigFile = fmt.Sprintf(`{"version": 1, "project": "demo", "integrations": {"issue_tracker": {"baseUrl": %q, "projects": ["DEMO", "own/code"]}}}`, c.site)
			_, err := k.Links.Bind(coretest.Ann, links.BindIn{Task: c.task, Ref: c.ref})
			k.Must(err)
			pull := func() string {
				_, err := c.s.Pull(coretest.Ann, "demo", false, nil)
				k.Must(err)
				now := k.Task(c.task)
				return fmt.Sprintf("%s|%s|%.10s|%s|%d|%s", now.Title, now.Body, fmt.Sprint(now.Due), now.Sprint, now.Severity, now.Rank)
			}
			first := pull()
			if !strings.HasPrefix(first, "There|Text|2031-06-01|Now|") {
				t.Errorf("%s: %s", c.ref, first)
			}
			c.leave(c.fields...)
			c.touch()
			if now := pull(); now != first {
				t.Errorf("%s without %v: %s, not %s", c.ref, c.fields, now, first)
			}
			c.leave()
			c.clear()
			if now := pull(); !strings.HasPrefix(now, "There|||") && !strings.HasPrefix(now, "There||<nil>||") {
				t.Errorf("%s cleared: %s", c.ref, now)
			}
			_, err = k.Links.Unbind(coretest.Ann, links.BindIn{Task: c.task, Ref: c.ref})
			k.Must(err)
		}
	})
}

// TestASiteThatDripsHoldsAPushOnce has three writes for a site whose answers never end.
func TestASiteThatDripsHoldsAPushOnce(t *testing.T) {
	t.Parallel()
	coretest.Each(t, func(k *coretest.Kit) {
		at := jiratest.New(false)
		defer at.Close()
		s := &syncer.Syncer{Links: k.Links, Plans: k.Planning, Open: func(context.Context, string) (syncer.Link, error) {
			c, err := jira.New(jira.Options{URL: at.URL, Trust: site.Trusting(at.URL), Token: at.Token, Status: jiratest.Map, Total: 200 * time.Millisecond})
			return syncer.Link{Site: at.URL, Tracker: c, Projects: []string{"DEMO"}}, err
		}}
		k.ConfigFile = fmt.Sprintf(`{"version": 1, "project": "demo", "integrations": {"issue_tracker": {"baseUrl": %q}}}`, at.URL)
		k.Apply(`{"project": "demo", "tasks": [{"key": "a", "title": "A"}, {"key": "b", "title": "B"}, {"key": "c", "title": "C"}]}`)
		for n := 1; n <= 3; n++ {
			at.Put(fmt.Sprint("DEMO-", n), func(*jiratest.Issue) {})
			_, err := k.Links.Bind(coretest.Ann, links.BindIn{Task: fmt.Sprint("demo-", n), Ref: fmt.Sprint("DEMO-", n)})
			k.Must(err)
		}
		_, err := s.Pull(coretest.Ann, "demo", false, nil)
		k.Must(err)
		for n := 1; n <= 3; n++ {
			k.Move(coretest.Ann, work.MoveIn{Task: fmt.Sprint("demo-", n), To: "in_review"})
		}
		at.Lock()
		at.Drips = true
		at.Unlock()
		out, err := s.Push(coretest.Ann, "demo", false)
		k.Must(err)
		if n := at.Asked("dripped"); n != 1 || out.Sent+out.Failed != 0 || out.Pending != 3 {
			t.Errorf("asked %d times: %+v", n, out)
		}
		at.Lock()
		at.Drips = false
		at.Unlock()
	})
}
