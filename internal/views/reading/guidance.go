package reading

import (
	"context"

	"tasker/internal/bundle"
	"tasker/internal/core"
	"tasker/internal/store"
	"tasker/internal/task"
)

// GuidanceIn names a task.
type GuidanceIn struct {
	Task string
}

// GuidanceOut is the guidance of a task, and how it has changed since the task was claimed.
type GuidanceOut struct {
	Task  task.ID             `json:"task"`
	Claim *task.Claim         `json:"claim"` // null if nobody holds the task: then nothing is compared
	Root  string              `json:"root"`  // the directory that the files are in
	Files []bundle.Comparison `json:"files"`
	More  bool                `json:"more"` // there are more files than are compared
}

// Guidance returns the tracked guidance of a task, each file with its hash at the claim and now.
func (s *Service) Guidance(ctx context.Context, in GuidanceIn) (GuidanceOut, error) {
	d, err := core.Read(ctx, s.Env, func(tx *store.Tx) (*bundle.Guided, error) {
		t, p, err := found(ctx, tx, in.Task)
		if err != nil {
			return nil, err
		}
		return bundle.GuidanceOf(s.Env, tx, p, t)
	})
	if err != nil {
		return GuidanceOut{}, err
	}
	out := GuidanceOut{Task: d.Task, Claim: d.Claim}
	out.Root, out.Files, out.More, err = d.Compare(s.Env)
	return out, err
}
