package calls_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"tasker/internal/agent/calls"
	"tasker/internal/agent/run"
	"tasker/internal/fault"
)

// noon is a moment in Berlin.
func noon(t *testing.T) time.Time {
	t.Helper()
	zone, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}
	return time.Date(2026, 10, 2, 12, 0, 0, 0, zone)
}

func known(t *testing.T, name string) calls.Agent {
	t.Helper()
	all, err := calls.Known()
	if err != nil {
		t.Fatal(err)
	}
	a, err := all.Find(name)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func TestWhatAgentsPrintWhenTheyCannotWork(t *testing.T) {
	now := noon(t)
	for _, c := range []struct {
		agent, printed string
		exit           int
		class          run.Class
		until          string // from now; empty: not told
	}{
		{"claude", "You've hit your limit · resets 1pm (Europe/Lisbon)", 1, run.Limit, "2h0m0s"},
		{"claude", "You've hit your session limit · resets 5:10pm (Europe/Paris)", 1, run.Limit, "5h10m0s"},
		{"claude", "\x1b[31mYou've hit your weekly limit · resets Oct 4, 9am (Europe/Berlin)\x1b[0m", 1, run.Limit, "45h0m0s"},
		{"claude", "Claude usage limit reached. Your limit will reset at 9am (America/Chicago).", 1, run.Limit, "4h0m0s"},
		{"claude", "Claude AI usage limit reached|1790938800", 1, run.Limit, "1h0m0s"},
		{"claude", "You've hit your limit · resets soon", 1, run.Limit, ""},
		{"claude", `API Error: 529 {"type":"error","error":{"type":"overloaded_error"}}`, 1, run.Outage, ""},
		{"claude", "Invalid API key · Please run /login", 1, run.Setup, ""},
		{"claude", "Not logged in · Please run /login", 1, run.Setup, ""},
		{"codex", "ERROR: You've hit your usage limit. Upgrade to Pro (https://openai.com/chatgpt/pricing) or try again in 2 days 17 hours 14 minutes.", 1, run.Limit, "65h14m0s"},
		{"codex", "ERROR: You've hit your usage limit. Upgrade to Plus or try again at Oct 3rd, 2026 3:04 PM.", 1, run.Limit, "27h4m0s"},
		{"codex", "ERROR: You've hit your usage limit. Try again at 3:04 PM.", 1, run.Limit, "3h4m0s"},
		{"codex", "ERROR: unexpected status 503 Service Unavailable", 1, run.Outage, ""},
		{"codex", "ERROR: unexpected status 401 Unauthorized", 1, run.Setup, ""},
		{"copilot", "✗ Sorry, you've hit a rate limit that restricts the number of Copilot model requests you can make within a specific time period. Please try again in 15 hours 23 minutes. Please review our Terms", 1, run.Limit, "15h23m0s"},
		{"copilot", "Error: No authentication information found.", 1, run.Setup, ""},
		{"gemini", "Error: You have exhausted your capacity on this model. Your quota will reset after 13h18m14s.", 1, run.Limit, "13h18m14s"},
		{"gemini", "✕ [API Error: Resource has been exhausted (e.g. check quota).]", 1, run.Limit, ""},
		{"gemini", "Please set an Auth method in your settings.json", 41, run.Setup, ""},
		{"opencode", "Error: Model not found: a/b. Did you mean: c?", 0, run.Setup, ""},
		{"opencode", "Error: Too Many Requests: 429", 1, run.Limit, ""},

		// What nobody knows is an ordinary end, and so is the text of a task that is about limits.
		{"claude", "3 of 12 tests failed", 1, run.Ordinary, ""},
		{"claude", "You've hit your limit · resets 1pm (Europe/Lisbon)\nI have written the test for that message.", 0, run.Ordinary, ""},
		{"claude", "The page now says when the rate limit resets at 3pm.", 0, run.Ordinary, ""},
		{"codex", "", 1, run.Ordinary, ""},
	} {
		e := known(t, c.agent).Class(run.Ended{ExitCode: c.exit, Tail: "working\n\n" + c.printed + "\n"}, now)
		until := ""
		if !e.Until.IsZero() {
			until = e.Until.Sub(now).String()
		}
		if e.Class != c.class || until != c.until {
			t.Errorf("%s, %q: class %q until %q, want %q until %q", c.agent, c.printed, e.Class, until, c.class, c.until)
		}
		if c.class != run.Ordinary && !strings.Contains(c.printed, e.Message) {
			t.Errorf("%s, %q: the message is %q", c.agent, c.printed, e.Message)
		}
	}
}

func TestAUsersFileExtendsAndReplaces(t *testing.T) {
	all, err := calls.Known()
	if err != nil {
		t.Fatal(err)
	}
	file, err := calls.Read("agents.json", []byte(`{"agents": [
		{"name": "mine", "call": ["mine", "--go"], "env": ["A=b"], "texts": [{"class": "outage", "pattern": "^come back in (?P<in>.*)$"}]},
		{"name": "claude", "texts": [{"class": "limit", "pattern": "^no more until (?P<at>.*)$"}]},
		{"name": "codex", "replace": true}]}`))
	if err != nil {
		t.Fatal(err)
	}
	if all, err = all.With(file); err != nil {
		t.Fatal(err)
	}
	now := noon(t)
	for _, c := range []struct {
		agent, printed string
		class          run.Class
	}{
		{"mine", "come back in 5 minutes", run.Outage},
		{"claude", "no more until 3pm", run.Limit},
		{"claude", "Please run /login", run.Setup},
		{"codex", "ERROR: You've hit your usage limit.", run.Ordinary},
	} {
		a, err := all.Find(c.agent)
		if err != nil {
			t.Fatal(err)
		}
		if e := a.Class(run.Ended{ExitCode: 1, Tail: c.printed}, now); e.Class != c.class {
			t.Errorf("%s, %q: class %q", c.agent, c.printed, e.Class)
		}
	}
	if a, _ := all.Find("mine"); !slices.Equal(a.Line([]string{"x"}), []string{"mine", "--go", "x"}) {
		t.Errorf("the call is %v", a.Line(nil))
	}
	for _, src := range []string{
		`{"agents": [{"name": "other"}]}`, `{"agents": [{"name": "claude", "texts": [{"class": "no", "pattern": "x"}]}]}`,
		`{"agents": [{"name": "claude", "texts": [{"class": "limit", "pattern": "("}]}]}`, `{"agents": [{"name": "claude", "cal": []}]}`, `{}`, `{"agents": [], "more": 1}`,
	} {
		file, err := calls.Read("agents.json", []byte(src))
		if err == nil {
			_, err = all.With(file)
		}
		if !fault.Is(err, fault.Invalid) {
			t.Errorf("%s: %v", src, err)
		}
	}
	if _, err := all.Find("nobody"); !fault.Is(err, fault.Invalid) {
		t.Errorf("an unknown agent: %v", err)
	}
	var schema map[string]any
	if err := json.Unmarshal(calls.Schema(), &schema); err != nil || !strings.Contains(string(calls.Schema()), `"pattern"`) {
		t.Errorf("the schema is %s, %v", calls.Schema(), err)
	}
}
