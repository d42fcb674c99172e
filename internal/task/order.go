package task

// SelectKey is one key of a selection policy.
type SelectKey string

// The keys of a selection policy.
const (
	BySeverity SelectKey = "severity" // 1 first; none counts as 4
	BySprint   SelectKey = "sprint"   // those in a sprint first, by its name; none last
	ByDue      SelectKey = "due"      // soonest first; none last
	ByPriority SelectKey = "priority" // 0 first
	ByRank     SelectKey = "rank"     // byte order; none last
	ByAge      SelectKey = "age"      // oldest first
)

// DefaultSelection is the policy of a project that declares none.
var DefaultSelection = []SelectKey{BySeverity, BySprint, ByDue, ByPriority, ByRank, ByAge}
