package task

// ID names a task to people and clients: `<slug>-<n>`.
type ID string

// Task is the record of a task. Body and Deps are stored outside its row: they are loaded where a record is answered,
// and empty where a rule needs only the rest. Due is kept as it was given, a day or a moment. Autonomy is what the task
// declares; EffectiveAutonomy is what counts.
//
// This is the table of a task's fields. Columns, statements, JSON, the settable fields of documents and the details
// that people see are generated from its tags: see package field.
//
//field:json marshal shared
type Task struct {
	ID             ID          `json:"id" db:"id"`
	Project        string      `json:"project" db:",slug"`
	Key            string      `json:"key" db:"key,set=definition"`
	Title          string      `json:"title" db:"title,set=definition" plan:"settable"`
	Body           Opt         `json:"body" plan:"settable"`
	Parent         Opt         `json:"parent" db:"parent,ref,set=definition" plan:"settable,apart"`
	Deps           []ID        `json:"deps" plan:"settable,apart,as=[]string"`
	Status         Status      `json:"status" db:"status,set=state"`
	Priority       int         `json:"priority" db:"priority,set=definition" plan:"settable"`
	Severity       Severity    `json:"severity" db:"severity,set=definition" plan:"settable"`
	Due            Opt         `json:"due" db:"due,set=definition,moment=due_at" plan:"settable" label:"due"`
	Gate           Opt         `json:"gate" db:"gate,set=definition" plan:"settable"`
	Autonomy       Opt         `json:"autonomy" db:"autonomy,set=definition" plan:"settable" label:"autonomy"`
	PreferredActor Opt         `json:"preferredActor" db:"preferred_actor,set=definition" plan:"settable" label:"preferred"`
	MayExecute     []string    `json:"mayExecute" db:"may_execute,set=definition" plan:"settable" label:"may execute"`
	Touches        []string    `json:"touches" db:"touches,set=definition" plan:"settable" label:"touches"`
	Criteria       []Criterion `json:"criteria" db:"criteria,set=definition" plan:"settable,apart,as=[]string"`
	Links          []Link      `json:"links" db:"links,set=definition" plan:"settable,apart"`
	Sprint         Opt         `json:"sprint" db:"sprint,set=definition" label:"sprint"`
	Rank           Opt         `json:"rank" db:"rank,set=definition"`
	Claim          *Claim      `json:"claim" db:",set=state"`
	OpenDeps       int         `json:"openDeps" db:"open_deps,set=state"`
	OpenChildren   int         `json:"openChildren" db:"open_children"`
	Attempts       int         `json:"attempts" db:"attempts,set=state"`
	Version        int64       `json:"version" db:"version,set=state,guard"`
	CreatedBy      string      `json:"createdBy" db:"created_by,repeated"`
	CreatedAt      Time        `json:"createdAt" db:"created_at"`
	UpdatedAt      Time        `json:"updatedAt" db:"updated_at,set=state"`
	ClosedAt       Time        `json:"closedAt" db:"closed_at,set=state"`

	// Stored, and not part of the JSON.
	Fence         int64  `json:"-" db:"fence,set=state,guard"`     // of the newest claim ever made
	FenceEnded    bool   `json:"-" db:"fence_ended,set=state"`     // that claim was ended by somebody other than its holder
	Parts         int    `json:"-" db:"parts"`                     // open children that it waits for: see Part
	InCircle      bool   `json:"-" db:"in_circle"`                 // it is in a circle of dependencies and parts with its parent
	Questions     int    `json:"-" db:"questions"`                 // open blocking questions
	ApprovalEpoch int64  `json:"-" db:"approval_epoch,set=state"`  // approvals given in an earlier epoch are stale
	DocStatus     Status `json:"-" db:"doc_status,set=definition"` // the last status that a document gave for this key
	Recorded      bool   `json:"-" db:"recorded,set=definition"`   // created as closed: imported history that was not checked
	ClosedBy      string `json:"-" db:"closed_by,set=state"`
	LastHolder    string `json:"-" db:"last_holder,set=state"`       // who made its newest claim, with the instance
	HeldSince     int64  `json:"-" db:"held_since,set=state"`        // the first claim of LastHolder after which nobody else held it; 0: unknown
	ReviewBy      string `json:"-" db:"review_by,set=state"`         // who moved it to review; empty in any other status
	HasBody       bool   `json:"-" db:"has_body,set=definition"`     // Body is not empty
	NoDeps        bool   `json:"-" db:"has_deps,not,set=definition"` // known to have no Deps; if false, they must be read
	Notes         int    `json:"-" db:"notes"`                       // counts of what is stored with the task, so that reads skip what is empty
	Evidences     int    `json:"-" db:"evidences"`
	Approvals     int    `json:"-" db:"approvals"`
	Decisions     int    `json:"-" db:"decisions"`
	QuestionCount int    `json:"-" db:"asked"` // questions, open or not
	BindingCount  int    `json:"-" db:"bound"`

	// Ids of events: zero means none, and ThisEvent stands for the event of a change that is not written yet.

	LastEvent         int64 `json:"-" db:"stirred,set=state"`      // the newest that changed the task or its place on the frontier
	AwaitingSince     int64 `json:"-" db:"awaiting,set=waits"`     // since when people are asked to judge it: it is in review, or approvals were requested
	Lapse             int64 `json:"-" db:"lapsed,set=waits"`       // the end of its newest claim's lease, until it is claimed again or closed
	UnsupervisedClose int64 `json:"-" db:"unwatched,set=waits"`    // an agent closed it although it was supervised
	UnheldSince       int64 `json:"-" db:"unheld,set=waits"`       // since when it is in progress and nobody holds it
	Failing           int64 `json:"-" db:"failing,set=waits"`      // the newest of its failures, if there are enough: see failed
	Acknowledged      int64 `json:"-" db:"acknowledged,set=waits"` // a human has seen its failures up to this one
	Returned          int64 `json:"-" db:"returned,set=waits"`     // it was returned from review or reopened, and nothing newer has been ticked or shown
	SentBack          int64 `json:"-" db:"sent_back,set=waits"`    // its newest return or reopening, answered or not: see SentBack

	Failures int `json:"-" db:"failures,set=waits"` // since a human acknowledged them, or it was closed
}

// ThisEvent stands for the event that records a change, which has no id before the change is written.
const ThisEvent = -1

// Unwritten is greater than the id of any event and any time stamp.
const Unwritten = 1<<63 - 1

// Criterion is one acceptance criterion; Index counts from 1.
//
//field:json marshal
type Criterion struct {
	Index     int        `json:"index"`
	Text      string     `json:"text"`
	Checked   bool       `json:"checked"`
	CheckedBy Opt        `json:"checkedBy"`
	CheckedAt Time       `json:"checkedAt"`
	By        EvidenceID `json:"by"`    // the evidence that the tick names
	Rests     Opt        `json:"rests"` // what the tick rests on: run, seen, said or nothing
	Note      Opt        `json:"note"`  // what was seen, for a tick by eye
	Doubt     Opt        `json:"doubt"` // why the run that the tick names may not show it
}

// What a tick can rest on: evidence that was run, what somebody saw, evidence that somebody said, or nothing.
const (
	RestsOnRun     = "run"
	RestsOnSeen    = "seen"
	RestsOnSaid    = "said"
	RestsOnNothing = "nothing"
)

// Basis is what a tick rests on; the zero value means nothing.
type Basis struct {
	By    EvidenceID
	Rests string
	Note  string // what was seen
	Doubt string // why a run may not show it
	Again bool   // the same was said to be seen before the task was sent back
}

// answers reports whether a tick on that basis answers a return or a reopening: it rests on newer evidence, or on something
// else that was seen.
func (b Basis) answers(returned int64) bool {
	return returned > 0 && (int64(b.By) > returned || b.Note != "" && !b.Again)
}

// Seen returns the basis of a tick by eye: the note says what was seen.
func Seen(note string) Basis { return Basis{Rests: RestsOnSeen, Note: note} }

// Link points at something outside the task.
//
//field:json
type Link struct {
	Kind string `json:"kind"` // doc, url or file
	Ref  string `json:"ref"`
	Note Opt    `json:"note"`
}

// LinkKinds lists what a link can point at.
var LinkKinds = []string{"doc", "url", "file"}

// Claim is an actor's hold on a task. ExpiresAt is zero if it has no expiry.
//
//field:json marshal
type Claim struct {
	Task      ID     `json:"task" db:"id"`
	Actor     string `json:"actor" db:"holder"` // with its instance
	Fence     int64  `json:"fence" db:"fence"`
	Version   int64  `json:"version" db:"claim_version"` // the task's, right after the claim
	ClaimedAt Time   `json:"claimedAt" db:"claimed_at"`
	RenewedAt Time   `json:"renewedAt" db:"renewed_at"`
	ExpiresAt Time   `json:"expiresAt" db:"expires_at"`
	LeaseMs   int64  `json:"leaseMs" db:"lease_ms"`
}

// EvidenceItem is evidence as a caller gives it.
type EvidenceItem struct {
	Kind  string `json:"kind"`
	Value string `json:"value"`
	Note  Opt    `json:"note,omitzero"`
	// Output is the end of what a run printed. It is stored with the evidence, and goes into no event, search or export.
	Output Opt `json:"output,omitzero"`

	For Opt `json:"-"` // the holder for whom the caller records it: see RecordedFor
}
