package config

import "tasker/internal/strict"

// Init returns the text of a minimal file for a project. A named actor is declared as a human, but not as the default,
// because the file is committed and everybody else acts as themselves.
func Init(project, actor string) []byte {
	b := append([]byte("{\n  \"version\": 1,\n  \"project\": "), strict.Quote(nil, project)...)
	if actor != "" {
		b = append(b, ",\n  \"actors\": [\n    "+Declaration(actor)+"\n  ]"...)
	}
	return append(b, "\n}\n"...)
}

// Local returns a machine's local file, in which commands assume an actor.
func Local(actor string) []byte {
	b := append([]byte("{\n  \"agentDefaults\": { \"actor\": "), strict.Quote(nil, actor)...)
	return append(b, " }\n}\n"...)
}

// Declaration returns the line that declares a human among the actors of a file.
func Declaration(actor string) string {
	return `{ "name": ` + string(strict.Quote(nil, actor)) + `, "kind": "human" }`
}
