package task

// Card is a task on a board: what a board shows and filters by, under the names of the record. Only the record has the
// long fields (body, texts of criteria, lists).
//
//field:json
type Card struct {
	ID             ID       `json:"id" db:"id"`
	Project        string   `json:"project" db:",slug"`
	Key            string   `json:"key" db:"key"`
	Title          string   `json:"title" db:"title"`
	Parent         Opt      `json:"parent" db:"parent,ref"`
	Status         Status   `json:"status" db:"status"`
	Priority       int      `json:"priority" db:"priority"`
	Severity       Severity `json:"severity" db:"severity"`
	Due            Opt      `json:"due" db:"due"`
	Gate           Opt      `json:"gate" db:"gate"`
	Autonomy       Opt      `json:"autonomy" db:"autonomy"`
	PreferredActor Opt      `json:"preferredActor" db:"preferred_actor"`
	Sprint         Opt      `json:"sprint" db:"sprint"`
	Claim          *Claim   `json:"claim" db:""`
	OpenDeps       int      `json:"openDeps" db:"open_deps"`
	OpenChildren   int      `json:"openChildren" db:"open_children"`
	Parts          int      `json:"-" db:"parts"`
	OpenQuestions  int      `json:"openQuestions" db:"questions"` // blocking ones
	Progress       Progress `json:"progress" db:"criteria"`
	Version        int64    `json:"version" db:"version"`
	UpdatedAt      Time     `json:"updatedAt" db:"updated_at"`
	ClosedAt       Time     `json:"closedAt" db:"closed_at"`
}

// CardOf returns the card of a task.
func CardOf(t *Task) Card {
	return Card{
		ID: t.ID, Project: t.Project, Key: t.Key, Title: t.Title, Parent: t.Parent, Status: t.Status, Priority: t.Priority,
		Severity: t.Severity, Due: t.Due, Gate: t.Gate, Autonomy: t.Autonomy, PreferredActor: t.PreferredActor,
		Sprint: t.Sprint, Claim: t.Claim, OpenDeps: t.OpenDeps, OpenChildren: t.OpenChildren, Parts: t.Parts,
		OpenQuestions: t.Questions, Progress: ProgressOf(t.Criteria), Version: t.Version, UpdatedAt: t.UpdatedAt, ClosedAt: t.ClosedAt,
	}
}

// State returns the state of the card's task.
func (c *Card) State() State {
	t := Task{Status: c.Status, Claim: c.Claim, OpenDeps: c.OpenDeps, Parts: c.Parts, Questions: c.OpenQuestions}
	return t.State()
}

// Gist is what an inbox item shows of its task. Unblocks counts the open tasks among the first thousand that depend on
// it directly.
type Gist struct {
	ID       ID     `db:"id"`
	Title    string `db:"title"`
	Status   Status `db:"status"`
	Claim    *Claim `db:""`
	Failures int    `db:"failures"`
	Unblocks int
}
