package task

// Policy is what the configuration decides for one project, with its layers merged. The zero value is a project
// without configuration.
type Policy struct {
	DefaultAutonomy   Autonomy                 // empty: autonomous
	PreferredActor    string                   // for tasks that prefer nobody
	MayExecute        []string                 // for tasks that list nothing
	RequireApproval   []Requirement            // of every task
	ReviewPolicy      map[string][]Requirement // more, by gate
	Gates             map[string][]string      // evidence kinds by gate
	Selection         []SelectKey              // nil: DefaultSelection; empty: by number alone
	LeaseMs           *int64                   // nil: DefaultLeaseMs
	RequireNoteOnDone bool
	Humans            []Actor // who is declared as one
	DeclaresHuman     bool    // agents may not loosen, nor pass over evidence, nor move what they may not hold
}

// Requirement is one approval that a task must collect. With neither role nor actor any human will do.
type Requirement struct {
	Role   string
	Actor  string
	Kind   string // approval (also when empty) or verification
	Reason string
}

// The kinds of approvals.
const (
	KindApproval     = "approval"
	KindVerification = "verification"
)

// Actor is an acting identity. Name is the declared actor; Instance tells two workers of one name apart.
type Actor struct {
	Name         string
	Instance     string
	Human        bool // everybody else is an agent
	Roles        []string
	Capabilities []string
	Ceiling      Autonomy // the widest autonomy that its declaration allows; empty: no ceiling
	Declared     bool     // by the configuration
	Shell        string   // the agent in whose shell a human acts whom nobody has named, with an agent's rights; else empty
	For          string   // another instance of the name, whose claim the actor acts for; else empty
}

// Holds reports whether a claim is the actor's to work under: its own, its plain name's, or that of the instance it is for.
func (a Actor) Holds(c *Claim) bool {
	return c != nil && (c.Actor == a.Full() || c.Actor == a.Name || a.For != "" && c.Actor == a.For)
}

// Person reports whether the actor has the rights of a human.
func (a Actor) Person() bool { return a.Human && a.Shell == "" }

// Full returns the name as claims and events have it: with the instance, if any, behind a slash.
func (a Actor) Full() string {
	if a.Instance == "" {
		return a.Name
	}
	return a.Name + "/" + a.Instance
}
