package task

import (
	"slices"
	"strings"

	"tasker/internal/fault"
	"tasker/internal/words"
)

// ParseActor takes a name such as `claude/3` apart: who it is, and which of the workers of that name.
func ParseActor(s string) (name, instance string, err error) {
	if err := checkLine("the actor's name", s, MaxName); err != nil {
		return "", "", err
	}
	name, instance, slash := strings.Cut(s, "/")
	if strings.TrimSpace(name) == "" || slash && strings.TrimSpace(instance) == "" || strings.Contains(instance, "/") {
		return "", "", fault.Bad("%s is not the name of an actor", words.Quoted(s)).
			WithHint("a name, or a name and an instance behind one slash: claude, claude/3")
	}
	return name, instance, nil
}

// actorName is the declared actor in who stands in claims, events and approvals.
func actorName(full string) string {
	name, _, _ := strings.Cut(full, "/")
	return name
}

// has reports whether the actor has a role or capability of that name.
func (a Actor) has(what string) bool {
	return slices.Contains(a.Roles, what) || slices.Contains(a.Capabilities, what)
}

// FullOr is the actor's full name, and what to say in its place where it has none.
func (a Actor) FullOr(unnamed string) string {
	if a.Name == "" {
		return unnamed
	}
	return a.Full()
}

func (a Actor) inSentence() string { return a.FullOr("an unnamed actor") }
