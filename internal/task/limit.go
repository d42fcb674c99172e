package task

// Limits of one record or document. Anything beyond one is refused with a message that names the limit.
const (
	MaxTitle    = 500       // characters
	MaxKey      = 500       // characters; more would not fit into the index of every database
	MaxText     = 256 << 10 // bytes: a body, a note, an evidence value, a question, an answer, a reason
	MaxOutput   = 2 << 10   // characters of the end of what a run printed
	MaxName     = 200       // characters: a gate, a role, an actor, an evidence kind
	MaxListed   = 1000      // criteria, links, touches, evidence of one task
	MaxItem     = 4000      // characters of a criterion, glob or link
	MaxList     = 256 << 10 // bytes: all criteria, all links, all touches or all names of one task
	MaxTasks    = 50_000    // of one document
	MaxEdges    = 500_000   // of one document
	MaxLeaseMs  = 366 * 24 * 60 * 60 * 1000
	MaxPriority = 3
	MaxSeverity = 4

	DefaultPriority = 2
	DefaultLeaseMs  = 2 * 60 * 60 * 1000
)
