package frame

import (
	"fmt"
	"io/fs"
	"strings"
	"testing"
	"testing/fstest"

	"tasker/internal/config"
	"tasker/internal/task"
)

// mapFiles is an in-memory file system for the configuration.
type mapFiles fstest.MapFS

func (m mapFiles) Stat(name string) (fs.FileInfo, error) {
	return fstest.MapFS(m).Stat(strings.TrimPrefix(name, "/"))
}

func (m mapFiles) ReadFile(name string) ([]byte, error) {
	return fstest.MapFS(m).ReadFile(strings.TrimPrefix(name, "/"))
}

// anybody completes every name to an actor of that name.
type anybody struct{}

func (anybody) Actor(full string) (task.Actor, error) {
	name, instance, err := task.ParseActor(full)
	return task.Actor{Name: name, Instance: instance}, err
}

func TestWhoActsIsDecidedInOneOrder(t *testing.T) {
	const (
		none    = `{"version": 1, "project": "demo"}`
		flagged = `{"version": 1, "project": "demo", "actors": [{"name": "ann", "kind": "human"},
			{"name": "def", "kind": "agent", "default": true}], "agentDefaults": {"actor": "agd"}}`
		defaults = `{"version": 1, "project": "demo", "agentDefaults": {"actor": "agd"}}`
	)
	for _, c := range []struct {
		name, file, flag, env, user string
		want, how                   string
	}{
		{"the flag goes first", flagged, "flag", "env", "me", "flag", "--actor"},
		{"then the environment", flagged, "", "env/2", "me", "env/2", "TASKER_ACTOR"},
		{"then the actor flagged default", flagged, "", "", "me", "def", "the actor flagged default"},
		{"then agentDefaults.actor", defaults, "", "", "me", "agd", "agentDefaults.actor"},
		{"then the user", none, "", "", "me", "me", "the operating system's user"},
		{"and otherwise it is refused", none, "", "", "", "", ""},
		{"a name that is not one is refused", none, "a/b/c", "", "me", "", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := New(Process{
				Dir:  "/repo",
				Env:  func(name string) (string, bool) { return map[string]string{"TASKER_ACTOR": c.env}[name], true },
				User: func() string { return c.user },
			}, Wiring{Files: mapFiles{"repo/.tasker.json": {Data: []byte(c.file)}}})
			f.Flags.Actor = c.flag
			who, err := f.Identity(anybody{})
			if c.want == "" {
				if err == nil {
					t.Errorf("want a refusal, got the actor %s", who.Actor.Full())
				}
				return
			}
			if err != nil || who.Actor.Full() != c.want || who.How != c.how || who.Project != "demo" {
				t.Errorf("got %s by %q for %q, %v; want %s by %q", who.Actor.Full(), who.How, who.Project, err, c.want, c.how)
			}
		})
	}
}

// declared completes names from a table: true for a human.
type declared map[string]bool

func (d declared) Actor(full string) (task.Actor, error) {
	name, instance, err := task.ParseActor(full)
	human, ok := d[name]
	return task.Actor{Name: name, Instance: instance, Declared: ok, Human: human}, err
}

func TestAnAgentInAPersonsShellIsNotThatPerson(t *testing.T) {
	const (
		human = `{"version": 1, "project": "demo", "actors": [{"name": "ann", "kind": "human", "default": true}, {"name": "bot", "kind": "agent"}]}`
		agent = `{"version": 1, "project": "demo", "actors": [{"name": "ann", "kind": "human"}, {"name": "bot", "kind": "agent"}], "agentDefaults": {"actor": "bot"}}`
		none  = `{"version": 1, "project": "demo"}`
	)
	const stranger = `{"version": 1, "project": "demo", "actors": [{"name": "ann", "kind": "human"}], "agentDefaults": {"actor": "root"}}`
	actors := declared{"ann": true, "bot": false, "gemini": true}
	for _, c := range []struct {
		name, file string
		env        map[string]string
		want, how  string
	}{
		{"a person without an agent", human, nil, "ann", "the actor flagged default"},
		{"the default is a person", human, map[string]string{"CLAUDECODE": "1"}, "claude", "CLAUDECODE, which an agent sets"},
		{"the default is nobody whom the files declare", stranger, map[string]string{"COPILOT_CLI": "1"}, "copilot", "COPILOT_CLI, which an agent sets"},
		{"the same without an agent", stranger, nil, "root", "agentDefaults.actor"},
		{"the user is undeclared here, and may be a person elsewhere", none, map[string]string{"CODEX_SANDBOX": "seatbelt"},
			"codex", "CODEX_SANDBOX, which an agent sets"},
		{"a name that is a person's too", none, map[string]string{"GEMINI_CLI": "1"}, "gemini-agent", "GEMINI_CLI, which an agent sets"},
		{"the default is an agent", agent, map[string]string{"CURSOR_AGENT": "1"}, "bot", "agentDefaults.actor"},
		{"the one that is named is meant", human, map[string]string{"OPENCODE": "1", "TASKER_ACTOR": "ann"}, "ann", "TASKER_ACTOR"},
		{"set to nothing is not set", human, map[string]string{"COPILOT_CLI": ""}, "ann", "the actor flagged default"},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := New(Process{
				Dir:  "/repo",
				Env:  func(name string) (string, bool) { v, ok := c.env[name]; return v, ok },
				User: func() string { return "me" },
			}, Wiring{Files: mapFiles{"repo/.tasker.json": {Data: []byte(c.file)}}})
			who, err := f.Identity(actors)
			if err != nil || who.Actor.Full() != c.want || who.How != c.how {
				t.Errorf("got %s by %q, %v; want %s by %q", who.Actor.Full(), who.How, err, c.want, c.how)
			}
			if c.want != "ann" && c.want != "root" && (who.Actor.Human || who.Assumed) {
				t.Errorf("an agent is taken for a person: %+v", who)
			}
			agent, _ := agentIn(f.Env)
			if string(who.Via.Agent) != agent || who.Actor.Person() != (c.want == "ann" && (agent == "" || c.env["TASKER_ACTOR"] != "")) {
				t.Errorf("in the shell of %q it acts as %+v via %+v", agent, who.Actor, who.Via)
			}
		})
	}
}

func TestAServerActsAsConfiguredInAnAgentsShell(t *testing.T) {
	f := New(Process{
		Dir:  "/repo",
		Env:  func(name string) (string, bool) { return map[string]string{"CLAUDECODE": "1"}[name], true },
		User: func() string { return "me" },
	}, Wiring{Files: mapFiles{"repo/.tasker.json": {Data: []byte(`{"version": 1, "project": "demo", "agentDefaults": {"actor": "ann"}}`)}}})
	loaded, err := f.Configuration()
	if err != nil {
		t.Fatal(err)
	}
	n := f.Named()
	n.Serves = true
	who, err := Identify(n, loaded, declared{"ann": true})
	if err != nil || who.Actor.Name != "ann" || who.Actor.Shell != "claude" {
		t.Errorf("got %+v, %v", who, err)
	}
}

func TestAClientIsTheAgentThatItSaysItIs(t *testing.T) {
	const none = `{"version": 1, "project": "demo", "agentDefaults": {"actor": "%s"}}`
	for _, c := range []struct {
		name, client, entry, flag, env, sign, assumed string
		want                                          string
		told                                          bool
	}{
		{"an entry that was written for it", "claude-code", "claude", "", "", "", "ann", "claude", false},
		{"an entry that was written for another agent", "github-copilot-developer", "claude", "", "", "", "ann", "copilot", false},
		{"a client that no table knows", "inspector", "claude", "", "", "", "ann", "claude", false},
		{"the shell says more than the entry", "inspector", "claude", "", "", "COPILOT_CLI", "ann", "copilot", false},
		{"the client says more than the shell", "codex-mcp-client", "claude", "", "", "COPILOT_CLI", "ann", "codex", false},
		{"a sign that any agent may set says less than the entry", "", "zed", "", "", "AI_AGENT", "ann", "zed", false},
		{"neither client nor entry nor shell", "inspector", "", "", "", "", "ann", "agent", false},
		{"a default that is a declared agent stands", "claude-code", "claude", "", "", "", "bot", "bot", false},
		{"a person who is named", "claude-code", "claude", "", "ann", "", "", "ann", false},
		{"a worker who is named", "claude-code", "claude", "", "w/3", "", "", "w/3", false},
		{"an instance of it", "claude-code", "claude", "", "claude/3", "", "", "claude/3", false},
		{"an older entry with another agent's name", "GitHub Copilot", "", "", "claude", "", "ann", "copilot", true},
		{"a name of one's own, for the agent of the entry", "Cursor", "cursor", "cursor-2", "", "", "", "cursor-2", false},
		{"a name of one's own, read by another agent", "Visual Studio Code - Insiders", "cursor", "cursor-2", "", "", "", "copilot", true},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := New(Process{
				Dir: "/repo",
				Env: func(name string) (string, bool) {
					return map[string]string{"TASKER_ACTOR": c.env, c.sign: "1"}[name], true
				},
				User: func() string { return "me" },
			}, Wiring{Files: mapFiles{"repo/.tasker.json": {Data: fmt.Appendf(nil, none, c.assumed)}}})
			f.Flags.Actor, f.WorksAs, f.For = c.flag, "tasker mcp", c.entry
			who, told, err := f.IdentityOf(c.client, declared{"ann": true, "bot": false})
			if err != nil || who.Actor.Full() != c.want || (told != "") != c.told {
				t.Errorf("got %s by %q, %q, %v; want %s", who.Actor.Full(), who.How, told, err, c.want)
			}
		})
	}
}

func TestTheNamesOfClients(t *testing.T) {
	for client, want := range map[string]string{
		"claude-code": "claude", "Claude Code": "claude", "codex-mcp-client": "codex", "Codex": "codex",
		"gemini-cli-mcp-client": "gemini", "gemini-cli-mcp-client-tasker": "gemini", "cursor-vscode": "cursor", "Cursor": "cursor",
		"github-copilot-developer": "copilot", "Visual Studio Code": "copilot", "opencode": "opencode",
		"claude-ai": "", "codexes": "", "inspector": "", "": "",
	} {
		if got := clientAgent(client); got != want {
			t.Errorf("%q is %q, want %q", client, got, want)
		}
	}
}

func TestAWorkerThatNobodyNamedIsNoPerson(t *testing.T) {
	const file = `{"version": 1, "project": "demo", "actors": [{"name": "%s", "kind": "human", "default": true}]}`
	actors := declared{"ann": true, "bot": false}
	for _, c := range []struct{ assumed, named, want string }{
		{"ann", "", "agent"}, {"ann", "ann", "ann"}, {"bot", "", "bot"},
	} {
		f := New(Process{
			Dir:  "/repo",
			Env:  func(name string) (string, bool) { return map[string]string{"TASKER_ACTOR": c.named}[name], true },
			User: func() string { return "me" },
		}, Wiring{Files: mapFiles{"repo/.tasker.json": {Data: fmt.Appendf(nil, file, c.assumed)}}})
		f.WorksAs = "tasker run"
		who, err := f.Identity(actors)
		if err != nil || who.Actor.Name != c.want || who.Actor.Human != (c.want == "ann") {
			t.Errorf("assumed %s, named %q: got %+v, %v", c.assumed, c.named, who, err)
		}
	}
}

var _ config.Files = mapFiles{}
