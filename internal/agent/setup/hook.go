package setup

// Start returns what an agent's start hook prints so that the model reads the text, or nil if plain text works.
func Start(name, text string) map[string]any {
	return map[string]map[string]any{
		"gemini":  {"hookSpecificOutput": map[string]any{"hookEventName": "SessionStart", "additionalContext": text}},
		"cursor":  {"additional_context": text},
		"copilot": {"additionalContext": text},
	}[name]
}

// Told returns what an agent's hook prints at another event so that the model reads the text, or nil if plain text works.
func Told(name, event, text string) map[string]any {
	switch {
	case event == "stop" && name == "gemini":
		return map[string]any{"decision": "deny", "reason": text}
	case event == "stop" && name != "opencode":
		return map[string]any{"decision": "block", "reason": text}
	case event == "edit" && (name == "claude" || name == "codex"):
		return map[string]any{"hookSpecificOutput": map[string]any{"hookEventName": "PreToolUse", "additionalContext": text}}
	}
	return nil
}
