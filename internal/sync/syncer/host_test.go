package syncer_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"tasker/internal/core"
	"tasker/internal/inbox"
	"tasker/internal/links"
	"tasker/internal/site"
	"tasker/internal/sync/forge"
	"tasker/internal/sync/syncer"
	"tasker/internal/task"
	"tasker/internal/task/merge"
	"tasker/internal/testkit/coretest"
	"tasker/internal/testkit/forgetest"
	"tasker/internal/work"
)

const repo = "own/code"

// hosted is a project that is linked to a code host.
type hosted struct {
	*coretest.Kit
	*syncer.Syncer
	site *forgetest.Site
	slug string
}

func host(k *coretest.Kit, slug string, gitea, autoClose bool) *hosted {
	k.Helper()
	h := &hosted{Kit: k, site: forgetest.New(gitea), slug: slug}
	k.HostURL = h.site.URL
	h.site.Branch(repo, "main", true) // so that the repository exists
	h.Syncer = &syncer.Syncer{Links: k.Links, Plans: k.Planning, OpenHost: func(context.Context, string) (syncer.HostLink, error) {
		c, err := forge.New(forge.Options{URL: h.site.URL, Trust: site.Trusting(h.site.URL), Token: h.site.Token, Pause: func(context.Context, time.Duration) error { return nil }})
		return syncer.HostLink{Host: c, Repos: []string{repo}}, err
	}}
	h.declare(autoClose)
	return h
}

func (h *hosted) declare(autoClose bool) {
	h.ConfigFile = fmt.Sprintf(`{"version": 1, "project": %q, "integrations": {"code_host": {"repos": [%q], "autoCloseOnMerge": %v}}}`, h.slug, repo, autoClose)
}

func (h *hosted) pulled() links.Pulled {
	h.Helper()
	out, err := h.PullHost(coretest.Ann, h.slug, false, nil)
	h.Must(err)
	return out
}

// states returns the bindings of a task.
func (h *hosted) states(id string) (out []string) {
	for _, b := range h.Show(id).Bindings {
		out = append(out, b.Ref+" "+string(b.State))
	}
	return out
}

func (h *hosted) evidence(id string) (out []string) {
	for _, e := range h.Show(id).Evidence {
		out = append(out, e.Kind)
	}
	return out
}

// items returns the names of the inbox items, with why.
func (h *hosted) items() map[string]string {
	h.Helper()
	out, err := h.Inbox.Inbox(coretest.Ann, inbox.InboxIn{Slug: h.slug, All: true})
	h.Must(err)
	items := map[string]string{}
	for _, i := range out.Items {
		items[i.ID] = i.Why
	}
	return items
}

func (h *hosted) is(got []string, want ...string) {
	h.Helper()
	if !slices.Equal(got, want) {
		h.Errorf("%q, want %q", got, want)
	}
}

func TestRequestsAreBoundAndProve(t *testing.T) {
	coretest.Each(t, func(k *coretest.Kit) {
		h := host(k, "demo", false, true)
		defer h.site.Close()
		k.Policy.Gates = map[string][]string{"ship": {"pull_request", "commit", "checks"}}
		k.Tasks(`{"key": "a", "title": "A"}, {"key": "b", "title": "B", "gate": "ship"},
			{"key": "c", "title": "C", "criteria": ["it works"]}, {"key": "d", "title": "D"}`)
		_, err := k.Links.Bind(coretest.Ann, links.BindIn{Task: "demo-1", Ref: "own/code#1"})
		k.Must(err)
		_, err = k.Links.Bind(coretest.Ann, links.BindIn{Task: "demo-4", Ref: "own/code@mine"})
		k.Must(err)
		h.site.Pull(repo, 1, func(*forgetest.Pull) {})
		h.site.Pull(repo, 2, func(p *forgetest.Pull) { p.Branch = "tasker/demo-2-b" })
		h.site.Pull(repo, 3, func(p *forgetest.Pull) { p.Messages, p.From = []string{"x\n\nTask: demo-3"}, "else/fork" })
		h.site.Pull(repo, 5, func(p *forgetest.Pull) { p.Title = "demo-3: or so" })
		h.site.Pull(repo, 6, func(p *forgetest.Pull) { p.Title, p.Branch, p.From = "nothing", "tasker/demo-1", "else/fork" })
		h.site.Branch(repo, "mine", true)

		out := h.pulled()
		if out.Read != 5 {
			t.Errorf("%+v", out)
		}
		h.is(h.states("demo-1"), "own/code#1 open")
		h.is(h.states("demo-2"), "own/code#2 open")
		h.is(h.states("demo-3"), "own/code#3 open")
		h.is(h.states("demo-4"), "own/code@mine open")
		items := h.items()
		if why := items["review:demo-3:proposed:own/code#5"]; len(items) != 1 || !strings.Contains(why, "own/code#5 names it in its title") {
			t.Errorf("%q", items)
		}

		// Nothing has changed, so nothing is written.
		events := k.Events("")
		if out = h.pulled(); len(out.Updated) != 0 {
			t.Errorf("%+v", out)
		}
		if now := k.Events(""); len(now) != len(events) {
			t.Errorf("%d events were written", len(now)-len(events))
		}

		// A merge closes its task under the rules for done, with the evidence that it brings.
		h.site.Pull(repo, 1, func(p *forgetest.Pull) { p.Merged = true })
		h.site.Pull(repo, 2, func(p *forgetest.Pull) { p.Merged = true })
		h.site.Check(repo, fmt.Sprintf("%040d", 2), "success", "success")
		h.site.Pull(repo, 3, func(p *forgetest.Pull) { p.Merged = true })
		h.site.Check(repo, fmt.Sprintf("%040d", 3), "success")
		h.site.Pull(repo, 4, func(p *forgetest.Pull) { p.Branch, p.Merged = "mine", true })
		h.pulled()
		h.is(h.states("demo-4"), "own/code@mine merged", "own/code#4 merged")
		h.is(h.evidence("demo-1"), "pull_request", "commit")
		h.is(h.evidence("demo-2"), "pull_request", "commit", "checks")
		h.is(h.evidence("demo-3"), "pull_request", "commit") // never the checks of a fork
		for id, want := range map[string]task.Status{"demo-1": task.Done, "demo-2": task.Done, "demo-3": task.Open, "demo-4": task.Done} {
			if got := k.Task(id).Status; got != want {
				t.Errorf("%s is %s, want %s", id, got, want)
			}
		}
		if why := h.items()["review:demo-3:merged"]; why != "own/code#3 is merged, and it stays open: criterion 1: it works" {
			t.Errorf("%q", why)
		}

		// Once nothing is missing, the next pull closes it. If it is opened again, the same merge
		// does not close it.
		_, err = k.Work.Tick(coretest.Ann, work.TickIn{Task: "demo-3", Indexes: []int{1}})
		k.Must(err)
		h.pulled()
		if k.Task("demo-3").Status != task.Done {
			t.Error("it stays open")
		}
		k.Move(coretest.Ann, work.MoveIn{Task: "demo-3", To: "open"})
		h.pulled()
		if k.Task("demo-3").Status != task.Open || len(h.items()) != 1 {
			t.Errorf("%s %q", k.Task("demo-3").Status, h.items())
		}

		// Binding it decides about the proposal.
		_, err = k.Links.Bind(coretest.Ann, links.BindIn{Task: "demo-3", Ref: "own/code#5"})
		k.Must(err)
		if len(h.items()) != 0 {
			t.Errorf("%q", h.items())
		}
		k.Healthy()
	})
}

func TestAMergeOnlyTellsWhereNobodyAskedForMore(t *testing.T) {
	coretest.Each(t, func(k *coretest.Kit) {
		h := host(k, "demo", true, false)
		defer h.site.Close()
		k.Tasks(`{"key": "a", "title": "A"}, {"key": "b", "title": "B"}`)
		h.site.Pull(repo, 1, func(p *forgetest.Pull) { p.Body, p.Merged = "Task: demo-1", true })
		h.site.Pull(repo, 2, func(p *forgetest.Pull) { p.Body = "Task: demo-1" })
		h.site.Pull(repo, 3, func(p *forgetest.Pull) { p.Body, p.State = "Task: demo-2", "closed" })
		before := len(k.Events("demo-1"))
		out, err := h.PullHost(coretest.Ann, "demo", true, nil)
		k.Must(err)
		if len(out.Updated) != 3 || len(k.Events("demo-1")) != before {
			t.Errorf("%+v", out)
		}
		h.pulled()
		h.is(h.states("demo-2"), "own/code#3 closed")
		if why := h.items()["review:demo-1:merged"]; why != "own/code#1 is merged, and it stays open: own/code#2 is not merged yet" {
			t.Errorf("%q", why)
		}
		h.site.Pull(repo, 2, func(p *forgetest.Pull) { p.State = "closed" })
		h.pulled()
		if why := h.items()["review:demo-1:merged"]; why != "own/code#1 is merged, and nothing is missing: it can be closed" {
			t.Errorf("%q", why)
		}
		if k.Task("demo-1").Status != task.Open {
			t.Error("it was closed")
		}
		k.Done(coretest.Ann, "demo-1")
		if items := h.items(); len(items) != 0 {
			t.Errorf("%q", items)
		}
		log, err := k.Links.Log(coretest.Ann, links.LogIn{Slug: "demo"})
		k.Must(err)
		if len(log) == 0 || log[0].System != merge.CodeHost || log[0].Field != "state" {
			t.Errorf("%+v", log)
		}
	})
}

// newest returns the number of the newest event: the log of all histories is too long for one list
// of events.
func newest(k *coretest.Kit) int64 {
	k.Helper()
	id, err := k.Reading.Newest(coretest.Ann, core.None{})
	k.Must(err)
	return id
}

// TestAHostThatMisbehavesLosesNothing runs seeded histories.
func TestAHostThatMisbehavesLosesNothing(t *testing.T) {
	t.Parallel() // most of a history is waiting for the disk
	coretest.Each(t, func(k *coretest.Kit) {
		for seed := range histories(k) / 2 { // the tracker has as many
			liveHosted(k, uint64(seed))
			if k.Failed() {
				k.Fatalf("seed %d", seed)
			}
		}
		k.Healthy()
	})
}

// liveHosted runs a history in which people open, name, merge and close requests while the site
// misbehaves. A failed pull changes nothing, nothing is bound or proven twice, and once the site
// behaves, every task matches its requests.
func liveHosted(k *coretest.Kit, seed uint64) {
	k.Helper()
	r := rand.New(rand.NewPCG(seed, 11))
	h := host(k, fmt.Sprintf("g%d", seed), r.IntN(2) == 0, r.IntN(2) == 0)
	defer h.site.Close()
	k.Apply(fmt.Sprintf(`{"project": %q, "tasks": [{"key": "a", "title": "A"}, {"key": "b", "title": "B"}, {"key": "c", "title": "C"}]}`, h.slug))
	auto := strings.Contains(h.ConfigFile, "true")
	type request struct {
		task   int
		merged bool
		closed bool
		fork   bool
	}
	var made []*request
	h.site.Misbehave(seed)
	for range 5 + r.IntN(15) {
		switch at := r.IntN(max(1, len(made))); {
		case len(made) == 0 || r.IntN(4) == 0:
			one := &request{task: 1 + r.IntN(3), fork: r.IntN(4) == 0}
			made = append(made, one)
			h.site.Pull(repo, int64(len(made)), func(p *forgetest.Pull) {
				id := fmt.Sprintf("%s-%d", h.slug, one.task)
				if one.fork {
					p.From = "else/fork"
				}
				switch way := r.IntN(3); {
				case way == 0 && !one.fork:
					p.Branch = "tasker/" + id
				case way == 1:
					p.Messages = []string{"x", "y\n\nTask: " + id}
				default:
					p.Body = "Task: " + id
				}
			})
		case r.IntN(3) == 0 && !made[at].closed:
			made[at].merged, made[at].closed = true, true
			h.site.Check(repo, fmt.Sprintf("%040d", at+1), "success")
			h.site.Pull(repo, int64(at+1), func(p *forgetest.Pull) { p.Merged = true })
		case r.IntN(6) == 0 && !made[at].closed:
			made[at].closed = true
			h.site.Pull(repo, int64(at+1), func(p *forgetest.Pull) { p.State = "closed" })
		default:
			before := newest(k)
			if _, err := h.PullHost(coretest.Ann, h.slug, false, nil); err != nil {
				if n := newest(k) - before; n > 1 { // the failure itself
					k.Errorf("a pull that failed wrote %d events: %v", n, err)
				}
			}
		}
	}
	h.site.Behave()
	h.pulled()
	for n := 1; n <= 3; n++ {
		id := fmt.Sprintf("%s-%d", h.slug, n)
		var bound, proof []string
		merged, open := false, false
		for i, m := range made {
			if m.task != n {
				continue
			}
			state := map[bool]string{true: "merged", false: map[bool]string{true: "closed", false: "open"}[m.closed]}[m.merged]
			bound = append(bound, fmt.Sprintf("%s#%d %s", repo, i+1, state))
			merged, open = merged || m.merged, open || !m.closed
			if m.merged {
				if proof = append(proof, "pull_request", "commit"); !m.fork {
					proof = append(proof, "checks")
				}
			}
		}
		same := func(what string, got, want []string) {
			slices.Sort(got)
			slices.Sort(want)
			if !slices.Equal(got, want) {
				k.Errorf("%s of %s are %q, want %q", what, id, got, want)
			}
		}
		same("the bindings", h.states(id), bound)
		same("the proofs", h.evidence(id), proof)
		_, noticed := h.items()["review:"+id+":merged"]
		switch done := k.Task(id).Status == task.Done; {
		case !merged && (done || noticed), merged && !auto && (done || !noticed), merged && auto && !open && !done:
			k.Errorf("%s: merged %v, open %v, done %v, noticed %v", id, merged, open, done, noticed)
		}
	}
	before := newest(k)
	out := h.pulled()
	if n := newest(k) - before; n != 0 || len(out.Updated) != 0 {
		k.Errorf("pulling again wrote %d events: %+v", n, out)
	}
	sync, err := k.Links.Sync(coretest.Ann, core.ProjectIn{Slug: h.slug})
	k.Must(err)
	if l := sync.Links[0]; l.System != merge.CodeHost || l.Auth != merge.AuthOK || l.Error != "" {
		k.Errorf("%+v", l)
	}
}

// Credentials are ok only where the site's last answer accepted them: not of a site that does not answer any more.
func TestCredentialsAreOkOnlyWhereTheSiteSaidSo(t *testing.T) {
	coretest.Each(t, func(k *coretest.Kit) {
		h := host(k, "acme", true, false)
		k.Apply(`{"project": "acme", "tasks": [{"key": "a", "title": "A"}]}`)
		auth := func() string {
			sync, err := k.Links.Sync(coretest.Ann, core.ProjectIn{Slug: "acme"})
			k.Must(err)
			return sync.Links[0].Auth
		}
		coretest.Equal(k, "before a pull", auth(), merge.AuthUnknown)
		h.pulled()
		coretest.Equal(k, "after a pull", auth(), merge.AuthOK)
		h.site.Close()
		if _, err := h.PullHost(coretest.Ann, "acme", false, nil); err == nil {
			k.Error("the site is gone, and was pulled")
		}
		coretest.Equal(k, "after the site refused the connection", auth(), merge.AuthUnknown)
	})
}
