package task

import (
	"slices"
	"strings"

	"tasker/internal/fault"
	"tasker/internal/text/words"
)

// ParseActor splits an actor's full name: `claude/3` is the name claude and the instance 3.
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

// actorName returns the declared actor's name from a full name, as claims, events and approvals store it.
func actorName(full string) string {
	name, _, _ := strings.Cut(full, "/")
	return name
}

// has reports whether the actor has a role or capability of that name.
func (a Actor) has(what string) bool {
	return slices.Contains(a.Roles, what) || slices.Contains(a.Capabilities, what)
}

// FullOr returns the actor's full name, or the given words for an actor without a name.
func (a Actor) FullOr(unnamed string) string {
	if a.Name == "" {
		return unnamed
	}
	return a.Full()
}

func (a Actor) inSentence() string { return a.FullOr("an unnamed actor") }

// noPerson returns why a human has only an agent's rights here, and what to do about it.
func (a Actor) noPerson() (why, hint string) {
	return "this is the shell of " + a.Shell + ", an agent, and nobody has named " + a.inSentence(),
		"if you are " + a.inSentence() + ", say so: --actor " + a.Name + ", or TASKER_ACTOR=" + a.Name
}

// AskPerson returns the hint of a refusal that does not apply to humans: do, or, for a human who was not named, how to
// name one.
func (a Actor) AskPerson(do string) string {
	if a.Human && a.Shell != "" {
		_, do = a.noPerson()
	}
	return do
}
