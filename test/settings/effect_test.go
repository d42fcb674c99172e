package settings

import (
	"math/rand/v2"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"tasker/internal/config/format"
	"tasker/internal/text/words"
	"tasker/internal/workspace/ports"
)

// effect is something that one key changes: the answer to the last of some commands, without the key and with it. The
// configuration files are the same except for that key.
type effect struct {
	key           string
	also          string // of a second row: what else the key changes, as in the name of the test
	without, with string // members of the file in addition to version and project; a text that begins with { is the whole file
	plan          string // "" for two plain tasks
	do            []string
	before, after string // expressions over exit code, standard output and standard error
}

const (
	twoTasks = `{"project": "demo", "tasks": [{"key": "a", "title": "A"}, {"key": "b", "title": "B"}]}`
	inGate   = `{"project": "demo", "tasks": [{"key": "a", "title": "A", "gate": "ship"}]}`
	ranked   = `{"project": "demo", "tasks": [{"key": "a", "title": "A", "priority": 3}, {"key": "b", "title": "B", "priority": 0}]}`
	mine     = `{"project": "demo", "tasks": [{"key": "a", "title": "A"}, {"key": "b", "title": "B", "preferredActor": "claude"}]}`
	role     = `{"project": "demo", "tasks": [{"key": "a", "title": "A", "mayExecute": ["dev"]}]}`

	old = `{"project": "demo", "agentDefaults": {"lease": "5m"}}`
)

// longNote is a note that does not fit into a small bundle.
var longNote = "claude note demo-1 " + strings.Repeat("word-", 1000)

// effects has a row for every key that holds a value. A command is preceded by who runs it ("-" for no name); "write NAME
// TEXT" changes a file, and "get PATH" calls a server with this configuration. PORT and PORT+1 are two unused ports.
var effects = []effect{
	{
		key:     "version",
		without: old,
		with:    `{"version": 1, "project": "demo", "agentDefaults": {"lease": "5m"}}`,
		do:      []string{"claude claim demo-1"},
		before:  `yours for 2h(?s:.)*migrate --write`,
		after:   `yours for 5m`,
	},
	{
		key:     "project",
		without: `{"version": 1, "project": "other"}`,
		with:    `{"version": 1, "project": "demo"}`,
		do:      []string{"claude ready --json"},
		before:  `^4 (?s:.)*other`,
		after:   `^0 .*"project":"demo"`,
	},

	{
		key:    "execution.defaultAutonomy",
		with:   `"execution": {"defaultAutonomy": "human_only"}`,
		do:     []string{"claude claim demo-1"},
		before: `^0 `,
		after:  `^3 (?s:.)*human`,
	},
	{
		key:    "execution.preferredActor",
		with:   `"execution": {"preferredActor": "claude"}`,
		plan:   mine,
		do:     []string{"claude next --json"},
		before: `"task":{"id":"demo-2"`,
		after:  `"task":{"id":"demo-1"`,
	},
	{key: "execution.mayExecute", with: `"execution": {"mayExecute": ["go"]}`, do: []string{"claude claim demo-1"}, before: `^0 `, after: `^3 (?s:.)*go`},

	{
		key:    "context.track",
		with:   `"context": {"track": ["*.md"]}`,
		do:     []string{"write AGENTS.md kind", "claude show demo-1 --json"},
		before: `"guidance":\[\]`,
		after:  `"guidance":\[{"path":"AGENTS.md"`,
	},
	{
		key:     "context.ignore",
		without: `"context": {"track": ["*.md"]}`,
		with:    `"context": {"track": ["*.md"], "ignore": ["A*"]}`,
		do:      []string{"write AGENTS.md kind", "claude show demo-1 --json"},
		before:  `"guidance":\[{"path":"AGENTS.md"`,
		after:   `"guidance":\[\]`,
	},
	{
		key:    "context.bundleBudget",
		with:   `"context": {"bundleBudget": 1500}`,
		do:     []string{longNote, longNote, "claude show demo-1 --json"},
		before: `"budget":{"limit":null,"used":null,"omitted":\[\]}`,
		after:  `"budget":{"limit":1500,"used":\d+,"omitted":\[{`,
	},
	{
		key:     "context.warnOnDrift",
		without: `"context": {"track": ["*.md"]}`,
		with:    `"context": {"track": ["*.md"], "warnOnDrift": false}`,
		do:      []string{"write AGENTS.md kind", "claude claim demo-1", "write AGENTS.md brief", "claude show demo-1 --json"},
		before:  `"warnings":\["the guidance changed`,
		after:   `"warnings":\[\]`,
	},

	{
		key:     "actors[].name",
		without: `"actors": [{"name": "zoe", "kind": "human"}]`,
		with:    `"actors": [{"name": "ann", "kind": "human"}]`,
		do:      []string{"ann approve demo-1"},
		before:  `^3 `,
		after:   `^0 `,
	},
	{
		key:     "actors[].kind",
		without: `"actors": [{"name": "ann", "kind": "agent"}]`,
		with:    `"actors": [{"name": "ann", "kind": "human"}]`,
		do:      []string{"ann approve demo-1"},
		before:  `^3 `,
		after:   `^0 `,
	},
	{
		key:     "actors[].roles",
		without: `"actors": [{"name": "ann", "kind": "agent"}]`,
		with:    `"actors": [{"name": "ann", "kind": "agent", "roles": ["dev"]}]`,
		plan:    role,
		do:      []string{"ann claim demo-1"},
		before:  `^3 `,
		after:   `^0 `,
	},
	{
		key:     "actors[].capabilities",
		without: `"actors": [{"name": "ann", "kind": "agent"}]`,
		with:    `"actors": [{"name": "ann", "kind": "agent", "capabilities": ["dev"]}]`,
		plan:    role,
		do:      []string{"ann claim demo-1"},
		before:  `^3 `,
		after:   `^0 `,
	},
	{
		key:     "actors[].autonomy",
		without: `"actors": [{"name": "bot", "kind": "agent"}]`,
		with:    `"actors": [{"name": "bot", "kind": "agent", "autonomy": "human_only"}]`,
		do:      []string{"bot claim demo-1"},
		before:  `^0 `,
		after:   `^3 `,
	},
	{
		key:     "actors[].default",
		without: `"actors": [{"name": "ann", "kind": "agent"}]`,
		with:    `"actors": [{"name": "ann", "kind": "agent", "default": true}]`,
		do:      []string{"- whoami --json"},
		before:  `"actor":"me"`,
		after:   `"actor":"ann"`,
	},

	{
		key:    "integrations.selection",
		with:   `"integrations": {"selection": ["age"]}`,
		plan:   ranked,
		do:     []string{"claude next --json"},
		before: `"task":{"id":"demo-2"`,
		after:  `"task":{"id":"demo-1"`,
	},
	{
		key: "integrations.selection", also: "ready",
		without: `"integrations": {"selection": ["priority", "severity"]}`,
		with:    `"integrations": {"selection": ["severity", "priority"]}`,
		plan:    `{"project": "demo", "tasks": [{"key": "a", "title": "A", "priority": 3, "severity": 1}, {"key": "b", "title": "B", "priority": 0}]}`,
		do:      []string{"claude ready --json"},
		before:  `"tasks":\[{"id":"demo-2"`,
		after:   `"tasks":\[{"id":"demo-1"`,
	},
	{
		key:     "notices.deprecations",
		without: `{"project": "demo", "notices": {}}`,
		with:    `{"project": "demo", "notices": {"deprecations": false}}`,
		do:      []string{"claude list"},
		before:  `migrate --write`,
		after:   `^0 (?s:.)*just now\n$`,
	},
	{
		key:    "gates",
		with:   `"gates": {"ship": ["test"]}`,
		plan:   inGate,
		do:     []string{"claude done demo-1"},
		before: `gate ship: it is defined nowhere`,
		after:  `evidence test`,
	},

	{
		key:    "agentDefaults.lease",
		with:   `"agentDefaults": {"lease": "30m"}`,
		do:     []string{"claude claim demo-1 --json"},
		before: `"leaseMs":7200000`,
		after:  `"leaseMs":1800000`,
	},
	{
		key: "agentDefaults.lease", also: "none",
		without: `"agentDefaults": {"lease": "30m"}`,
		with:    `"agentDefaults": {"lease": "0"}`,
		do:      []string{"claude claim demo-1 --json"},
		before:  `"expiresAt":"2`,
		after:   `"expiresAt":null`,
	},
	{
		key:    "agentDefaults.actor",
		with:   `"agentDefaults": {"actor": "bot"}`,
		do:     []string{"- whoami --json"},
		before: `"actor":"me"`,
		after:  `"actor":"bot"`,
	},
	{
		key:    "agentDefaults.budget",
		with:   `"agentDefaults": {"budget": 1500}`,
		do:     []string{longNote, longNote, "claude show demo-1 --json"},
		before: `"budget":{"limit":null,"used":null,"omitted":\[\]}`,
		after:  `"budget":{"limit":1500,"used":\d+,"omitted":\[{`,
	},
	{
		key: "agentDefaults.budget", also: "next",
		with:   `"agentDefaults": {"budget": 1500}`,
		do:     []string{longNote, longNote, "claude next --json"},
		before: `"budget":{"limit":null,"used":null,"omitted":\[\]}`,
		after:  `"budget":{"limit":1500,"used":\d+,"omitted":\[{`,
	},
	{
		key:    "agentDefaults.requireNoteOnDone",
		with:   `"agentDefaults": {"requireNoteOnDone": true}`,
		do:     []string{"claude done demo-1"},
		before: `^0 `,
		after:  `^3 (?s:.)*note: `,
	},

	{key: "auth.mode", with: `"auth": {"mode": "session"}`, do: []string{"get /v1/projects"}, before: `^200 `, after: `^401 `},
}

// all returns every row.
func all() []effect {
	return slices.Concat(effects, approvalEffects, placeEffects, channelEffects, linkEffects)
}

// name returns the name of the row's test. docs/internals/conformance.md names it.
func (e effect) name() string {
	if e.also != "" {
		return e.key + "/" + e.also
	}
	return e.key
}

func TestEveryKeyChangesWhatItSays(t *testing.T) {
	for _, e := range all() {
		t.Run(e.name(), func(t *testing.T) {
			if !slices.Contains(e.do, "tracker") && !slices.Contains(e.do, "host") { // they change the environment of the process
				t.Parallel()
			}
			e.choosePorts(t)
			e.shows(t, false, "without it", e.try(t, e.without))
			e.shows(t, true, "with it", e.try(t, e.with))
			e.layered(t)
		})
	}
}

// shows checks that an answer has the effect of the row, or has it not.
func (e effect) shows(t *testing.T, has bool, which, said string) {
	t.Helper()
	want, not := e.before, e.after
	if has {
		want, not = not, want
	}
	if !regexp.MustCompile(want).MatchString(said) {
		t.Errorf("%s: got\n%s\nwant a match of %s", which, said, want)
	}
	if regexp.MustCompile(not).MatchString(said) {
		t.Errorf("%s: got\n%s\nwhich also matches %s, so that the effect does not show", which, said, not)
	}
}

// choosePorts replaces PORT. A port in use would be skipped, and the effect would not show.
func (e *effect) choosePorts(t *testing.T) {
	t.Helper()
	if !strings.Contains(e.with, "PORT,") {
		return
	}
	none := func(int) bool { return false }
	for start := 20000 + rand.IntN(10000); start < 32000; start += 2 {
		if len(ports.Free(t.Context(), start, start+1, 2, none)) < 2 {
			continue
		}
		in := strings.NewReplacer("PORT+1", strconv.Itoa(start+1), "PORT", strconv.Itoa(start))
		for _, text := range []*string{&e.without, &e.with, &e.before, &e.after} {
			*text = in.Replace(*text)
		}
		return
	}
	t.Fatal("no two ports in a row are free")
}

// try returns the answer to the last command, under a file with these members; then may change the place after the plan was applied.
func (e effect) try(t *testing.T, members string, then ...func(*place)) string {
	t.Helper()
	p := settle(t, whole(members))
	plan := e.plan
	if plan == "" {
		plan = twoTasks
	}
	if said := p.run("planner", plan, "apply", "-f", "-", "--quiet"); !strings.HasPrefix(said, "0 ") {
		t.Fatalf("apply: %s", said)
	}
	for _, change := range then {
		change(p)
	}
	said := ""
	for _, line := range e.do {
		said = p.step(line)
	}
	return said
}

// whole returns the file with these members.
func whole(members string) string {
	if strings.HasPrefix(members, "{") {
		return members
	}
	return `{"version": 1, "project": "demo"` + words.When(members != "", ", "+members) + "}"
}

// TestEveryKeyIsTried fails if a key is declared and has no row above that shows its use.
func TestEveryKeyIsTried(t *testing.T) {
	tried := map[string]bool{"$schema": true} // which changes nothing, and says so
	names := map[string]bool{}
	for _, e := range all() {
		if names[e.name()] {
			t.Errorf("%s has two rows", e.name())
		}
		names[e.name()], tried[e.key] = true, true
	}
	keys := format.Keys()
	for _, key := range keys {
		holds := slices.ContainsFunc(keys, func(k string) bool {
			return strings.HasPrefix(k, key+".") || strings.HasPrefix(k, key+"[].")
		})
		if !holds && !tried[key] { // a key that holds others is covered by them
			t.Errorf("%s is declared, and nothing shows what it changes: give it a row in effects", key)
		}
		delete(tried, key)
	}
	for key := range tried {
		t.Errorf("there is a row for %s, which is not declared", key)
	}
}
