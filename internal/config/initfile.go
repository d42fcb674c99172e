package config

import (
	"tasker/internal/strict"
	"tasker/internal/task"
)

// Init returns the text of a minimal file for a project. A named actor is declared as a human, but not as the default,
// because the file is committed and everybody else acts as themselves. A command, if there is one, becomes what the gate
// InitGate asks for.
func Init(project, actor, command string) []byte {
	b := append([]byte("{\n  \"version\": 1,\n  \"project\": "), strict.Quote(nil, project)...)
	if actor != "" {
		b = append(b, ",\n  \"actors\": [\n    "+Declaration(actor)+"\n  ]"...)
	}
	if command != "" {
		b = append(b, ",\n  \"gates\": { \""+InitGate+"\": ["...)
		b = append(strict.Quote(b, task.CommandKind(command)), "] }"...)
	}
	return append(b, "\n}\n"...)
}

// InitGate is the gate of a new file, where the repository has a command that tests it.
const InitGate = "tested"

// Local returns a machine's local file, in which commands assume an actor.
func Local(actor string) []byte {
	b := append([]byte("{\n  \"agentDefaults\": { \"actor\": "), strict.Quote(nil, actor)...)
	return append(b, " }\n}\n"...)
}

// Declaration returns the line that declares a human among the actors of a file.
func Declaration(actor string) string {
	return `{ "name": ` + string(strict.Quote(nil, actor)) + `, "kind": "human" }`
}
