package task

// ID names a task to people and clients: `<slug>-<n>`.
type ID string

// Task is the record of a task. Everything but Deps is kept in its row; Deps is filled where a record is
// answered and empty where a rule only needs the rest.
type Task struct {
	ID             ID          `json:"id"`
	Project        string      `json:"project"`
	Key            string      `json:"key"`
	Title          string      `json:"title"`
	Body           Opt         `json:"body"`
	Parent         Opt         `json:"parent"`
	Deps           []ID        `json:"deps"`
	Status         Status      `json:"status"`
	Priority       int         `json:"priority"`
	Severity       Severity    `json:"severity"`
	Due            Opt         `json:"due"` // as it was given: a day or a moment
	Gate           Opt         `json:"gate"`
	Autonomy       Opt         `json:"autonomy"` // as the task declares it; EffectiveAutonomy decides
	PreferredActor Opt         `json:"preferredActor"`
	MayExecute     []string    `json:"mayExecute"`
	Touches        []string    `json:"touches"`
	Criteria       []Criterion `json:"criteria"`
	Links          []Link      `json:"links"`
	Sprint         Opt         `json:"sprint"`
	Rank           Opt         `json:"rank"`
	Claim          *Claim      `json:"claim"`
	OpenDeps       int         `json:"openDeps"`
	OpenChildren   int         `json:"openChildren"`
	Attempts       int         `json:"attempts"`
	Version        int64       `json:"version"`
	CreatedBy      string      `json:"createdBy"`
	CreatedAt      Time        `json:"createdAt"`
	UpdatedAt      Time        `json:"updatedAt"`
	ClosedAt       Time        `json:"closedAt"`

	// What the record keeps and does not show.

	Fence         int64  `json:"-"` // of the newest claim ever made
	FenceEnded    bool   `json:"-"` // that claim was ended by somebody other than its holder
	LiveChildren  int    `json:"-"` // open children whose own dependencies are all closed
	Questions     int    `json:"-"` // open blocking questions
	ApprovalEpoch int64  `json:"-"` // approvals given in an earlier epoch are stale
	DocStatus     Status `json:"-"` // what a document last gave for this key
	Recorded      bool   `json:"-"` // created closed: history that was imported, not checked
	ClosedBy      string `json:"-"`
	HasBody       bool   `json:"-"` // Body is kept beside the row
	NoDeps        bool   `json:"-"` // it was read that there are no Deps; where it is false they have to be looked for
	Notes         int    `json:"-"` // how many notes, evidence items and approvals there are, so that reads skip what is empty
	Evidences     int    `json:"-"`
	Approvals     int    `json:"-"`
	Decisions     int    `json:"-"`
	QuestionCount int    `json:"-"` // questions, open or not
	BindingCount  int    `json:"-"` // bindings

	// Events that reads ask for: zero where there is none, ThisEvent until the change is written.

	LastEvent         int64 `json:"-"` // the newest that changed it or where it stands
	AwaitingSince     int64 `json:"-"` // since which it waits for people to judge it: in review, or approvals were asked for
	Lapse             int64 `json:"-"` // the end of its newest claim's lease, until it is claimed again or closed
	UnsupervisedClose int64 `json:"-"` // by which an agent closed it though it was supervised
}

// ThisEvent stands for the event that records a change, which has no id before the change is written.
const ThisEvent = -1

// Unwritten is past every event and every stamp.
const Unwritten = 1<<63 - 1

// Criterion is one acceptance criterion; Index counts from 1.
type Criterion struct {
	Index     int    `json:"index"`
	Text      string `json:"text"`
	Checked   bool   `json:"checked"`
	CheckedBy Opt    `json:"checkedBy"`
	CheckedAt Time   `json:"checkedAt"`
}

// Link points at something outside the task.
type Link struct {
	Kind string `json:"kind"` // doc, url or file
	Ref  string `json:"ref"`
	Note Opt    `json:"note"`
}

// LinkKinds lists what a link can point at.
var LinkKinds = []string{"doc", "url", "file"}

// Claim is the hold of an actor on a task. ExpiresAt is zero where it has no expiry.
type Claim struct {
	Task      ID     `json:"task"`
	Actor     string `json:"actor"` // with its instance
	Fence     int64  `json:"fence"`
	Version   int64  `json:"version"` // the task's, right after the claim
	ClaimedAt Time   `json:"claimedAt"`
	RenewedAt Time   `json:"renewedAt"`
	ExpiresAt Time   `json:"expiresAt"`
	LeaseMs   int64  `json:"leaseMs"`
}

// EvidenceItem is evidence as a caller gives it.
type EvidenceItem struct {
	Kind  string `json:"kind"`
	Value string `json:"value"`
	Note  Opt    `json:"note,omitzero"`
}
