package setup

// Start returns what an agent's start hook prints so that the model reads the text, or nil if plain text works.
func Start(name, text string) map[string]any {
	return map[string]map[string]any{
		"gemini":  {"hookSpecificOutput": map[string]any{"hookEventName": "SessionStart", "additionalContext": text}},
		"cursor":  {"additional_context": text},
		"copilot": {"additionalContext": text},
	}[name]
}
