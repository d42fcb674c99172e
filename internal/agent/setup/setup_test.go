package setup_test

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tasker/internal/agent/setup"
	"tasker/internal/fault"
	"tasker/internal/testkit/o200k"
)

// project holds the files of a project, by path.
type project map[string]string

func (p project) ReadFile(path string) ([]byte, error) {
	text, ok := p[path]
	if !ok {
		return nil, fs.ErrNotExist
	}
	return []byte(text), nil
}

func (p project) apply(t *testing.T, changes []setup.Change) project {
	t.Helper()
	out := maps.Clone(p)
	for _, c := range changes {
		before, there := p[c.Path]
		if string(c.Before) != before || (c.Before != nil) != there {
			t.Fatalf("%s was %q, and the change says %q", c.Path, before, c.Before)
		}
		if c.After == nil {
			delete(out, c.Path)
		} else {
			out[c.Path] = string(c.After)
		}
	}
	return out
}

func (p project) add(t *testing.T, agent string) project {
	t.Helper()
	changes, err := setup.Add(agent, p, setup.Options{Server: "http://127.0.0.1:7777"})
	if err != nil {
		t.Fatalf("%s: %v", agent, err)
	}
	return p.apply(t, changes)
}

func (p project) remove(t *testing.T, agent string) project {
	t.Helper()
	changes, err := setup.Remove(agent, p)
	if err != nil {
		t.Fatalf("%s: %v", agent, err)
	}
	return p.apply(t, changes)
}

// jsonForms and textForms are what people have in their files.
var jsonForms = map[string]string{
	"empty object":           "{}",
	"empty object and line":  "{}\n",
	"object of space":        "{ \n }\n",
	"compact":                `{"a":1,"mcpServers":{"x":{"command":"y"}},"hooks":{"SessionStart":[{"hooks":[]}]},"mcp":{},"servers":{}}`,
	"empty containers":       "{\"mcpServers\": {}, \"hooks\": {\"SessionStart\": [], \"sessionStart\": [ ]}, \"env\": {}, \"mcp\": {\n}}\n",
	"tabs":                   "{\n\t\"mcpServers\": {\n\t\t\"x\": {\n\t\t\t\"command\": \"y\"\n\t\t}\n\t},\n\t\"env\": {\n\t\t\"A\": \"b\"\n\t}\n}\n",
	"four spaces, no end":    "{\n    \"other\": [\n        1,\n        2\n    ]\n}",
	"a schema of one's own":  "{\"$schema\": \"https://example.org/x.json\"}\n",
	"carriage returns":       "{\r\n  \"hooks\": {\r\n    \"Stop\": []\r\n  }\r\n}\r\n",
	"comments":               "// mine\n{\n  /* \"mcpServers\": {} */\n  \"mcpServers\": { // all of them\n    \"x\": {}, // with a comma\n  },\n}\n",
	"awkward strings":        "{\n  \"a\": \"} \\\" { , // no comment\",\n  \"mcpServers\": {\"b\": \"[\"}\n}\n",
	"an actor of one's own":  "{\"env\": {\"TASKER_ACTOR\": \"mine\"}, \"version\": 1}",
	"byte order mark":        "\ufeff{\"mcpServers\": {}}\n",
	"hooks of somebody else": "{\"hooks\": {\"SessionStart\": [{\"hooks\": [{\"type\": \"command\", \"command\": \"other prime\"}]}]}}",
}

var textForms = map[string]string{
	"empty":            "",
	"one line":         "# Rules\n",
	"no line break":    "# Rules",
	"carriage returns": "# Rules\r\n\r\nBe kind.\r\n",
	"blank lines":      "\n\n# Rules\n\n\n",
	"much":             strings.Repeat("a line of guidance\n", 100),
}

// ours are the files that belong to setup entirely.
var ours = []string{".github/hooks/tasker.json", ".opencode/plugins/tasker.js", ".agents/skills/tasker/SKILL.md", ".claude/skills/tasker/SKILL.md"}

// files returns the files that setup of an agent looks at: the ones it writes into an empty directory.
func files(t *testing.T, agent string) []string {
	t.Helper()
	return slices.Sorted(maps.Keys(project{}.add(t, agent)))
}

func TestRemovingLeavesEveryFileAsItWas(t *testing.T) {
	for _, agent := range setup.Agents() {
		if got := (project{}).add(t, agent).remove(t, agent); len(got) > 0 {
			t.Errorf("%s: setup and removal in an empty project leave %v", agent, got)
		}
		for _, path := range files(t, agent) {
			forms := jsonForms
			if !strings.HasSuffix(path, ".json") {
				forms = textForms
			}
			if slices.Contains(ours, path) {
				continue // see below
			}
			for name, text := range forms {
				p := project{path: text, "unrelated.txt": "x"}
				added := p.add(t, agent)
				if added[path] == text {
					t.Errorf("%s, %s with %s: nothing was added", agent, path, name)
				}
				if diff := cmp.Diff(p, added.remove(t, agent)); diff != "" {
					t.Errorf("%s, %s with %s: (-before +after)\n%s\nit was\n%s", agent, path, name, diff, added[path])
				}
				if diff := cmp.Diff(added, added.add(t, agent)); diff != "" {
					t.Errorf("%s, %s with %s: a second setup changes something:\n%s", agent, path, name, diff)
				}
			}
		}
	}
}

func TestWhatIsWrittenCanBeRead(t *testing.T) {
	comments := regexp.MustCompile(`(?m)(^|\s)//.*$|/\*.*?\*/`)
	commas := regexp.MustCompile(`,(\s*[}\]])`)
	for _, agent := range setup.Agents() {
		for _, path := range files(t, agent) {
			if !strings.HasSuffix(path, ".json") || slices.Contains(ours, path) {
				continue
			}
			for name, text := range jsonForms {
				after := project{path: text}.add(t, agent)[path]
				var v any
				plain := commas.ReplaceAllString(comments.ReplaceAllString(strings.TrimPrefix(after, "\ufeff"), "$1"), "$1")
				if name == "awkward strings" {
					plain = after
				}
				if err := json.Unmarshal([]byte(plain), &v); err != nil {
					t.Errorf("%s, %s with %s: %v\n%s", agent, path, name, err, after)
				}
				if !strings.Contains(after, "tasker") && !strings.Contains(after, "TASKER_ACTOR") {
					t.Errorf("%s, %s with %s: tasker is not in it\n%s", agent, path, name, after)
				}
			}
		}
	}
}

func TestWhatOthersWroteSinceStays(t *testing.T) {
	p := project{".mcp.json": "{\n  \"mcpServers\": {}\n}\n", "CLAUDE.md": "# Rules\n"}
	added := p.add(t, "claude")
	added[".mcp.json"] = strings.Replace(added[".mcp.json"], `"mcpServers": {`, "\"mcpServers\": {\n    \"first\": {},", 1)
	added["CLAUDE.md"] += "\nMore of it.\n"
	added[".claude/settings.json"] = strings.Replace(added[".claude/settings.json"], "{", "{\n  \"model\": \"x\",", 1)
	got := added.remove(t, "claude")
	for path, want := range map[string]string{
		".mcp.json":             `{"mcpServers":{"first":{}}}`,
		".claude/settings.json": `{"model":"x"}`,
	} {
		var v any
		if err := json.Unmarshal([]byte(got[path]), &v); err != nil {
			t.Fatalf("%s: %v\n%s", path, err, got[path])
		}
		if text, err := json.Marshal(v); err != nil || string(text) != want {
			t.Errorf("%s is %s", path, got[path])
		}
	}
	if got["CLAUDE.md"] != "# Rules\n\nMore of it.\n" {
		t.Errorf("CLAUDE.md is %q", got["CLAUDE.md"])
	}
}

func TestAgentsThatShareAFileDoNotDisturbOneAnother(t *testing.T) {
	sharing := []string{"codex", "cursor", "opencode"}
	for _, original := range []project{{}, {"AGENTS.md": "# Rules\n"}, {"AGENTS.md": "# Rules\r\n\r\nBe kind."}, {"AGENTS.md": ""}} {
		all := maps.Clone(original)
		for _, agent := range sharing {
			all = all.add(t, agent)
		}
		if n := strings.Count(all["AGENTS.md"], "## Tasks: tasker"); n != 1 {
			t.Errorf("AGENTS.md says it %d times:\n%s", n, all["AGENTS.md"])
		}
		for _, agent := range sharing {
			if diff := cmp.Diff(all, all.add(t, agent)); diff != "" {
				t.Errorf("a second setup of %s changes something:\n%s", agent, diff)
			}
		}
		for _, order := range [][]string{{"codex", "cursor", "opencode"}, {"opencode", "cursor", "codex"}, {"cursor", "opencode", "codex"}} {
			p := all
			for _, agent := range order {
				p = p.remove(t, agent)
			}
			if diff := cmp.Diff(original, p); diff != "" {
				t.Errorf("removed in the order %v: (-before +after)\n%s", order, diff)
			}
		}
	}
}

func TestWhatSetupDidNotWriteIsNotTouched(t *testing.T) {
	foreign := project{
		".mcp.json":     `{"mcpServers": {"tasker": {"command": "other"}}}`,
		"opencode.json": `{"mcp": {"tasker": {}}}`, ".codex/config.toml": "[mcp_servers.tasker]\ncommand = \"x\"\n",
		".github/hooks/tasker.json": "{}", ".cursor/mcp.json": "{", ".gemini/settings.json": "",
	}
	for _, agent := range setup.Agents() {
		if changes, err := setup.Remove(agent, foreign); err != nil || len(changes) > 0 {
			t.Errorf("%s: removing changes %v, %v", agent, changes, err)
		}
		if _, err := setup.Add(agent, foreign, setup.Options{}); !fault.Is(err, fault.Declined) {
			t.Errorf("%s: what somebody else wrote is changed: %v", agent, err)
		}
	}
	if _, err := setup.Add("emacs", project{}, setup.Options{}); !fault.Is(err, fault.Invalid) {
		t.Errorf("an unknown agent: %v", err)
	}
}

func TestTheEntryStartsTheToolServerAsTheAgent(t *testing.T) {
	for agent, path := range map[string]string{
		"claude": ".mcp.json", "codex": ".codex/config.toml", "cursor": ".cursor/mcp.json", "gemini": ".gemini/settings.json",
		"copilot": ".github/mcp.json", "opencode": "opencode.json",
	} {
		text := project{}.add(t, agent)[path]
		for _, want := range []string{`"tasker"`, fmt.Sprintf(`"mcp", "--for", %q]`, agent), `TASKER_URL`} {
			if !strings.Contains(text, want) {
				t.Errorf("%s: %s is not in %s:\n%s", agent, want, path, text)
			}
		}
		if tools, _, _ := strings.Cut(text, "[shell_environment_policy]"); strings.Contains(tools, "TASKER_ACTOR") {
			t.Errorf("%s: %s names an actor, whoever reads it:\n%s", agent, path, text)
		}
	}
	if got := (project{"opencode.jsonc": "{\n  // mine\n}\n"}).add(t, "opencode"); got["opencode.json"] != "" ||
		!strings.Contains(got["opencode.jsonc"], `"tasker"`) {
		t.Errorf("opencode.jsonc is not used: %v", got)
	}
}

func TestWhatSomebodyHasChangedIsNotRemovedAsOurs(t *testing.T) {
	for agent, path := range map[string]string{"copilot": ours[0], "opencode": ours[1], "codex": ours[2], "claude": ours[3]} {
		added := project{}.add(t, agent)
		added[path] += "\n"
		if _, err := setup.Remove(agent, added); !fault.Is(err, fault.Declined) || !strings.Contains(err.Error(), path) {
			t.Errorf("%s is removed with what somebody wrote into it: %v", path, err)
		}
	}
	added := project{}.add(t, "cursor")
	added[".cursor/mcp.json"] = `{"mcpServers": {"tasker": {"url": "https://tasker.example.org"}}}`
	if got := added.remove(t, "cursor"); got[".cursor/mcp.json"] != added[".cursor/mcp.json"] {
		t.Errorf("somebody's own entry is gone: %v", got)
	}
	added = project{".codex/hooks.json": `{"hooks": {"SessionStart": []}}`}.add(t, "codex")
	own := `{"hooks": {"SessionStart": [{"hooks": [{"type": "command", "command": "tasker prime --short"}]}]}}`
	added[".codex/hooks.json"] = own
	if got := added.remove(t, "codex"); got[".codex/hooks.json"] != own {
		t.Errorf("somebody's own hook is gone: %v", got)
	}
}

func TestWhatANewerSetupWroteIsLeftToIt(t *testing.T) {
	added := project{}.add(t, "gemini")
	added["GEMINI.md"] = strings.Replace(added["GEMINI.md"], "setup v2", "setup v3", 1)
	if _, err := setup.Remove("gemini", added); !fault.Is(err, fault.Declined) {
		t.Errorf("somebody's own entry can be removed: %v", err)
	}
	if _, err := setup.Add("gemini", added, setup.Options{}); !fault.Is(err, fault.Declined) {
		t.Errorf("somebody's own entry can be replaced: %v", err)
	}
}

func TestTheShellActsAsTheAgentToo(t *testing.T) {
	files := map[string]string{
		"claude": ".claude/settings.json", "codex": ".codex/config.toml", "opencode": ".opencode/plugins/tasker.js",
		"cursor": "AGENTS.md", "gemini": "GEMINI.md", "copilot": ".github/copilot-instructions.md",
	}
	for agent, path := range files {
		changes, err := setup.Add(agent, project{}, setup.Options{Actor: agent + "-2"})
		if err != nil {
			t.Fatal(err)
		}
		text := project{}.apply(t, changes)[path]
		if i := strings.LastIndex(text, "TASKER_ACTOR"); i < 0 || !strings.Contains(text[i:min(len(text), i+40)], agent+"-2") {
			t.Errorf("%s: %s does not name it for its shell:\n%s", agent, path, text)
		}
	}
	// Under its own name an agent is known by its variables, and only files that no other agent reads say it, too.
	for agent, path := range files {
		text := project{}.add(t, agent)[path]
		if own := agent == "codex" || agent == "opencode"; strings.Contains(text, "TASKER_ACTOR") != own {
			t.Errorf("%s: %s\n%s", agent, path, text)
		}
		changes, err := setup.Add(agent, project{}, setup.Options{Default: "bot"})
		if err != nil {
			t.Fatal(err)
		}
		for path, text := range (project{}).apply(t, changes) {
			if strings.Contains(text, "TASKER_ACTOR") {
				t.Errorf("%s: %s names somebody other than the default:\n%s", agent, path, text)
			}
		}
	}
	own := "[shell_environment_policy]\ninherit = \"core\"\n"
	if text := (project{".codex/config.toml": own}).add(t, "codex")[".codex/config.toml"]; strings.Count(text, "shell_environment_policy") != 1 {
		t.Errorf("a table is there twice:\n%s", text)
	}
}

func TestHooksSayWhoActsAndWhere(t *testing.T) {
	changes, err := setup.Add("claude", project{}, setup.Options{Actor: "claude/7", Project: "demo", DB: "/data/it's here.db"})
	if err != nil {
		t.Fatal(err)
	}
	settings := project{}.apply(t, changes)[".claude/settings.json"]
	var v struct {
		Hooks struct {
			SessionStart []struct{ Hooks []struct{ Command string } }
		}
		Env map[string]string
	}
	if err := json.Unmarshal([]byte(settings), &v); err != nil {
		t.Fatalf("%v\n%s", err, settings)
	}
	if got := v.Hooks.SessionStart[0].Hooks[0].Command; got != `tasker hook start --agent claude --actor claude/7 --project demo --db '/data/it'\''s here.db'` {
		t.Errorf("the hook is %s", got)
	}
	if diff := cmp.Diff(map[string]string{"TASKER_ACTOR": "claude/7", "TASKER_PROJECT": "demo", "TASKER_DB": "/data/it's here.db"}, v.Env); diff != "" {
		t.Error(diff)
	}
}

func TestWhatTheFirstVersionWroteIsReplacedAndRemoved(t *testing.T) {
	for _, rules := range []string{"", "# Rules\n"} {
		p := project{
			".mcp.json": "{\n  \"mcpServers\": {\n    \"tasker\": {\n      \"command\": \"tasker\",\n      \"args\": [\"mcp\"],\n      \"env\": {\"TASKER_ACTOR\": \"claude\"}\n    }\n  }\n}\n",
			".claude/settings.json": "{\n  \"hooks\": {\n    \"SessionStart\": [\n      {\n        \"hooks\": [\n          {\n            \"type\": \"command\",\n" +
				"            \"command\": \"tasker prime --short --actor claude\"\n          }\n        ]\n      }\n    ]\n  },\n  \"env\": {\n    \"TASKER_ACTOR\": \"claude\"\n  }\n}\n",
			"CLAUDE.md": rules + words(rules != "", "\n") + "<!-- tasker setup claude v1 begin (made: .claude/settings.json; .claude/settings.json#env; " +
				".claude/settings.json#hooks; .mcp.json; .mcp.json#mcpServers" + words(rules == "", "; CLAUDE.md") + ") -->\n## Tasks: tasker\n\nold\n<!-- tasker setup claude end -->\n",
		}
		before := project{}
		if rules != "" {
			before["CLAUDE.md"] = rules
		}
		if diff := cmp.Diff(before, p.remove(t, "claude")); diff != "" {
			t.Errorf("removed: (-want +got)\n%s", diff)
		}
		again := p.add(t, "claude")
		if diff := cmp.Diff(before.add(t, "claude"), again); diff != "" {
			t.Errorf("set up again: (-want +got)\n%s", diff)
		}
		if diff := cmp.Diff(before, again.remove(t, "claude")); diff != "" {
			t.Errorf("set up again and removed: (-want +got)\n%s", diff)
		}
	}
}

func words(when bool, text string) string {
	if !when {
		return ""
	}
	return text
}

func TestWhatAgentsAlwaysReadIsShort(t *testing.T) {
	text := project{}.add(t, "gemini")["GEMINI.md"]
	var read strings.Builder
	for line := range strings.Lines(text) {
		if !strings.HasPrefix(line, "<!--") {
			read.WriteString(line)
		}
	}
	if n := o200k.Count(read.String()); n > 120 {
		t.Errorf("the block has %d tokens:\n%s", n, read.String())
	}
}

func TestWhatIsWrittenIsFoundAgain(t *testing.T) {
	for _, agent := range setup.Agents() {
		changes, err := setup.Add(agent, project{}, setup.Options{Project: "demo", Program: "/opt/my tools/tasker"})
		if err != nil {
			t.Fatal(err)
		}
		e, err := setup.Written(agent, project{}.apply(t, changes))
		if err != nil || e.Program != "/opt/my tools/tasker" || !slices.Equal(e.Tools, []string{"mcp", "--for", agent}) ||
			!slices.Equal(e.Env, []string{"TASKER_PROJECT=demo"}) {
			t.Errorf("%s: %+v, %v", agent, e, err)
		}
		if want := "'/opt/my tools/tasker' hook start --agent " + agent + " --project demo"; agent != "opencode" && e.Hook != want {
			t.Errorf("%s: the hook is %q", agent, e.Hook)
		}
	}
}

// TestASandboxIsToldInTheUsersOwnFile lets two projects write the same directory and a third another one: the file is what it
// was when all are gone, in any order, and says each directory once.
func TestASandboxIsToldInTheUsersOwnFile(t *testing.T) {
	const file = "/home/ann/.codex/config.toml"
	boxes := []setup.Sandbox{{file, "/src/one", "/data"}, {file, "/src/two of us", "/data"}, {file, "/src/three", `/other "place"`}}
	for _, before := range []project{{}, {file: ""}, {file: "model = \"x\""}, {file: "model = \"x\"\r\n\r\n[projects.\"/src/one\"]\r\ntrust_level = \"trusted\"\r\n"}} {
		p := before
		for range 2 {
			for _, s := range boxes {
				changes, left, err := setup.Allow("codex", p, s)
				if err != nil || left != "" {
					t.Fatal(left, err)
				}
				p = p.apply(t, changes)
			}
		}
		if want := `writable_roots = ["/data", "/other \"place\""]`; strings.Count(p[file], want) != 1 || strings.Count(p[file], "[sandbox_workspace_write]") != 1 {
			t.Errorf("the file is %s", p[file])
		}
		for _, i := range []int{1, 0, 2} {
			changes, err := setup.Disallow("codex", p, boxes[i])
			if err != nil {
				t.Fatal(err)
			}
			p = p.apply(t, changes)
		}
		if diff := cmp.Diff(before, p); diff != "" {
			t.Errorf("(-before +after)\n%s", diff)
		}
	}
	for text, left := range map[string]bool{
		"[sandbox_workspace_write]\nnetwork_access = true\n":                true,
		"[sandbox_workspace_write]\nwritable_roots = [\"/x\", \"/data\"]\n": false,
	} {
		changes, said, err := setup.Allow("codex", project{file: text}, boxes[0])
		if err != nil || len(changes) > 0 || strings.Contains(said, `"/data"`) != left {
			t.Errorf("%s: %v, %q, %v", text, changes, said, err)
		}
	}
}

// TestASkillIsThereAsLongAsAnAgentReadsIt sets all agents up, which share one skill in three guidance files, and takes them out
// in several orders.
func TestASkillIsThereAsLongAsAnAgentReadsIt(t *testing.T) {
	const path = ".agents/skills/tasker/SKILL.md"
	all := project{}
	for _, agent := range setup.Agents() {
		all = all.add(t, agent)
	}
	for _, agent := range setup.Agents() {
		if diff := cmp.Diff(all, all.add(t, agent)); diff != "" {
			t.Errorf("a second setup of %s changes something:\n%s", agent, diff)
		}
	}
	for _, order := range [][]string{
		{"codex", "cursor", "gemini", "copilot", "opencode", "claude"}, {"opencode", "copilot", "claude", "gemini", "cursor", "codex"},
	} {
		p := all
		for i, agent := range order {
			p = p.remove(t, agent)
			readers := slices.DeleteFunc(slices.Clone(order[i+1:]), func(name string) bool { return name == "claude" })
			if _, there := p[path]; there != (len(readers) > 0) {
				t.Errorf("without %v the skill is there: %v", order[:i+1], there)
			}
		}
		if len(p) > 0 {
			t.Errorf("removed in the order %v, something is left: %v", order, p)
		}
	}
	if n := o200k.Count(all[path]); n > 500 {
		t.Errorf("the skill has %d tokens", n)
	}
	if _, err := setup.Add("codex", project{path: "mine"}, setup.Options{}); !fault.Is(err, fault.Declined) {
		t.Errorf("somebody's own skill is overwritten: %v", err)
	}
}

func FuzzRemovingRestores(f *testing.F) {
	for _, text := range jsonForms {
		f.Add(text, "# Rules\n")
	}
	f.Fuzz(func(t *testing.T, config, guide string) {
		p := project{".claude/settings.json": config, ".mcp.json": config, "CLAUDE.md": guide}
		changes, err := setup.Add("claude", p, setup.Options{})
		if err != nil || strings.Contains(guide, "tasker setup claude") {
			return // refused, or not written by a person
		}
		if diff := cmp.Diff(p, p.apply(t, changes).remove(t, "claude")); diff != "" {
			t.Errorf("(-before +after)\n%s", diff)
		}
	})
}
