package task

// Policy is what the configuration decides for one project, with its layers merged. The zero value is a project without
// configuration.
type Policy struct {
	DefaultAutonomy   Autonomy                 // empty: autonomous
	PreferredActor    string                   // for tasks that prefer nobody
	MayExecute        []string                 // for tasks that list nothing
	RequireApproval   []Requirement            // of every task
	ReviewPolicy      map[string][]Requirement // additional ones, by gate
	Gates             map[string][]string      // evidence kinds by gate
	GateDirs          map[string]string        // by gate that asks for a command: where it runs, from the repository's root, if known
	Selection         []SelectKey              // nil: DefaultSelection; empty: only by number
	LeaseMs           *int64                   // nil: DefaultLeaseMs
	RequireNoteOnDone bool
	Humans            []Actor // who is declared as a human
	DeclaresHuman     bool    // agents may not loosen, override missing evidence, or move what they may not hold
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
	Human        bool // everyone else is an agent
	Roles        []string
	Capabilities []string
	Ceiling      Autonomy // the widest autonomy that its declaration allows; empty: no ceiling
	Declared     bool     // by the configuration
	Withheld     bool     // the files of this process declare it with more rights than the project's record lets it have
	Shell        string   // the agent in whose shell an actor that nobody named acts, a human with an agent's rights
	Served       string   // the same for a server, which acts as configured: by the project's record, not by a file alone
	For          string   // another instance of the name, for whose claim the actor acts; empty otherwise
}

// Holds reports whether the actor may work under a claim: its own, its plain name's, or that of the instance it acts
// for.
func (a Actor) Holds(c *Claim) bool {
	return c != nil && (c.Actor == a.Full() || c.Actor == a.Name || a.For != "" && c.Actor == a.For)
}

// Person reports whether the actor has the rights of a human.
func (a Actor) Person() bool { return a.Human && a.Shell == "" }

// Full returns the name as claims and events store it: followed by a slash and the instance, if any.
func (a Actor) Full() string {
	if a.Instance == "" {
		return a.Name
	}
	return a.Name + "/" + a.Instance
}
