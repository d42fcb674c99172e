package task

// Project is a graph of tasks and what is kept for all of it.
type Project struct {
	Slug      string              `json:"slug"`
	Name      Opt                 `json:"name"`
	Vision    Opt                 `json:"vision"`
	Gates     map[string][]string `json:"gates"` // the db layer's; configuration may add to them
	Archived  bool                `json:"archived"`
	Tasks     Counts              `json:"tasks"`
	CreatedAt Time                `json:"createdAt"`
	UpdatedAt Time                `json:"updatedAt"`

	Settings     []byte `json:"-"` // the rest of the db layer, a JSON object or empty
	GraphVersion int64  `json:"-"` // grows with every change of the graph's shape or of the project's policy
	FlowVersion  int64  `json:"-"` // grows whenever the open tasks, or the dependencies among them, change
	Ready        int    `json:"-"` // tasks on the frontier
	Held         int    `json:"-"` // tasks that a live claim holds
	Blocked      int    `json:"-"` // open tasks that wait for an open dependency
}

// Counts are the tasks of a project by status.
type Counts struct {
	Open       int `json:"open"`
	InProgress int `json:"in_progress"`
	InReview   int `json:"in_review"`
	Done       int `json:"done"`
	Cancelled  int `json:"cancelled"`
}

// Of points at the count of one status.
func (c *Counts) Of(s Status) *int {
	switch s {
	case InProgress:
		return &c.InProgress
	case InReview:
		return &c.InReview
	case Done:
		return &c.Done
	case Cancelled:
		return &c.Cancelled
	default:
		return &c.Open
	}
}

// Note is a remark on a task.
type Note struct {
	ID    int64  `json:"id"`
	Task  ID     `json:"task"`
	Actor string `json:"actor"`
	Text  string `json:"text"`
	At    Time   `json:"at"`
}

// Evidence is a recorded proof of a kind that gates ask for.
type Evidence struct {
	ID    int64  `json:"id"`
	Task  ID     `json:"task"`
	Actor string `json:"actor"`
	Kind  string `json:"kind"`
	Value string `json:"value"`
	Note  Opt    `json:"note"`
	At    Time   `json:"at"`
}

// Question is something asked about a task; a blocking one keeps it off the frontier until it is answered.
type Question struct {
	ID         int64  `json:"id"`
	Task       ID     `json:"task"`
	Actor      string `json:"actor"`
	To         Opt    `json:"to"`
	Text       string `json:"text"`
	Blocking   bool   `json:"blocking"`
	AskedAt    Time   `json:"askedAt"`
	Answer     Opt    `json:"answer"`
	AnsweredBy Opt    `json:"answeredBy"`
	AnsweredAt Time   `json:"answeredAt"`

	Withdrawn bool `json:"-"`
}

// Decision is something that was settled about a task, and why.
type Decision struct {
	ID        int64  `json:"id"`
	Project   string `json:"project"`
	Task      ID     `json:"task"`
	Actor     string `json:"actor"`
	Title     string `json:"title"`
	Rationale Opt    `json:"rationale"`
	At        Time   `json:"at"`
}

// Binding ties a task to a record of another system: an issue, a pull request or a branch.
type Binding struct {
	ID       int64  `json:"id"`
	Task     ID     `json:"task"`
	System   string `json:"system"` // issue_tracker or code_host
	Kind     string `json:"kind"`   // issue, pull_request or branch
	Ref      string `json:"ref"`
	URL      Opt    `json:"url"`
	State    Opt    `json:"state"`
	SyncedAt Time   `json:"syncedAt"`
}

// Approval is a person's judgement (approval) or confirmation (verification) of a task.
type Approval struct {
	ID    int64  `json:"id"`
	Task  ID     `json:"task"`
	Kind  string `json:"kind"`
	Actor string `json:"actor"`
	Role  Opt    `json:"role"`
	Note  Opt    `json:"note"`
	At    Time   `json:"at"`
	Stale bool   `json:"stale"`

	Roles []string `json:"-"` // the approver's roles when it was given
}
