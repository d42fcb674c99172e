package task

import (
	"cmp"
	"slices"
	"strings"

	"tasker/internal/fault"
	"tasker/internal/hint"
	"tasker/internal/text/words"
)

// String returns the requirement as a refusal lists it: `approval by lead: why`.
func (r Requirement) String() string {
	who := cmp.Or(r.Actor, r.Role, "any human")
	if r.Actor != "" && r.Role != "" {
		who += " as " + r.Role
	}
	s := approvalKind(r.Kind) + " by " + who
	if r.Reason != "" {
		s += ": " + r.Reason
	}
	return s
}

func approvalKind(kind string) string { return cmp.Or(kind, KindApproval) }

// Required returns the approvals that the task must collect before done: the project's, then its gate's.
func (p Policy) Required(t *Task) []Requirement {
	if t.Gate == "" {
		return slices.Clone(p.RequireApproval)
	}
	return slices.Concat(p.RequireApproval, p.ReviewPolicy[string(t.Gate)])
}

// MissingApprovals returns the requirements that none of the approvals satisfies. One approval may satisfy several.
func MissingApprovals(required []Requirement, given []Approval) []Requirement {
	var missing []Requirement
	for _, r := range required {
		if !slices.ContainsFunc(given, r.fits) {
			missing = append(missing, r)
		}
	}
	return missing
}

// ApprovedSince reports whether anybody has approved or verified a task after an event, and whether the named human has.
func ApprovedSince(event int64, given []Approval, name string) (approved, own bool) {
	for _, a := range given {
		if a.Stale || a.ID <= event {
			continue
		}
		approved, own = true, own || actorName(a.Actor) == name
	}
	return approved, own
}

// fits reports whether an approval satisfies the requirement. An approval that names a role counts only for that role;
// any other counts for every role that the approver held.
func (r Requirement) fits(a Approval) bool {
	if a.Stale || approvalKind(a.Kind) != approvalKind(r.Kind) {
		return false
	}
	if r.Actor != "" && actorName(a.Actor) != r.Actor {
		return false
	}
	switch {
	case r.Role == "":
		return true
	case a.Role != "":
		return string(a.Role) == r.Role
	default:
		return slices.Contains(a.Roles, r.Role)
	}
}

// ApproveBy returns the approval that the actor gives, without id, note and time. Only humans approve, and they can
// name only a role that they hold.
func (t *Task) ApproveBy(a Actor, kind, role string) (Approval, error) {
	kind = approvalKind(kind)
	if kind != KindApproval && kind != KindVerification {
		return Approval{}, fault.Bad("%s is not a kind of approval", words.Quoted(kind)).WithHint("one of %s, %s", KindApproval, KindVerification)
	}
	if !a.Person() {
		do := giving(kind)
		call := hint.Approve(t.ID, kind)
		advice := fault.Parts("have a human %s: %s", do, call)
		if !a.Human && (a.Withheld || !a.Declared) {
			advice = a.becoming(t.Project)
		}
		return Approval{}, fault.Decline("%s may not approve %s: only humans do, and %s", a.inSentence(), t.ID, a.agent()).
			WithHint("%s", fault.Human{In: t.Project, How: advice, Ask: fault.Parts(fault.Have(do)+": %s", call)})
	}
	roles := a.judging()
	if role != "" && !slices.Contains(roles, role) {
		advice := "leave the role out; this actor holds none"
		if len(roles) > 0 {
			advice = "name one that this actor holds (" + words.List(roles) + "), or leave it out"
		}
		return Approval{}, fault.Decline("%s does not hold the role %s", a.inSentence(), words.Quoted(role)).WithHint("%s", advice)
	}
	return Approval{Task: t.ID, Kind: kind, Actor: a.Full(), Role: Opt(role), Roles: slices.Clone(roles)}, nil
}

// giving returns the verb for giving an approval of a kind.
func giving(kind string) string {
	if kind == KindVerification {
		return "verify it"
	}
	return "approve it"
}

// maxHinted is how many missing approvals or answers a hint names, and how many people who can give one.
const maxHinted = 3

// givers returns who can satisfy the requirement: the declared humans by name, or a description of such a human if
// there are none.
func (r Requirement) givers(p Policy) string {
	var names []string
	for _, h := range p.Humans {
		if r.By(h) {
			names = append(names, h.Name)
		}
	}
	switch {
	case len(names) > maxHinted:
		return "a human such as " + names[0]
	case len(names) > 0:
		return words.Or(names)
	case r.Actor != "":
		return r.Actor
	case r.Role != "":
		return "a human with the role " + r.Role
	}
	return "a human"
}

// Reader returns how hints are worded for an actor: an agent in a project that declares a human is told who can do what
// only humans may do.
func (p Policy) Reader(a Actor) fault.Reader {
	return fault.Reader{Agent: p.DeclaresHuman && !a.Person(), Humans: p.AnyHuman()}
}

// Advice returns who can satisfy the requirement, and how. An actor who can satisfy it is advised to do so.
func (r Requirement) Advice(id ID, a Actor, p Policy) fault.Text {
	call := hint.Approve(id, r.Kind)
	if a.Person() && r.By(a) {
		call.ByOther = false
		return fault.Parts("%s (%s)", giving(r.Kind), call)
	}
	return fault.Parts("have %s %s (%s)", r.givers(p), giving(r.Kind), call)
}

// For returns who can satisfy the requirement: role:lead, actor:ann, both separated by a comma, or human.
func (r Requirement) For() string {
	var who []string
	if r.Actor != "" {
		who = append(who, "actor:"+r.Actor)
	}
	if r.Role != "" {
		who = append(who, "role:"+r.Role)
	}
	return cmp.Or(strings.Join(who, ","), "human")
}

// By reports whether an approval by the actor could satisfy the requirement.
func (r Requirement) By(a Actor) bool {
	return a.Human && (r.Actor == "" || r.Actor == a.Name) && (r.Role == "" || slices.Contains(a.judging(), r.Role))
}

// maxWhose is how many roles or capabilities Whose names.
const maxWhose = 3

// Whose returns, in two or three words, whom a task is for that routing keeps from the actor; listed are the roles and
// capabilities that it asks for, or "" where it is not for want of one.
func (p Policy) Whose(a Actor, autonomy Opt, mayExecute []string) (whose, listed string) {
	list := p.TaskMayExecute(mayExecute)
	switch {
	case p.ForPeople(autonomy):
		return "for people", ""
	case p.barredByAutonomy(a, autonomy) == nil && len(list) > 0:
		listed = words.Or(list[:min(len(list), maxWhose)])
		return "for " + listed, listed
	default:
		return "not for you", ""
	}
}

// AnyHuman returns who can do what any human can: the declared humans by name if there are few, or "a human".
func (p Policy) AnyHuman() string { return Requirement{}.givers(p) }

// Judges returns who can give the first of the approvals that a task in review lacks; any human if it lacks none.
func (p Policy) Judges(missing []Requirement) string {
	if len(missing) == 0 {
		return p.AnyHuman()
	}
	return missing[0].givers(p)
}
