package syncer_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"tasker/internal/core/coretest"
	"tasker/internal/core/linking"
	"tasker/internal/fault"
	"tasker/internal/op"
	"tasker/internal/syncer"
	"tasker/internal/task"
	"tasker/internal/tracker/jira"
	"tasker/internal/tracker/jiratest"
)

// linkedTo returns a syncer of every project with a site.
func linkedTo(k *coretest.Kit, site *jiratest.Site) *syncer.Syncer {
	return &syncer.Syncer{Ops: op.NewLocal(k.All()...), Open: func(context.Context, string) (syncer.Link, error) {
		c, err := jira.New(jira.Options{URL: site.URL, User: site.User, Token: site.Token, Status: jiratest.Map, Fields: jiratest.Fields,
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
				i.Summary, i.Severity, i.Priority = fmt.Sprint("Issue ", n), "Sev 3", "Highest"
			})
		}
		site.Put("DEMO-7", func(i *jiratest.Issue) { i.Status = "Done" })
		site.Put("OTHER-1", func(*jiratest.Issue) {})

		// The project is not there yet: the import makes it.
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
		if tk := seventh.Task; tk.Status != task.Done || tk.Priority != 0 || tk.Severity != 3 || tk.Title != "Issue 7" {
			t.Errorf("%+v", tk)
		}
		if b := seventh.Bindings; len(b) != 1 || b[0].Ref != "DEMO-7" || string(b[0].URL) != site.URL+"/browse/DEMO-7" {
			t.Errorf("%+v", b)
		}
		pulled, err := s.Pull(coretest.Ann, "demo", false, nil)
		k.Must(err)
		if pulled.Read != 60 || pulled.Conflicts+pulled.Planned != 0 {
			t.Errorf("%+v", pulled)
		}

		// What is bound is for a pull; what is new is imported.
		_, err = s.Import(coretest.Ann, "demo", false, false, nil)
		k.Refused(err, fault.Declined, "60 were read, and tasks are bound to 60")
		site.Put("DEMO-61", func(*jiratest.Issue) {})
		out, err = s.Import(coretest.Ann, "demo", false, false, nil)
		k.Must(err)
		if len(out.Created) != 1 || out.Read != 1 {
			t.Errorf("%+v", out.Created)
		}

		// A task that was unbound is found by its key, and bound again.
		_, err = k.Linking.Unbind(coretest.Ann, linking.BindIn{Task: byKey["DEMO-7"], Ref: "DEMO-7"})
		k.Must(err)
		out, err = s.Import(coretest.Ann, "demo", false, false, nil)
		k.Must(err)
		if len(out.Created) != 0 || len(k.Show(byKey["DEMO-7"]).Bindings) != 1 {
			t.Errorf("%+v", out)
		}
		k.Healthy()
	})
}
