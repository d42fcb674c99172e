package task

import "tasker/internal/jsonout"

// Card is a task on a board: what is shown of it there and what boards are narrowed by, under the names that it has in
// the record. What is long (the body, the criteria's texts, lists) is in the record alone.
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
	OpenQuestions  int      `json:"openQuestions" db:"questions"` // blocking ones
	Progress       Progress `json:"progress" db:"criteria"`
	Version        int64    `json:"version" db:"version"`
	UpdatedAt      Time     `json:"updatedAt" db:"updated_at"`
	ClosedAt       Time     `json:"closedAt" db:"closed_at"`
}

// CardOf makes a card of a task.
func CardOf(t *Task) Card {
	return Card{
		ID: t.ID, Project: t.Project, Key: t.Key, Title: t.Title, Parent: t.Parent, Status: t.Status, Priority: t.Priority,
		Severity: t.Severity, Due: t.Due, Gate: t.Gate, Autonomy: t.Autonomy, PreferredActor: t.PreferredActor,
		Sprint: t.Sprint, Claim: t.Claim, OpenDeps: t.OpenDeps, OpenChildren: t.OpenChildren,
		OpenQuestions: t.Questions, Progress: ProgressOf(t.Criteria), Version: t.Version,
		UpdatedAt: t.UpdatedAt, ClosedAt: t.ClosedAt,
	}
}

// Members writes the members of the card.
func (c *Card) Members(o *jsonout.Object) {
	o.Text("id", string(c.ID))
	o.Text("project", c.Project)
	o.Text("key", c.Key)
	o.Text("title", c.Title)
	o.Opt("parent", string(c.Parent))
	o.Text("status", string(c.Status))
	o.Int("priority", int64(c.Priority))
	writeSeverity(o, c.Severity)
	if c.Due == "" && c.Gate == "" && c.Autonomy == "" && c.PreferredActor == "" && c.Sprint == "" && c.Claim == nil {
		o.Literal(`"due":null,"gate":null,"autonomy":null,"preferredActor":null,"sprint":null,"claim":null`)
	} else {
		o.Opt("due", string(c.Due))
		o.Opt("gate", string(c.Gate))
		o.Opt("autonomy", string(c.Autonomy))
		o.Opt("preferredActor", string(c.PreferredActor))
		o.Opt("sprint", string(c.Sprint))
		writeClaim(o, c.Claim)
	}
	o.Int("openDeps", int64(c.OpenDeps))
	o.Int("openChildren", int64(c.OpenChildren))
	o.Int("openQuestions", int64(c.OpenQuestions))
	o.Record("progress", &c.Progress)
	o.Int("version", c.Version)
	WriteTime(o, "updatedAt", c.UpdatedAt)
	WriteTime(o, "closedAt", c.ClosedAt)
}

// Members writes the members of the count.
func (p *Progress) Members(o *jsonout.Object) {
	o.Int("checked", int64(p.Checked))
	o.Int("total", int64(p.Total))
}
