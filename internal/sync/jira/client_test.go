package jira

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"tasker/internal/site"
	"tasker/internal/sync/tracker"
	"tasker/internal/task/merge"
	"tasker/internal/testkit/jiratest"
)

func open(t *testing.T, s *jiratest.Site) (*Client, *[]time.Duration) {
	t.Helper()
	t.Cleanup(s.Close)
	var waited []time.Duration
	c, err := New(Options{URL: s.URL, Trust: site.Trusting(s.URL), User: s.User, Token: s.Token, Status: jiratest.Map, Fields: jiratest.Fields,
		Pause: func(_ context.Context, d time.Duration) error { waited = append(waited, d); return nil }})
	if err != nil {
		t.Fatal(err)
	}
	return c, &waited
}

func all(t *testing.T, c *Client, q tracker.Query) map[string]merge.Issue {
	t.Helper()
	out := map[string]merge.Issue{}
	err := c.Pages(t.Context(), q, func(page []merge.Issue) error {
		for _, i := range page {
			out[i.Ref] = i
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func TestIssuesAreReadByPagesAndByChange(t *testing.T) {
	t.Parallel()
	for _, cloud := range []bool{true, false} {
		s := jiratest.New(cloud)
		c, _ := open(t, s)
		for n := range 250 {
			s.Put(fmt.Sprintf("DEMO-%d", n+1), func(i *jiratest.Issue) { i.Description = "one\ntwo\n\nthree" })
		}
		s.Put("OTHER-1", func(*jiratest.Issue) {})
		got := all(t, c, tracker.Query{Projects: []string{"DEMO"}})
		if len(got) != 250 || got["DEMO-7"].Values["body"] != "one\ntwo\n\nthree" {
			t.Errorf("cloud %v: %d issues, %+v", cloud, len(got), got["DEMO-7"])
		}
		if n := s.Asked("search"); n != 10 { // 28 a page, one request each: 250/28 = 8.9
			t.Logf("%d requests", n)
		}
		s.Pass(time.Hour)
		s.Put("DEMO-3", func(i *jiratest.Issue) {
			i.Summary, i.Severity, i.Sprint, i.Rank, i.Due, i.Priority, i.Status = "New", "Sev 2", "Now", "0|i", "2031-06-01", "Lowest", "6"
			i.Status = "Won't Do"
		})
		got = all(t, c, tracker.Query{Projects: []string{"DEMO"}, Within: 10 * time.Minute})
		i := got["DEMO-3"]
		if len(got) != 1 || !i.Closed || i.Updated < "2031" {
			t.Errorf("cloud %v: %+v", cloud, got)
		}
		for field, want := range map[string]string{
			"title": "New", "severity": "2", "sprint": "Now", "rank": "0|i", "due": "2031-06-01", "priority": "3", "status": "cancelled",
		} {
			if i.Values[field] != want {
				t.Errorf("%s is %q, not %q", field, i.Values[field], want)
			}
		}
		s.Put("DEMO-4", func(i *jiratest.Issue) { i.Status = "Waiting" })
		one, err := c.Issue(t.Context(), "DEMO-4")
		if err != nil || one.Values["status"] != "in_progress" || !strings.Contains(strings.Join(one.Warnings, ""), `"Waiting" is not in statusMap`) {
			t.Errorf("%+v %v", one, err)
		}
		if _, err := c.Issue(t.Context(), "DEMO-999"); err == nil || !site.ProblemOf(err).Missing {
			t.Errorf("%v", err)
		}
	}
}

func TestValuesAreWritten(t *testing.T) {
	t.Parallel()
	for _, cloud := range []bool{true, false} {
		s := jiratest.New(cloud)
		c, _ := open(t, s)
		s.Put("DEMO-1", func(*jiratest.Issue) {})
		for field, value := range map[string]string{
			"title": "T", "body": "a\nb\n\nc", "due": "2031-01-02", "priority": "0", "severity": "3", "status": "in_review",
		} {
			if err := c.Write(t.Context(), "DEMO-1", field, value); err != nil {
				t.Fatal(field, err)
			}
			i, err := c.Issue(t.Context(), "DEMO-1")
			if err != nil || i.Values[field] != value {
				t.Errorf("cloud %v: %s is %q, not %q: %v", cloud, field, i.Values[field], value, err)
			}
		}
		if err := c.Write(t.Context(), "DEMO-1", "rank", "x"); err == nil || !site.ProblemOf(err).ForGood {
			t.Errorf("%v", err)
		}
		s.Refuse(403)
		if err := c.Write(t.Context(), "DEMO-1", "title", "x"); err == nil || !site.ProblemOf(err).ForGood || !site.ProblemOf(err).Auth {
			t.Errorf("%v", err)
		}
		s.Refuse(503)
		if err := c.Write(t.Context(), "DEMO-1", "title", "x"); err == nil || site.ProblemOf(err).ForGood {
			t.Errorf("%v", err)
		}
	}
}

func TestWhatFailsForNowIsAskedAgainAndRetryAfterIsKept(t *testing.T) {
	t.Parallel()
	s := jiratest.New(true)
	c, waited := open(t, s)
	for n := range 60 {
		s.Put(fmt.Sprintf("DEMO-%d", n+1), func(*jiratest.Issue) {})
	}
	whole := 0
	for seed := range uint64(20) {
		s.Misbehave(seed)
		got := map[string]bool{}
		err := c.Pages(t.Context(), tracker.Query{Projects: []string{"DEMO"}}, func(page []merge.Issue) error {
			for _, i := range page {
				got[i.Ref] = true
			}
			return nil
		})
		if err == nil && len(got) != 60 {
			t.Errorf("seed %d: %d issues, and no error", seed, len(got))
		}
		if err == nil {
			whole++
		}
	}
	if whole == 0 || !slices.Contains(*waited, 2*time.Second) {
		t.Errorf("%d were read whole, waits %v", whole, *waited)
	}
}

func TestCredentialsAreSaidNowhere(t *testing.T) {
	t.Parallel()
	s := jiratest.New(true)
	t.Cleanup(s.Close)
	c, err := New(Options{URL: s.URL, Trust: site.Trusting(s.URL), User: s.User, Token: "wrong-token-canary"})
	if err != nil {
		t.Fatal(err)
	}
	_, err = c.Issue(t.Context(), "DEMO-1")
	p := site.ProblemOf(err)
	if !p.Auth || !p.ForGood || strings.Contains(p.Message, "canary") {
		t.Errorf("%+v", p)
	}
	for _, bad := range []string{"http://jira.example.org", "ftp://x", "https://user:pw@x", ""} {
		if _, err := New(Options{URL: bad, Trust: site.Trusting(bad)}); err == nil || strings.Contains(err.Error(), "pw@") {
			t.Errorf("%q: %v", bad, err)
		}
	}
}

func TestDocumentsReadAsText(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"a", "a\nb", "a\n\nb", "a\n\n\nb", "- x\n- y"} {
		if got := documentOf(text).text(); got != text {
			t.Errorf("%q came back as %q", text, got)
		}
	}
	doc := node{Type: "doc", Content: []node{
		{Type: "heading", Attrs: map[string]any{"level": 2.0}, Content: []node{{Type: "text", Text: "H"}}},
		{Type: "bulletList", Content: []node{{Type: "listItem", Content: []node{{Type: "paragraph", Content: []node{{Type: "text", Text: "x"}}}}}}},
		{Type: "codeBlock", Content: []node{{Type: "text", Text: "c"}}},
		{Type: "panel", Content: []node{{Type: "paragraph", Content: []node{{Type: "text", Text: "p"}}}}},
	}}
	if got := doc.text(); got != "## H\n\n- x\n\n```\nc\n```\n\np" {
		t.Errorf("%q", got)
	}
}
