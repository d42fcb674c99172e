// Package bundle is the context bundle of a task, everything a worker needs to know about it, and how a bundle is cut to
// a budget of tokens: the tasks around it, its notes and other annotations, what its gate and approvals require, who worked
// on it before and how far they got, and which guidance has changed since the claim. Compose reads one snapshot; Finish
// then reads files and estimates tokens. What is cut, and in which order, is fixed: see Cut.
package bundle

import (
	"slices"

	"tasker/internal/event/rewind"
	"tasker/internal/hint"
	"tasker/internal/task"
	"tasker/internal/task/proven"
	"tasker/internal/workspace"
)

// Bundle is everything a worker needs to know about a task.
//
//field:json answer
type Bundle struct {
	Task         *task.Task         `json:"task"`
	Project      InProject          `json:"project"`
	Ancestors    []Ancestor         `json:"ancestors"` // from the parent up
	Children     []Brief            `json:"children"`
	Deps         []Dep              `json:"deps"`
	Dependents   []Brief            `json:"dependents"`
	ActOn        *task.Cause        `json:"actOn"` // what it waits for in the end; null if it does not wait, and where it is handed out
	Criteria     []task.Criterion   `json:"criteria"`
	Gate         *GateState         `json:"gate"`
	Approvals    ApprovalState      `json:"approvals"`
	Closable     *Closable          `json:"closable"` // by the reader; null once it is closed, and for the past
	Notes        []task.Note        `json:"notes"`
	Decisions    []task.Decision    `json:"decisions"`
	Questions    []task.Question    `json:"questions"`
	Evidence     []task.Evidence    `json:"evidence"`
	Changed      *task.ChangedPaths `json:"changed"`   // what was changed since the claim; null if nobody recorded it, and before review
	LaterWork    *task.LaterWork    `json:"laterWork"` // done later, on the same files; null if there is none
	FoundOn      *workspace.FoundOn `json:"foundOn"`   // where the run behind a done task was when somebody last looked; null if nobody could tell
	Links        []task.Link        `json:"links"`
	Bindings     []task.Binding     `json:"bindings"`
	Workspace    *Workspace         `json:"workspace"`
	Guidance     []Guidance         `json:"guidance"`
	RecentEvents []task.Event       `json:"recentEvents"`
	Warnings     []string           `json:"warnings"`
	Budget       Budget             `json:"budget"`

	At     *rewind.Was `json:"-"` // the requested moment; nil: now
	Moment string      `json:"-"` // the warning that names it
}

// Closable says whether the reader could close the task now, and what is missing, as the refusal lists it.
//
//field:json
type Closable struct {
	Yes     bool     `json:"yes"`
	Missing []string `json:"missing"`

	// How says how its holder ends the task once the work is done, and is null for anybody else.
	How hint.Advice `json:"how"`

	Brief []string `json:"-"` // what is missing, with criteria by their number alone: their text stands with the task
	New   bool     `json:"-"` // the rest of the bundle does not show all of it
}

// InProject is what a bundle says about the project.
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

// BriefOf returns the task as other tasks refer to it.
func BriefOf(t *task.Task) Brief { return Brief{ID: t.ID, Title: t.Title, Status: t.Status} }

// Dep is a task that another one waits for, in one line, with how it ended.
//
//field:json
type Dep struct {
	ID      task.ID     `json:"id"`
	Title   string      `json:"title"`
	Status  task.Status `json:"status"`
	Outcome task.Opt    `json:"outcome"` // how it was closed, the last note and the decisions, one line each; null while it is open
}

// Ancestor is a parent, or a parent's parent, with what it says about the whole.
type Ancestor struct {
	ID     task.ID     `json:"id"`
	Title  string      `json:"title"`
	Status task.Status `json:"status"`
	Body   task.Opt    `json:"body"`
}

// GateState is the task's gate, what it requires and what of that is missing.
type GateState struct {
	Name     string   `json:"name"`
	Defined  bool     `json:"defined"`
	Requires []string `json:"requires"`
	Missing  []string `json:"missing"`
	Run      task.Opt `json:"run"` // the command that runs what is missing, where that can be run

	// Why names the commands whose runs do not count for an agent's close, each with the reason. A person reads the same.
	Why []task.Discounted `json:"why"`
	Met []proven.Met      `json:"met"` // the runs that do count
}

// Lacks returns the kinds that are missing, each with the reason why no run of it counts.
func (g *GateState) Lacks() []string {
	out := make([]string, len(g.Missing))
	for i, kind := range g.Missing {
		out[i] = kind
		for _, d := range g.Why {
			if d.Kind == kind {
				out[i] = d.String()
			}
		}
	}
	return out
}

// Discounted returns the runs that meet the gate for the reader, who is a person, and would not count for an agent's close.
func (g *GateState) Discounted() []string {
	var out []string
	for _, d := range g.Why {
		if !slices.Contains(g.Missing, d.Kind) {
			out = append(out, d.String())
		}
	}
	return out
}

// ApprovalState says which approvals a task needs, has and lacks.
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

// Workspace is where the work on a task happens. What it says about the work tree is what the last command on its machine
// saw, and null if no command has looked.
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

// Commits says where the commits are that the base did not have: on the base by now, pushed, or only in the workspace. It
// is "" if there are none or nobody has looked.
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

// Guidance is a tracked file that workers should follow, as it is now. Drift says how it has changed since the claim:
// changed, added or removed; null if it has not changed, or if nobody holds the task.
type Guidance struct {
	Path  string   `json:"path"`
	Hash  task.Opt `json:"hash"` // of its content; null if it is gone or cannot be read
	Drift task.Opt `json:"drift"`
}

// Budget is how much of a token budget a bundle uses. Used is how many o200k tokens the bundle's JSON takes at most
// without this part, by an estimate with a margin. It is null without a limit, because then nothing is counted.
//
//field:json
type Budget struct {
	Limit   *int      `json:"limit"`
	Used    *int      `json:"used"`
	Omitted []Omitted `json:"omitted"`
}

// Omitted says what was left out of one part, and which command fetches it.
type Omitted struct {
	Part    string     `json:"part"`
	Items   *int       `json:"items"`  // how many; null if there are too many to count
	Tokens  *int       `json:"tokens"` // about; null if they were not read at all
	Command hint.Fetch `json:"command"`
}

// Omit records what a limit other than the budget left out of a part. Items is 0 if they were not counted.
func (b *Bundle) Omit(part string, items int, fetch hint.Call) {
	o := Omitted{Part: part, Command: hint.Fetch(fetch)}
	if items > 0 {
		o.Items = &items
	}
	b.Budget.Omitted = append(b.Budget.Omitted, o)
}
