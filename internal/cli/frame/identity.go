package frame

import (
	"cmp"
	"context"
	"path/filepath"
	"slices"
	"strings"

	"tasker/internal/config"
	"tasker/internal/core"
	"tasker/internal/fault"
	"tasker/internal/task"
	"tasker/internal/text/words"
)

// NamedActor returns the actor that --actor or TASKER_ACTOR names, and which of the two it was.
func (f *Factory) NamedActor() (name, how string) {
	if f.Flags.Actor != "" {
		return f.Flags.Actor, "--actor"
	}
	return f.Env("TASKER_ACTOR"), "TASKER_ACTOR"
}

// Named is what the process knows about who acts.
type Named struct {
	Actor string // from --actor or TASKER_ACTOR; may be empty
	How   string // which of the two
	User  string // the user of the operating system
	Agent string // the agent that started the process; empty if there is no sign of one
	Sign  string // the sign of that agent
	For   string // the agent for which the entry was written that started the process; may be empty
	// Worker is the name of a command whose work always counts as an agent's; otherwise empty.
	Worker string
	// Serves says that this is a server, which acts as it is configured, in whosever shell it runs.
	Serves bool
}

// Named returns what this process knows about who acts.
func (f *Factory) Named() Named {
	name, how := f.NamedActor()
	n := Named{Actor: name, How: how, User: f.Process.User(), For: f.For, Worker: f.WorksAs}
	n.Agent, n.Sign = agentIn(f.Env)
	if n.For != "" && (n.Agent == "" || n.Agent == anyAgent) {
		n.Agent, n.Sign = n.For, "the entry that was written for it"
	}
	return n
}

// To returns who acts for a client of a tool server that gives itself a name, and why the actor that was named does not
// count for it, or "". Among agents a client is who it says: agents read each other's files, so an entry that was written
// for one of them may have been started by another.
func (n Named) To(client string) (_ Named, why string) {
	agent := clientAgent(client)
	if agent == "" {
		return n, ""
	}
	name, _, _ := strings.Cut(n.Actor, "/")
	written := n.How == "--actor" && n.For != "" && n.For != agent || n.How == "TASKER_ACTOR" && name != agent && isAgent(name)
	if n.Actor != "" && written {
		why = n.How + " says " + n.Actor + ", and the client is " + agent + ": it acts as " + agent
		n.Actor, n.How = "", ""
	}
	n.Agent, n.Sign = agent, "the name that its client gives"
	return n, why
}

// Actors completes names (with their instance) from their declarations.
type Actors interface {
	Actor(name string) (task.Actor, error)
}

// Identify decides who acts: --actor, TASKER_ACTOR, the actor flagged default, agentDefaults.actor, the agent whose
// shell this is, the user of the operating system, in this order. In an agent's shell a default counts only where it
// names a declared agent: one that names a person, or nobody whom the configuration knows, would make all agents of the
// repository act under that one name.
//
// An actor that nobody named in an agent's shell is marked: even if it is a human, the rules then allow nothing that an
// agent may not do, so that no agent in a person's shell approves by accident, and no setting makes it a person. The mark
// is set whatever the files say of the actor, since a project's record may know it as a human all the same. A worker that
// nobody named is never a person.
func Identify(n Named, loaded *config.Loaded, settings Actors) (core.Caller, error) {
	name, how := n.Actor, n.How
	if name == "" {
		var err error
		if name, how, err = DefaultActor(loaded); err != nil {
			return core.Caller{}, err
		}
		if name != "" && n.Agent != "" && !n.Serves {
			assumed, err := settings.Actor(name)
			if err != nil {
				return core.Caller{}, err
			}
			if assumed.Human || !assumed.Declared {
				name = ""
			}
		}
	}
	if name == "" && n.Agent != "" {
		actor, err := agentActor(n.Agent, settings)
		actor.Shell = n.Agent
		return n.caller(actor, n.Sign, loaded), err
	}
	assumed := name == ""
	if assumed {
		name, how = n.User, "the operating system's user"
	}
	if name == "" {
		return core.Caller{}, fault.Bad("nobody says who acts").WithHint("name yourself with --actor or TASKER_ACTOR")
	}
	actor, err := settings.Actor(name)
	if err != nil {
		return core.Caller{}, err
	}
	if n.Actor == "" && n.Worker != "" {
		worker := cmp.Or(n.Agent, "agent")
		if actor.Human {
			how = n.Worker + ", which is an agent's work"
			actor, err = agentActor(worker, settings)
		}
		actor.Shell = worker
		return n.caller(actor, how, loaded), err
	}
	if n.Actor == "" {
		actor.Shell = n.Agent
	}
	who := n.caller(actor, how, loaded)
	who.Assumed = assumed
	return who, nil
}

// caller returns an actor as the caller of this process.
func (n Named) caller(a task.Actor, how string, loaded *config.Loaded) core.Caller {
	return core.Caller{Actor: a, How: how, Via: task.Via{Face: "cli", Agent: task.Opt(n.Agent)}, Project: loaded.Project()}
}

// agentActor returns an agent under its own name, or under another name if a person has that one.
func agentActor(name string, settings Actors) (task.Actor, error) {
	actor, err := settings.Actor(name)
	if err == nil && actor.Human {
		return settings.Actor(name + "-agent")
	}
	return actor, err
}

// Identity returns who acts in this command.
func (f *Factory) Identity(settings Actors) (core.Caller, error) {
	if f.who != nil {
		return *f.who, nil
	}
	who, err := f.identify(f.Named(), settings)
	if err == nil {
		f.who = &who
	}
	return who, err
}

// IdentityOf returns who acts for a client of a tool server that gives itself a name, and what to tell about that, or "".
func (f *Factory) IdentityOf(client string, settings Actors) (who core.Caller, told string, err error) {
	n, told := f.Named().To(client)
	who, err = f.identify(n, settings)
	return who, told, err
}

func (f *Factory) identify(n Named, settings Actors) (core.Caller, error) {
	loaded, err := f.Configuration()
	if err != nil {
		return core.Caller{}, err
	}
	who, err := Identify(n, loaded, settings)
	if err == nil {
		who.Actor.Instance = cmp.Or(who.Actor.Instance, f.Instance)
		who.Repo, who.Checkout = f.repository()
		who.Place = func(ctx context.Context) task.Place {
			return f.PlaceOf(ctx, words.Either(loaded.File != "", filepath.Dir(loaded.File), f.Process.Dir))
		}
		who.Session = f.agentSession(n.Agent)
	}
	return who, err
}

// DefaultActor returns the actor that the configuration assumes when nobody is named, and the setting that names it.
func DefaultActor(loaded *config.Loaded) (name, how string, err error) {
	eff, err := loaded.For("", nil)
	if err != nil {
		return "", "", err
	}
	for _, a := range eff.Actors {
		if a.Default {
			return a.Name, "the actor flagged default", nil
		}
	}
	return eff.AgentDefaults.Actor, "agentDefaults.actor", nil
}

// agentSign is a variable that an agent sets.
type agentSign struct{ variable, agent string }

// agentSigns are the variables that agents set for the programs they start, with the name of the agent. The list leaves
// out variables that a person may also have set (CODEX_HOME, an API key, what an editor sets in its terminal): they
// would turn that person into an agent.
var agentSigns = []agentSign{
	{"CLAUDECODE", "claude"}, {"CLAUDE_CODE", "claude"},
	{"CODEX_SANDBOX", "codex"}, {"CODEX_SANDBOX_NETWORK_DISABLED", "codex"}, {"CODEX_THREAD_ID", "codex"}, {"CODEX_CI", "codex"},
	{"CURSOR_AGENT", "cursor"},
	{"GEMINI_CLI", "gemini"},
	{"COPILOT_CLI", "copilot"}, {"COPILOT_AGENT_SESSION_ID", "copilot"},
	{"OPENCODE", "opencode"}, {"OPENCODE_CLIENT", "opencode"},
	{"AMP_CURRENT_THREAD_ID", "amp"},
	{"ANTIGRAVITY_AGENT", "antigravity"},
	{"AUGMENT_AGENT", "augment"},
	{"AI_AGENT", anyAgent}, // a convention shared by several agents
}

// InShellOf returns an environment as the shell of an agent has it: without what tells of another agent, and with a variable
// that this one sets. Without an agent, nothing tells of any.
func InShellOf(agent string, env []string) []string {
	env = slices.DeleteFunc(slices.Clone(env), func(v string) bool {
		name, _, _ := strings.Cut(v, "=")
		return slices.ContainsFunc(agentSigns, func(s agentSign) bool { return s.variable == name })
	})
	for _, s := range agentSigns {
		if s.agent == agent {
			return append(env, s.variable+"=1")
		}
	}
	return env
}

// anyAgent is the name of an agent that does not say which one it is.
const anyAgent = "agent"

// clientSigns are the beginnings of the names by which agents introduce themselves to a tool server (the name of
// clientInfo, in lower case and with dashes), with the name of the agent.
var clientSigns = []struct{ prefix, agent string }{
	{"claude-code", "claude"},
	{"codex", "codex"},
	{"cursor", "cursor"},
	{"gemini-cli", "gemini"},
	{"github-copilot", "copilot"}, {"copilot", "copilot"}, {"visual-studio-code", "copilot"},
	{"opencode", "opencode"},
}

// clientAgent returns the agent that introduces itself to a tool server by a name, or "" if none is known to.
func clientAgent(client string) string {
	client = strings.ReplaceAll(strings.ToLower(strings.TrimSpace(client)), " ", "-")
	for _, s := range clientSigns {
		if rest, ok := strings.CutPrefix(client, s.prefix); ok && (rest == "" || rest[0] == '-') {
			return s.agent
		}
	}
	return ""
}

// isAgent reports whether a name is that of a known agent.
func isAgent(name string) bool {
	return slices.ContainsFunc(agentSigns, func(s agentSign) bool { return s.agent == name && name != anyAgent })
}

// agentIn returns the agent that started a process with this environment, and the variable that shows it; both are
// empty if nothing does.
func agentIn(env func(string) string) (name, sign string) {
	for _, s := range agentSigns {
		if env(s.variable) != "" {
			return s.agent, s.variable + ", which an agent sets"
		}
	}
	return "", ""
}
