package frame

import (
	"cmp"

	"tasker/internal/task"
)

// sessionSigns are the variables in which agents tell the programs that they start the id of their session, by agent. The plugin
// for OpenCode sets ours.
var sessionSigns = map[string]string{
	"claude": "CLAUDE_CODE_SESSION_ID", "codex": "CODEX_THREAD_ID", "copilot": "COPILOT_AGENT_SESSION_ID",
	"gemini": "GEMINI_SESSION_ID", "opencode": "TASKER_AGENT_SESSION",
}

// oneSession has the agents whose process has one session at a time, so that the process tells which one it is.
var oneSession = map[string]bool{"claude": true, "gemini": true, "copilot": true}

// AgentSession returns the session of the agent in whose shell, or as whose hook, this command runs.
func (f *Factory) AgentSession() task.AgentSession { return f.agentSession(f.Named().Agent) }

// agentSession returns the session of the agent that started this process: the one that a hook was told, else the one that its
// variables tell, else its process if that tells it.
func (f *Factory) agentSession(agent string) (s task.AgentSession) {
	if agent == "" {
		return s
	}
	// A claim in a session with an id is that session's alone. A hook also finds what was claimed where no id was told.
	id := cmp.Or(f.SessionID, f.Env(sessionSigns[agent]))
	s.Session = task.Digest("session", id)
	if (id == "" || f.SessionID != "") && oneSession[agent] && f.Process.Starter != nil {
		if starter := f.Process.Starter(); starter != "" {
			s.Process = task.Digest("process", f.Process.Host()+" "+starter)
		}
	}
	return s
}
