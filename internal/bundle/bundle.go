// Package bundle is the context bundle of a task, everything a worker needs to know of it, and how one is cut to a
// budget of tokens. What is cut, and in which order, is fixed: see Cut.
package bundle

import (
	"tasker/internal/asof/rewind"
	"tasker/internal/fault/hint"
	"tasker/internal/task"
)

// Bundle is everything a worker needs to know of a task.
//
//field:json answer
type Bundle struct {
	Task         *task.Task       `json:"task"`
	Project      InProject        `json:"project"`
	Ancestors    []Ancestor       `json:"ancestors"` // from the parent up
	Children     []Brief          `json:"children"`
	Deps         []Dep            `json:"deps"`
	Dependents   []Brief          `json:"dependents"`
	Criteria     []task.Criterion `json:"criteria"`
	Gate         *GateState       `json:"gate"`
	Approvals    ApprovalState    `json:"approvals"`
	Notes        []task.Note      `json:"notes"`
	Decisions    []task.Decision  `json:"decisions"`
	Questions    []task.Question  `json:"questions"`
	Evidence     []task.Evidence  `json:"evidence"`
	Links        []task.Link      `json:"links"`
	Bindings     []task.Binding   `json:"bindings"`
	Workspace    *Workspace       `json:"workspace"`
	Guidance     []Guidance       `json:"guidance"`
	RecentEvents []task.Event     `json:"recentEvents"`
	Warnings     []string         `json:"warnings"`
	Budget       Budget           `json:"budget"`

	At *rewind.Was `json:"-"` // the moment that was asked for, which a warning tells; nil: now
}

// InProject is what a bundle tells of the project.
//
//field:json
type InProject struct {
	Slug   string   `json:"slug"`
	Name   task.Opt `json:"name"`
	Vision task.Opt `json:"vision"`
}

// Brief is a task in one line.
//
//field:json
type Brief struct {
	ID     task.ID     `json:"id"`
	Title  string      `json:"title"`
	Status task.Status `json:"status"`
}

// Dep is a task that another waits for, in one line, with how it ended.
//
//field:json
type Dep struct {
	ID      task.ID     `json:"id"`
	Title   string      `json:"title"`
	Status  task.Status `json:"status"`
	Outcome task.Opt    `json:"outcome"` // how it was closed, what was said last, and what was decided, a line each; null while it is open
}

// Ancestor is a task above, with what it says of the whole.
type Ancestor struct {
	ID     task.ID     `json:"id"`
	Title  string      `json:"title"`
	Status task.Status `json:"status"`
	Body   task.Opt    `json:"body"`
}

// GateState is the task's gate, what it asks for and what of that is missing.
type GateState struct {
	Name     string   `json:"name"`
	Defined  bool     `json:"defined"`
	Requires []string `json:"requires"`
	Missing  []string `json:"missing"`
}

// ApprovalState is which approvals a task needs, has and misses.
//
//field:json
type ApprovalState struct {
	Required []Need          `json:"required"`
	Given    []task.Approval `json:"given"`
	Missing  []Need          `json:"missing"`
}

// Need is one required approval.
type Need struct {
	Kind   string   `json:"kind"`
	Role   task.Opt `json:"role"`
	Actor  task.Opt `json:"actor"`
	Reason task.Opt `json:"reason"`
}

// Workspace is where the work on a task happens. What its work tree holds is as the last command on its machine saw it;
// null where none looked.
type Workspace struct {
	Path      string    `json:"path"`
	Host      string    `json:"host"`
	Branch    task.Opt  `json:"branch"`
	Base      task.Opt  `json:"base"`
	Ports     []int     `json:"ports"`
	State     string    `json:"state"` // opening, open, closing, abandoned
	OpenedAt  task.Time `json:"openedAt"`
	Dirty     *bool     `json:"dirty"`
	Ahead     *int      `json:"ahead"`
	Behind    *int      `json:"behind"`
	Landed    *bool     `json:"landed"`
	Pushed    *bool     `json:"pushed"`
	CheckedAt task.Time `json:"checkedAt"`
}

// Commits says where the commits are that the base did not have: on the base by now, pushed, or in the workspace only; ""
// where there are none or nobody looked.
func (w *Workspace) Commits() string {
	switch {
	case w.Ahead == nil || *w.Ahead == 0 || w.Base == "":
		return ""
	case *w.Landed:
		return "on the base"
	case w.Pushed != nil && *w.Pushed:
		return "pushed"
	}
	return "in the workspace only"
}

// Guidance is a tracked file that workers are to follow, as it is now. Drift says what became of it since the claim:
// changed, added or removed; null where nothing did, or nobody holds the task.
type Guidance struct {
	Path  string   `json:"path"`
	Hash  task.Opt `json:"hash"` // of its content; null where it is gone or cannot be read
	Drift task.Opt `json:"drift"`
}

// Budget is how much of a token budget a bundle uses. Used counts the o200k tokens of the bundle's JSON without this
// part; it is null without a limit, for nothing is counted then.
//
//field:json
type Budget struct {
	Limit   *int      `json:"limit"`
	Used    *int      `json:"used"`
	Omitted []Omitted `json:"omitted"`
}

// Omitted is what was left out of one part, and the command that fetches it.
type Omitted struct {
	Part    string     `json:"part"`
	Items   *int       `json:"items"`  // how many; null where there are more than anybody counted
	Tokens  *int       `json:"tokens"` // what they would take, about that where they are long; null for what was not read at all
	Command hint.Fetch `json:"command"`
}

// Omit names what a bound of its own left out of a part, before any budget; items 0 is not counted.
func (b *Bundle) Omit(part string, items int, fetch hint.Call) {
	o := Omitted{Part: part, Command: hint.Fetch(fetch)}
	if items > 0 {
		o.Items = &items
	}
	b.Budget.Omitted = append(b.Budget.Omitted, o)
}
