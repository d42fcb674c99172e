package setup

// Hook returns what a start hook of an agent prints so that its model reads the text, nil where it reads plain text.
func Hook(name, text string) map[string]any {
	return map[string]map[string]any{
		"gemini":  {"hookSpecificOutput": map[string]any{"hookEventName": "SessionStart", "additionalContext": text}},
		"cursor":  {"additional_context": text},
		"copilot": {"additionalContext": text},
	}[name]
}
