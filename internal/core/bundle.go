package core

import "tasker/internal/task"

// Bundle is everything a worker needs to know of a task.
type Bundle struct {
	Task         *task.Task       `json:"task"`
	Project      BundleProject    `json:"project"`
	Ancestors    []Brief          `json:"ancestors"` // from the parent up
	Children     []Brief          `json:"children"`
	Deps         []Brief          `json:"deps"`
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
}

// BundleProject is what a bundle tells of the project.
type BundleProject struct {
	Slug   string   `json:"slug"`
	Name   task.Opt `json:"name"`
	Vision task.Opt `json:"vision"`
}

// Brief is a task in one line.
type Brief struct {
	ID     task.ID     `json:"id"`
	Title  string      `json:"title"`
	Status task.Status `json:"status"`
}

// GateState is a gate, what it asks for and what of that is missing.
type GateState struct {
	Name     string   `json:"name"`
	Defined  bool     `json:"defined"`
	Requires []string `json:"requires"`
	Missing  []string `json:"missing"`
}

// ApprovalState is which approvals a task needs, has and misses.
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

// The parts of a bundle that there are no records of yet.
type (
	// Workspace is where the work on a task happens.
	Workspace struct{}
	// Guidance is a tracked text that workers are to follow.
	Guidance struct{}
)

// Budget is how much of the token budget a bundle uses; Used is null without a limit.
type Budget struct {
	Limit   *int     `json:"limit"`
	Used    *int     `json:"used"`
	Omitted []string `json:"omitted"`
}
