package forge

import (
	"context"
	"fmt"
	"testing"
	"time"

	"tasker/internal/site"
	"tasker/internal/sync/codehost"
	"tasker/internal/sync/tracker"
	"tasker/internal/task/merge"
	"tasker/internal/testkit/forgetest"
)

const repo = "own/code"

// each runs a test against both forms of the API.
func each(t *testing.T, fn func(t *testing.T, s *forgetest.Site, c *Client, waited *[]time.Duration)) {
	t.Helper()
	for _, gitea := range []bool{false, true} {
		t.Run(fmt.Sprintf("gitea=%v", gitea), func(t *testing.T) {
			t.Parallel()
			s := forgetest.New(gitea)
			t.Cleanup(s.Close)
			var waited []time.Duration
			c, err := New(Options{URL: s.URL, Trust: site.Trusting(s.URL), Token: s.Token, Pause: func(_ context.Context, d time.Duration) error { waited = append(waited, d); return nil }})
			if err != nil {
				t.Fatal(err)
			}
			fn(t, s, c, &waited)
		})
	}
}

func all(t *testing.T, c *Client, q codehost.Query) map[int64]merge.Request {
	t.Helper()
	out := map[int64]merge.Request{}
	err := c.Requests(t.Context(), q, func(page []merge.Request) error {
		for _, r := range page {
			out[r.Number] = r
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func TestRequestsAreReadByPagesAndByChange(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, s *forgetest.Site, c *Client, _ *[]time.Duration) {
		for n := range int64(230) {
			s.Pull(repo, n+1, func(*forgetest.Pull) {})
		}
		if got := all(t, c, codehost.Query{Repo: repo}); len(got) != 230 {
			t.Errorf("%d requests", len(got))
		}
		if n, want := s.Asked("pulls"), map[bool]int{false: 3, true: 5}[s.Gitea]; n != want {
			t.Errorf("%d pages were asked for, want %d", n, want)
		}
		mark := all(t, c, codehost.Query{Repo: repo})[230].Updated
		s.Pull(repo, 7, func(p *forgetest.Pull) { p.Merged, p.From = true, "else/fork" })
		s.Pull(repo, 8, func(p *forgetest.Pull) { p.State, p.From = "closed", "gone" })
		got := all(t, c, codehost.Query{Repo: repo, Since: mark})
		if len(got) != 3 {
			t.Errorf("%d requests have changed since", len(got))
		}
		if r := got[7]; r.State != merge.RequestMerged || !r.Fork || r.Merge == "" || r.BranchRef() != "" {
			t.Errorf("%+v", r)
		}
		if r := got[8]; r.State != merge.RequestClosed || !r.Fork || r.Merge != "" {
			t.Errorf("%+v", r)
		}
		one, err := c.Request(t.Context(), repo, 9)
		if err != nil || one.State != merge.RequestOpen || one.Ref() != "own/code#9" || one.BranchRef() != "own/code@work-9" {
			t.Errorf("%+v %v", one, err)
		}
		if _, err := c.Request(t.Context(), repo, 999); err == nil || !site.ProblemOf(err).Missing {
			t.Error(err)
		}
		if _, err := c.Request(t.Context(), "own/code/../x", 1); err == nil || !site.ProblemOf(err).ForGood {
			t.Error(err)
		}
	})
}

func TestChecksMessagesAndBranches(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, s *forgetest.Site, c *Client, _ *[]time.Duration) {
		s.Pull(repo, 1, func(p *forgetest.Pull) { p.Messages = []string{"one", "two\n\nTask: demo-1"} })
		s.Check(repo, "good", "success", "success")
		s.Check(repo, "bad", "success", "failure", "pending")
		s.Branch(repo, "tasker/demo-1", true)
		for commit, want := range map[string]merge.Checks{"good": {Passed: 2, Total: 2}, "bad": {Passed: 1, Total: 3}, "none": {}} {
			if got, err := c.Checks(t.Context(), repo, commit); err != nil || got != want {
				t.Errorf("%s: %+v %v", commit, got, err)
			}
		}
		if got, err := c.Messages(t.Context(), repo, 1); err != nil || len(got) != 2 || got[1] != "two\n\nTask: demo-1" {
			t.Errorf("%q %v", got, err)
		}
		for name, want := range map[string]bool{"tasker/demo-1": true, "tasker/demo-2": false} {
			if got, err := c.HasBranch(t.Context(), repo, name); err != nil || got != want {
				t.Errorf("%s: %v %v", name, got, err)
			}
		}
	})
}

func TestACodeHostThatMisbehavesIsAskedAgain(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, s *forgetest.Site, c *Client, waited *[]time.Duration) {
		for n := range int64(120) {
			s.Pull(repo, n+1, func(*forgetest.Pull) {})
		}
		failed := 0
		for seed := range uint64(60) {
			s.Misbehave(seed)
			got := map[int64]bool{}
			err := c.Requests(t.Context(), codehost.Query{Repo: repo}, func(page []merge.Request) error {
				for _, r := range page {
					got[r.Number] = true
				}
				return nil
			})
			if err != nil {
				failed++
			} else if len(got) != 120 {
				t.Errorf("seed %d: no error, and %d requests", seed, len(got))
			}
		}
		if failed > 20 {
			t.Errorf("%d of 60 reads failed", failed)
		}
		long := 0
		for _, d := range *waited {
			if d >= 2*time.Second {
				long++
			}
		}
		if long == 0 {
			t.Error("the client did not wait as long as the site asked")
		}
	})
}

func TestIssuesOfACodeHostAreATracker(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, s *forgetest.Site, c *Client, _ *[]time.Duration) {
		in := Issues{Client: c}
		for n := range int64(60) {
			s.Issue(repo, n+1, func(i *forgetest.Issue) { i.Body, i.Milestone = "one\r\ntwo\r\n", "Now" })
		}
		got := map[string]merge.Issue{}
		read := func(q tracker.Query) {
			clear(got)
			if err := in.Pages(t.Context(), q, func(page []merge.Issue) error {
				for _, i := range page {
					got[i.Ref] = i
				}
				return nil
			}); err != nil {
				t.Fatal(err)
			}
		}
		read(tracker.Query{Projects: []string{repo}})
		if i := got["own/code#3"]; len(got) != 60 || i.Values["body"] != "one\ntwo" || i.Values["sprint"] != "Now" || i.Values["status"] != "open" {
			t.Errorf("%d, %+v", len(got), i)
		}
		s.Pass(time.Hour)
		s.Issue(repo, 3, func(i *forgetest.Issue) { i.State = "closed" })
		s.Issue(repo, 4, func(i *forgetest.Issue) { i.State, i.Reason = "closed", "not_planned" })
		read(tracker.Query{Projects: []string{repo}, Within: 10 * time.Minute})
		if len(got) != 2 || got["own/code#3"].Values["status"] != "done" || got["own/code#4"].Values["status"] != "cancelled" {
			t.Errorf("%+v", got)
		}
		for field, value := range map[string]string{"title": "Other", "body": "text", "status": "done"} {
			if err := in.Write(t.Context(), "own/code#5", field, value); err != nil {
				t.Errorf("%s: %v", field, err)
			}
		}
		if i := s.Get(repo, 5); i.Title != "Other" || i.Body != "text" || i.State != "closed" {
			t.Errorf("%+v", i)
		}
		if err := in.Write(t.Context(), "own/code#5", "severity", "1"); err == nil || !site.ProblemOf(err).ForGood {
			t.Error(err)
		}
		if _, err := in.Issue(t.Context(), "own/code#999"); err == nil || !site.ProblemOf(err).Missing {
			t.Error(err)
		}
	})
}

func TestCredentialsGoNowhereUnencrypted(t *testing.T) {
	t.Parallel()
	for _, at := range []string{"http://example.org", "ftp://example.org", "https://ann:secret@example.org", "nonsense"} {
		if _, err := New(Options{URL: at, Trust: site.Trusting(at), Token: "t"}); err == nil {
			t.Error(at)
		}
	}
	s := forgetest.New(true)
	t.Cleanup(s.Close)
	c, err := New(Options{URL: s.URL, Trust: site.Trusting(s.URL), Token: "wrong"})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.Request(t.Context(), repo, 1); err == nil || !site.ProblemOf(err).Auth {
		t.Error(err)
	}
}
