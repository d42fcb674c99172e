package reading

import (
	"context"
	"slices"

	"tasker/internal/core"
	"tasker/internal/task"
)

// SyncOut is the state of a project's links to other systems.
type SyncOut struct {
	Project string     `json:"project"`
	Links   []SyncLink `json:"links"`
	Loop    *SyncLoop  `json:"loop"` // null if none runs
}

// SyncLink is one link: an issue tracker or a code host.
type SyncLink struct {
	System        string    `json:"system"`
	Declared      bool      `json:"declared"`
	URL           task.Opt  `json:"url"`
	Auth          string    `json:"auth"`
	LastPull      task.Time `json:"lastPull"`
	StaleMs       *int64    `json:"staleMs"`
	PendingWrites int       `json:"pendingWrites"`
	FailedWrites  int       `json:"failedWrites"`
	Conflicts     int       `json:"conflicts"`
	Error         task.Opt  `json:"error"`
}

// SyncLoop is the background reconciliation.
type SyncLoop struct {
	EveryMs int64     `json:"everyMs"`
	LastRun task.Time `json:"lastRun"`
	Error   task.Opt  `json:"error"`
}

// OwnershipOut is which system owns which field of a project's tasks.
type OwnershipOut struct {
	Project string  `json:"project"`
	Preset  string  `json:"preset"`
	Fields  []Owned `json:"fields"`
}

// Owned is one field and its owner, local or tracker.
type Owned struct {
	Field string `json:"field"`
	Owner string `json:"owner"`
	Why   string `json:"why"`
}

// ConflictsOut is where two systems disagree.
type ConflictsOut struct {
	Project string     `json:"project"`
	Total   int        `json:"total"`
	Items   []Conflict `json:"items"`
}

// Conflict is one field on which two systems disagree, and what can be done about it.
type Conflict struct {
	ID          int64        `json:"id"`
	Task        task.ID      `json:"task"`
	Field       string       `json:"field"`
	Ours        any          `json:"ours"`
	Theirs      any          `json:"theirs"`
	Base        any          `json:"base"`
	Since       task.Time    `json:"since"`
	Resolutions []Resolution `json:"resolutions"`
}

// Resolution is one way to settle a conflict.
type Resolution struct {
	Name   string `json:"name"`
	Effect string `json:"effect"`
}

// fields are the fields that can be owned: these, and whatever else can be set.
var fields = owned(
	"title", "body", "severity", "due", "sprint", "rank", "priority", "status", "criteria", "deps", "parent", "gate",
	"autonomy", "preferredActor", "mayExecute", "touches", "links", "evidence",
)

func owned(names ...string) []string {
	for _, name := range task.Settable {
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// Sync returns the state of a project's links. No project has one yet, so the answer is empty.
func (s *Service) Sync(ctx context.Context, in core.ProjectIn) (SyncOut, error) {
	return within(ctx, s.Env, in.Slug, nil, func(sc scene) (SyncOut, error) { return SyncOut{Project: sc.Project.Slug}, nil })
}

// Ownership returns which system owns which field. Without a link all of them are local.
func (s *Service) Ownership(ctx context.Context, in core.ProjectIn) (OwnershipOut, error) {
	return within(ctx, s.Env, in.Slug, nil, func(sc scene) (OwnershipOut, error) {
		out := OwnershipOut{Project: sc.Project.Slug, Preset: "local"}
		for _, f := range fields {
			out.Fields = append(out.Fields, Owned{Field: f, Owner: "local", Why: "the preset local: the project is linked to no tracker"})
		}
		return out, nil
	})
}

// Conflicts returns where systems disagree. Without a link they never do.
func (s *Service) Conflicts(ctx context.Context, in core.ProjectIn) (ConflictsOut, error) {
	return within(ctx, s.Env, in.Slug, nil, func(sc scene) (ConflictsOut, error) { return ConflictsOut{Project: sc.Project.Slug}, nil })
}
