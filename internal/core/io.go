package core

import (
	"tasker/internal/plan"
	"tasker/internal/task"
)

// What operations take and answer. Fields tagged `path` come from the route's path, `query` from its query, the
// rest from the body; a type with DecodeBody reads its body itself.

// None is the input of an operation that takes nothing.
type None struct{}

// VersionOut is what a client can check before use.
type VersionOut struct {
	Version       string `json:"version"`
	SchemaVersion int    `json:"schemaVersion"`
	ConfigVersion int    `json:"configVersion"`
}

// WhoamiIn asks who acts, and what it holds in a project (every project's where none is meant).
type WhoamiIn struct {
	Project string `query:"project"`
}

// WhoamiOut is who acts, and what it holds.
type WhoamiOut struct {
	Actor        string    `json:"actor"`
	Instance     task.Opt  `json:"instance"`
	Kind         string    `json:"kind"`
	Roles        []string  `json:"roles"`
	Capabilities []string  `json:"capabilities"`
	How          string    `json:"how"`
	Project      task.Opt  `json:"project"`
	Holding      []Holding `json:"holding"`
}

// Holding is a task that an actor holds.
type Holding struct {
	Task      task.ID       `json:"task"`
	Title     string        `json:"title"`
	Fence     int64         `json:"fence"`
	ExpiresAt task.Time     `json:"expiresAt"`
	LeftMs    *int64        `json:"leftMs"` // null without expiry
	Progress  task.Progress `json:"progress"`
}

// ProjectIn names a project.
type ProjectIn struct {
	Slug string `path:"slug"`
}

// ApplyIn is a plan to apply.
type ApplyIn struct {
	Doc    *plan.Document
	DryRun bool `query:"dryRun"`
}

// ApplyOut is what a plan changed, or would change.
type ApplyOut struct {
	Project        string    `json:"project"`
	ProjectCreated bool      `json:"projectCreated"`
	DryRun         bool      `json:"dryRun"`
	Created        []Ref     `json:"created"`
	Updated        []Changed `json:"updated"`
	Unchanged      []Ref     `json:"unchanged"`
	Unmentioned    []Ref     `json:"unmentioned"`
	Held           []Ref     `json:"held"`
	Warnings       []string  `json:"warnings"`
}

// Ref names a task by key and id; the id is null for what a dry run would create.
type Ref struct {
	Key string   `json:"key"`
	ID  task.Opt `json:"id"`
}

// Changed is a Ref with what changed.
type Changed struct {
	Key     string                `json:"key"`
	ID      task.Opt              `json:"id"`
	Changes map[string]task.Delta `json:"changes"`
}

// CreateIn is a task definition for a project.
type CreateIn struct {
	Project string `query:"project"` // or in the body
	Def     *plan.TaskDef
}

// EditIn changes fields of a task.
type EditIn struct {
	Task string `path:"id"`
	Edit *plan.Edit
}

// TaskIn names a task: by id, or by key in the caller's project.
type TaskIn struct {
	Task string `path:"id"`
}

// ShowIn asks for the context bundle of a task.
type ShowIn struct {
	Task   string `path:"id"`
	Budget *int   `query:"budget"`
}

// ListIn narrows a list of tasks.
type ListIn struct {
	Project      string `query:"project"`
	Status       string `query:"status"`
	HeldBy       string `query:"heldBy"`
	Parent       string `query:"parent"`
	DependsOn    string `query:"dependsOn"`
	DependencyOf string `query:"dependencyOf"`
	Q            string `query:"q"`
	Ready        *bool  `query:"ready"`
	Blocked      *bool  `query:"blocked"`
	Limit        *int   `query:"limit"`
	Cursor       string `query:"cursor"`
}

// ListOut is a page of tasks by number.
type ListOut struct {
	Project    string       `json:"project"`
	Total      int          `json:"total"`
	Tasks      []*task.Task `json:"tasks"`
	NextCursor task.Opt     `json:"nextCursor"`
}

// MoveIn moves a task; check, evidence and note are applied first, all or nothing.
type MoveIn struct {
	Task            string              `path:"id" json:"-"`
	To              string              `json:"to"`
	Force           bool                `json:"force,omitzero"`
	ExpectedVersion *int64              `json:"expectedVersion,omitzero"`
	Fence           *int64              `json:"fence,omitzero"`
	Check           []int               `json:"check,omitzero"`
	Evidence        []task.EvidenceItem `json:"evidence,omitzero"`
	Note            *string             `json:"note,omitzero"`
	Next            bool                `json:"next,omitzero"`
}

// MoveOut is the moved task, where it was, and what became ready by it.
type MoveOut struct {
	Task      *task.Task  `json:"task"`
	From      task.Status `json:"from"`
	Unblocked []task.ID   `json:"unblocked"`
	Warnings  []string    `json:"warnings"`
	Next      *NextOut    `json:"next"` // null where it was not asked for
}

// TickIn ticks criteria of a task, or unticks them: one by index, or several at once.
type TickIn struct {
	Task    string  `path:"id" json:"-"`
	Index   int     `json:"index,omitzero"`
	Indexes []int   `json:"indexes,omitzero"`
	Checked *bool   `json:"checked,omitzero"` // true where it is left out
	Text    *string `json:"text,omitzero"`    // what the criterion at index must read
	Fence   *int64  `json:"fence,omitzero"`
}

// NoteIn adds a note.
type NoteIn struct {
	Task  string `path:"id" json:"-"`
	Text  string `json:"text"`
	Fence *int64 `json:"fence,omitzero"`
}

// NoteOut says that a note is kept.
type NoteOut struct {
	OK       bool     `json:"ok"`
	ID       int64    `json:"id"`
	Warnings []string `json:"warnings"`
}

// EvidenceIn adds evidence.
type EvidenceIn struct {
	Task  string              `path:"id" json:"-"`
	Items []task.EvidenceItem `json:"items"`
	Fence *int64              `json:"fence,omitzero"`
}

// EvidenceOut says that evidence is kept.
type EvidenceOut struct {
	OK       bool     `json:"ok"`
	IDs      []int64  `json:"ids"`
	Warnings []string `json:"warnings"`
}

// ApproveIn approves a task, or verifies it.
type ApproveIn struct {
	Task string `path:"id" json:"-"`
	Kind string `json:"kind,omitzero"`
	Note string `json:"note,omitzero"`
	Role string `json:"role,omitzero"`
}

// ClaimIn claims a task, or renews the claim whose fence it carries.
type ClaimIn struct {
	Task    string `path:"id" json:"-"`
	Fence   *int64 `json:"fence,omitzero"`
	LeaseMs *int64 `json:"leaseMs,omitzero"`
}

// ReleaseIn gives a task back.
type ReleaseIn struct {
	Task   string  `path:"id" json:"-"`
	Fence  *int64  `json:"fence,omitzero"`
	Note   *string `json:"note,omitzero"`
	Failed bool    `json:"failed,omitzero"`
}

// ReleaseOut is who held it, or null.
type ReleaseOut struct {
	Actor task.Opt `json:"actor"`
}

// PeekIn asks what next would choose.
type PeekIn struct {
	Project string `query:"project" required:"true"`
	Under   string `query:"under"`
	Apart   bool   `query:"apart"`
}

// NextIn selects and claims the next task.
type NextIn struct {
	Project string `json:"project,omitzero"`
	LeaseMs *int64 `json:"leaseMs,omitzero"`
	Under   string `json:"under,omitzero"`
	Apart   bool   `json:"apart,omitzero"`
	Resume  bool   `json:"resume,omitzero"` // first what the caller holds already, renewed
}

// NextOut is the chosen task and why.
//
//field:json
type NextOut struct {
	Task            *task.Task       `json:"task"`
	Claimed         *task.Claim      `json:"claimed"`
	Skipped         []Skipped        `json:"skipped"`
	SkippedMore     bool             `json:"skippedMore"`
	SelectedBy      []task.SelectKey `json:"selectedBy"`
	Routing         *task.Routing    `json:"routing"`
	SelectionReason task.Opt         `json:"selectionReason"`
	Bundle          *Bundle          `json:"bundle"`
	Idle            *Idle            `json:"idle"`
}

// Skipped is a task that stood ahead of the chosen one.
//
//field:json
type Skipped struct {
	Task   task.ID `json:"task"`
	Reason string  `json:"reason"`
}

// Idle says why there is nothing to choose.
type Idle struct {
	Finished        bool      `json:"finished"`
	Held            int       `json:"held"`
	WaitingForHuman int       `json:"waitingForHuman"`
	Blocked         int       `json:"blocked"`
	NotForYou       int       `json:"notForYou"`
	NextExpiry      task.Time `json:"nextExpiry"`
}

// ReadyIn asks for the ready frontier of a project.
type ReadyIn struct {
	Slug  string `path:"slug"`
	Limit *int   `query:"limit"`
}

// ReadyOut is the head of the frontier, in the caller's order.
//
//field:json
type ReadyOut struct {
	Project    string           `json:"project"`
	SelectedBy []task.SelectKey `json:"selectedBy"`
	Total      int              `json:"total"`
	Tasks      []*task.Task     `json:"tasks"`
}

// EventsIn filters the log.
type EventsIn struct {
	Project  string `query:"project"`
	Task     string `query:"task"`
	Since    string `query:"since"`
	SinceID  *int64 `query:"since_id"`
	BeforeID *int64 `query:"before_id"`
	Kind     string `query:"kind"`
	By       string `query:"by"`
	Limit    *int   `query:"limit"`
}

// DecodeBody reads the plan document; faults that leave it readable are refused by Apply, with all others.
func (in *ApplyIn) DecodeBody(src []byte) (err error) {
	in.Doc, err = plan.Read(src)
	return err
}

// EncodeBody writes the plan document.
func (in ApplyIn) EncodeBody() ([]byte, error) { return in.Doc.Marshal() }

// DecodeBody reads a task definition, which may name its project.
func (in *CreateIn) DecodeBody(src []byte) error {
	project, def, err := plan.DecodeTask(src)
	if err != nil {
		return err
	}
	if project != "" {
		in.Project = project
	}
	in.Def = def
	return nil
}

// EncodeBody writes the task definition.
func (in CreateIn) EncodeBody() ([]byte, error) { return in.Def.Marshal() }

// DecodeBody reads an edit.
func (in *EditIn) DecodeBody(src []byte) (err error) {
	in.Edit, err = plan.DecodeEdit(src)
	return err
}

// EncodeBody writes the edit.
func (in EditIn) EncodeBody() ([]byte, error) { return in.Edit.Marshal() }

// ProjectCreateIn makes an empty project.
type ProjectCreateIn struct {
	Slug, Name, Vision string
}

// ProjectRenameIn gives a project another slug.
type ProjectRenameIn struct {
	Slug, To string
}

// ProjectArchiveIn archives a project, or brings it back.
type ProjectArchiveIn struct {
	Slug    string
	Restore bool
}

// ProjectSetIn changes the db layer: Value is JSON, or a plain text where the key takes one; nil unsets.
type ProjectSetIn struct {
	Slug, Key string
	Value     *string
	From      []byte // a whole configuration file whose policy is carried over instead
}

// SettingsOut is the db layer of a project.
type SettingsOut struct {
	Project  string         `json:"project"`
	Settings map[string]any `json:"settings"`
}

// DoctorIn narrows the recount to a project.
type DoctorIn struct {
	Project string
}

// DoctorOut is what was recounted and what differs.
type DoctorOut struct {
	Healthy  bool           `json:"healthy"`
	Checked  []string       `json:"checked"`
	Findings []task.Finding `json:"findings"`
}
