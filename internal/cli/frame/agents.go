package frame

// agentSigns are the variables that agents set for the programs they start, with the name of the agent. A variable that
// a person may have set too (CODEX_HOME, an API key, what an editor's terminal sets for people as well) is not here: it
// would make an agent of that person.
var agentSigns = []struct{ variable, agent string }{
	{"CLAUDECODE", "claude"}, {"CLAUDE_CODE", "claude"},
	{"CODEX_SANDBOX", "codex"}, {"CODEX_SANDBOX_NETWORK_DISABLED", "codex"}, {"CODEX_THREAD_ID", "codex"}, {"CODEX_CI", "codex"},
	{"CURSOR_AGENT", "cursor"},
	{"GEMINI_CLI", "gemini"},
	{"COPILOT_CLI", "copilot"}, {"COPILOT_AGENT_SESSION_ID", "copilot"},
	{"OPENCODE", "opencode"}, {"OPENCODE_CLIENT", "opencode"},
	{"AMP_CURRENT_THREAD_ID", "amp"},
	{"ANTIGRAVITY_AGENT", "antigravity"},
	{"AUGMENT_AGENT", "augment"},
	{"AI_AGENT", "agent"}, // a convention of several agents
}

// agentIn returns which agent started a process with this environment, and what shows it; empty where nothing does.
func agentIn(env func(string) string) (name, sign string) {
	for _, s := range agentSigns {
		if env(s.variable) != "" {
			return s.agent, s.variable + ", which an agent sets"
		}
	}
	return "", ""
}
