package setup

// Hook returns what a start hook of an agent prints so that its model reads the text, nil where it reads plain text.
func Hook(name, text string) map[string]any {
	switch name {
	case "gemini":
		return map[string]any{"hookSpecificOutput": map[string]any{"hookEventName": "SessionStart", "additionalContext": text}}
	case "cursor":
		return map[string]any{"additional_context": text}
	case "copilot":
		return map[string]any{"additionalContext": text}
	}
	return nil
}
