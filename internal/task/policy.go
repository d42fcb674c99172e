package task

// Policy is what configuration decides for one project, merged and ready to be asked. The zero value is a
// project without any configuration.
type Policy struct {
	DefaultAutonomy   Autonomy                 // empty: autonomous
	PreferredActor    string                   // for tasks that prefer nobody
	MayExecute        []string                 // for tasks that list nothing
	RequireApproval   []Requirement            // of every task
	ReviewPolicy      map[string][]Requirement // more, by gate
	Gates             map[string][]string      // evidence kinds by gate
	Selection         []SelectKey              // empty: DefaultSelection
	LeaseMs           *int64                   // nil: DefaultLeaseMs
	RequireNoteOnDone bool
	DeclaresHuman     bool // agents may not loosen, nor force
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
	Ceiling      Autonomy // what the actor's own declaration allows at most; empty: no ceiling
	Declared     bool     // by the configuration
}

// Full is who stands in claims and events: the name, and the instance behind a slash.
func (a Actor) Full() string {
	if a.Instance == "" {
		return a.Name
	}
	return a.Name + "/" + a.Instance
}
