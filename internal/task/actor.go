package task

import (
	"slices"
	"strings"
	"time"

	"tasker/internal/fault"
	"tasker/internal/hint"
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
			WithHint("a name, or a name and an instance after one slash: claude, claude/3")
	}
	return name, instance, nil
}

// Sweeper is the actor in the events of what tasker does by itself, such as ending a claim whose lease has lapsed.
const Sweeper = "tasker"

// ParseCaller is ParseActor for a name that somebody wants to act under: nobody acts as tasker itself, nor under a name that
// reads like another one in the log.
func ParseCaller(s string) (name, instance string, err error) {
	name, instance, err = ParseActor(s)
	switch {
	case err != nil:
	case strings.TrimSpace(name) != name || strings.TrimSpace(instance) != instance:
		err = fault.Bad("the actor's name %s has blanks around it", words.Quoted(s)).WithHint("leave the blanks out")
	case strings.EqualFold(name, Sweeper):
		err = fault.Decline("nobody may act as %s: tasker uses that name for what it does by itself", words.Quoted(name)).
			WithHint("give another name: TASKER_ACTOR says who acts")
	}
	return name, instance, err
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

// noPerson returns why a human has only an agent's rights here. It does not hint at how to be named: an agent would do that.
func (a Actor) noPerson() string {
	return "this is the shell of " + a.Shell + ", an agent, and nobody has named " + a.inSentence()
}

// By returns how the actor was decided, and why a human has only an agent's rights.
func (a Actor) By(how string) string {
	if !a.Human || a.Person() {
		return how
	}
	return how + ", with an agent's rights: " + a.noPerson()
}

// agent returns why the actor does not count as a human.
func (a Actor) agent() string {
	switch {
	case a.Human:
		return a.noPerson()
	case a.Withheld:
		return "this actor is an agent by the project's record, whatever a file says"
	case !a.Declared:
		return "an actor that the configuration does not declare counts as an agent"
	}
	return "this actor is an agent"
}

// becoming returns how an actor becomes a human in a project that declares none yet.
func (a Actor) becoming(project string) fault.Text {
	if a.Withheld {
		return fault.Parts("if this is a person, take the file over: %s", hint.Command("project set "+words.Shell(project)+" --from .tasker.json"))
	}
	return fault.Parts("if this is a person, declare it in .tasker.json: %s", declaration(a.Name, "human", ""))
}

// Have returns the hint of a refusal that does not apply to the humans of a project: who they are, and what they do.
func (p Policy) Have(do string) string { return "have " + p.AnyHuman() + " " + do }

// Session is a credential that was created for an actor. Only the digest of the credential is stored: see package
// admin.
type Session struct {
	ID         int64    `json:"id" db:"id"`
	Actor      string   `json:"actor" db:"actor"`
	CreatedAt  Time     `json:"createdAt" db:"created_at"`
	ExpiresAt  Time     `json:"expiresAt" db:"expires_at"` // null: it does not expire
	LastUsedAt Time     `json:"lastUsedAt" db:"last_used_at"`
	Projects   []string `json:"projects" db:"projects"` // empty: all of them
	ReadOnly   bool     `json:"readOnly" db:"read_only"`

	RevokedAt Time `json:"-" db:"revoked_at"`
}

// Live reports whether the session is still valid.
func (s Session) Live(now Time) bool {
	return s.RevokedAt == 0 && (s.ExpiresAt == 0 || now < s.ExpiresAt)
}

// Scope is what a caller may reach. The zero value means everything.
type Scope struct {
	Projects []string // empty: all of them
	ReadOnly bool
}

// Covers reports whether the caller may reach a project. Other projects do not exist for the caller.
func (s Scope) Covers(project string) bool {
	return len(s.Projects) == 0 || slices.Contains(s.Projects, project)
}

// The longest and the default life of a session.
const (
	MaxSessionMs     int64 = 366 * 24 * 60 * 60 * 1000
	DefaultSessionMs int64 = 12 * 60 * 60 * 1000
)

// CheckSessionLife refuses a lifetime that no session can have; 0 means no expiry.
func CheckSessionLife(ms int64) error {
	if ms < 0 || ms > MaxSessionMs {
		return fault.Bad("a session cannot last %s", words.Span(time.Duration(ms)*time.Millisecond)).WithHint("up to 366d, or 0 for one that does not expire")
	}
	return nil
}
