package task

// Project is a graph of tasks, with what is stored for the project as a whole.
type Project struct {
	Slug      string              `json:"slug" db:"slug"`
	Name      Opt                 `json:"name" db:"name,set=description"`
	Vision    Opt                 `json:"vision" db:"vision,set=description"`
	Gates     map[string][]string `json:"gates" db:"gates,set=description"` // the db layer's; the configuration may add to them
	Archived  bool                `json:"archived" db:"archived,set=description"`
	Tasks     Counts              `json:"tasks" db:",set=counts"`
	CreatedAt Time                `json:"createdAt" db:"created_at"`
	UpdatedAt Time                `json:"updatedAt" db:"updated_at,set=description"`

	Settings     []byte     `json:"-" db:"settings,set=description"`    // the rest of the db layer, a JSON object or empty
	Policy       []byte     `json:"-" db:"policy,set=description"`      // the policy of record, likewise
	PolicyFile   string     `json:"-" db:"policy_file,set=description"` // the file that it was recorded from
	PolicyAt     Time       `json:"-" db:"policy_at,set=description"`
	PolicyDir    string     `json:"-" db:"policy_dir,set=description"`   // of that file, from the root of its repository; empty if unknown
	PolicyPlace  string     `json:"-" db:"policy_place,set=description"` // in which it was recorded, as Place writes it; empty if unknown
	Repo         Repository `json:"-" db:",set=description"`             // in which a command created it, or recorded its policy
	GraphVersion int64      `json:"-" db:"graph_version,set=counts"`     // grows with every change of the graph's shape or of the project's policy
	FlowVersion  int64      `json:"-" db:"flow_version,set=counts"`      // grows whenever the open tasks, or the dependencies among them, change
	NextNumber   int64      `json:"-" db:"next_n,set=counts"`            // of the next task that is created
	Ready        int        `json:"-" db:"n_ready,set=counts"`           // tasks on the frontier
	Held         int        `json:"-" db:"n_held,set=counts"`            // tasks that a live claim holds
	Waiting      int        `json:"-" db:"n_blocked,set=counts"`         // open tasks that wait for a dependency or a part
	Workspaces   int        `json:"-" db:"n_workspaces,set=counts"`      // recorded for its tasks, on any host
}

// Note is a remark on a task.
//
//field:json
type Note struct {
	ID    int64  `json:"id" db:"id"`
	Task  ID     `json:"task" db:"task"`
	Actor string `json:"actor" db:"actor"`
	Text  string `json:"text" db:"text"`
	At    Time   `json:"at" db:"at"`
}

// Evidence is a proof of one of the kinds that gates ask for.
//
//field:json
type Evidence struct {
	ID    int64  `json:"id" db:"id"`
	Task  ID     `json:"task" db:"task"`
	Actor string `json:"actor" db:"actor"`
	Kind  string `json:"kind" db:"kind"`
	Value string `json:"value" db:"value"`
	Note  Opt    `json:"note" db:"note"`
	At    Time   `json:"at" db:"at"`
	For   Opt    `json:"for" db:"held_for"` // the holder for whom it was recorded, where that was not the actor

	Output Opt `json:"output"` // the last lines that a run printed; read only by show and proof
	Doubt  Opt `json:"doubt"`  // why it may not show what it ticks; only where the criteria are read too
}

// Question is a question about a task; a blocking one keeps the task off the frontier until it is answered.
//
//field:json
type Question struct {
	ID         int64  `json:"id" db:"id"`
	Task       ID     `json:"task" db:"task"`
	Actor      string `json:"actor" db:"actor"`
	To         Opt    `json:"to" db:"addressee"`
	Text       string `json:"text" db:"text"`
	Blocking   bool   `json:"blocking" db:"blocking"`
	AskedAt    Time   `json:"askedAt" db:"asked_at"`
	Answer     Opt    `json:"answer" db:"answer"`
	AnsweredBy Opt    `json:"answeredBy" db:"answered_by"`
	AnsweredAt Time   `json:"answeredAt" db:"answered_at"`

	Withdrawn bool `json:"-" db:"withdrawn"`
}

// Decision is a decision about a task, and its reason.
//
//field:json
type Decision struct {
	ID        int64  `json:"id" db:"id"`
	Project   string `json:"project" db:",slug"`
	Task      ID     `json:"task" db:"task"`
	Actor     string `json:"actor" db:"actor"`
	Title     string `json:"title" db:"title"`
	Rationale Opt    `json:"rationale" db:"rationale"`
	At        Time   `json:"at" db:"at"`
}

// Binding ties a task to a record of another system: an issue, a pull request or a branch.
//
//field:json
type Binding struct {
	ID       int64  `json:"id" db:"id"`
	Task     ID     `json:"task" db:"task"`
	System   string `json:"system" db:"system"` // issue_tracker or code_host
	Kind     string `json:"kind" db:"kind"`     // issue, pull_request or branch
	Ref      string `json:"ref" db:"ref"`
	URL      Opt    `json:"url" db:"url"`
	State    Opt    `json:"state" db:"state"`
	SyncedAt Time   `json:"syncedAt" db:"synced_at"`
}

// Approval is a person's judgement (approval) or confirmation (verification) of a task.
//
//field:json
type Approval struct {
	ID    int64  `json:"id" db:"id"`
	Task  ID     `json:"task" db:"task"`
	Kind  string `json:"kind" db:"kind"`
	Actor string `json:"actor" db:"actor"`
	Role  Opt    `json:"role" db:"role"`
	Note  Opt    `json:"note" db:"note"`
	At    Time   `json:"at" db:"at"`
	Stale bool   `json:"stale"`

	Roles []string `json:"-" db:"roles"` // the approver's roles when it was given
	Epoch int64    `json:"-" db:"epoch"` // the task's ApprovalEpoch when it was given
}
