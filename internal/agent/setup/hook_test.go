package setup_test

import (
	"encoding/json"
	"maps"
	"slices"
	"testing"

	"tasker/internal/agent/setup"
)

// TestEachAgentIsGivenTheHooksThatItsFormatHas compares the events in the files with those that the agent's own documents
// name, and what is called at each. An update writes what an earlier version did not have.
func TestEachAgentIsGivenTheHooksThatItsFormatHas(t *testing.T) {
	t.Parallel()
	for agent, want := range map[string]struct {
		path  string
		calls map[string]string
	}{
		"claude": {".claude/settings.json", map[string]string{"SessionStart": "start", "Stop": "stop", "StopFailure": "limit", "SessionEnd": "end",
			"PostToolUse": "beat", "PreToolUse": "edit"}},
		"codex":   {".codex/hooks.json", map[string]string{"SessionStart": "start", "Stop": "stop", "SessionEnd": "end", "PostToolUse": "beat", "PreToolUse": "edit"}},
		"gemini":  {".gemini/settings.json", map[string]string{"SessionStart": "start", "AfterAgent": "stop", "SessionEnd": "end", "AfterTool": "beat"}},
		"copilot": {".github/hooks/tasker.json", map[string]string{"sessionStart": "start", "agentStop": "stop", "sessionEnd": "end", "postToolUse": "beat"}},
	} {
		added := project{}.add(t, agent)
		var read struct {
			Hooks map[string][]struct {
				Bash  string
				Hooks []struct{ Command string }
			}
		}
		if err := json.Unmarshal([]byte(added[want.path]), &read); err != nil {
			t.Fatal(err)
		}
		if got, want := slices.Sorted(maps.Keys(read.Hooks)), slices.Sorted(maps.Keys(want.calls)); !slices.Equal(got, want) {
			t.Errorf("%s is given %v, want %v", agent, got, want)
		}
		for name, event := range want.calls {
			command := "tasker hook " + event + " --agent " + agent + " --server http://127.0.0.1:7777"
			if list := read.Hooks[name]; len(list) != 1 || list[0].Bash != command && (len(list[0].Hooks) != 1 || list[0].Hooks[0].Command != command) {
				t.Errorf("%s at %s: %+v, want %s", agent, name, list, command)
			}
		}
	}
}

// TestAnAgentIsToldInItsOwnForm covers the events whose answer keeps an agent going or reaches its model.
func TestAnAgentIsToldInItsOwnForm(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ agent, event, want string }{
		{"claude", "stop", `{"decision":"block","reason":"x"}`},
		{"codex", "stop", `{"decision":"block","reason":"x"}`},
		{"copilot", "stop", `{"decision":"block","reason":"x"}`},
		{"gemini", "stop", `{"decision":"deny","reason":"x"}`},
		{"opencode", "stop", `null`},
		{"codex", "edit", `{"hookSpecificOutput":{"additionalContext":"x","hookEventName":"PreToolUse"}}`},
		{"gemini", "edit", `null`},
	} {
		if got, err := json.Marshal(setup.Told(c.agent, c.event, "x")); err != nil || string(got) != c.want {
			t.Errorf("%s at %s: %s, want %s", c.agent, c.event, got, c.want)
		}
	}
}
