package handover

import (
	"cmp"
	"slices"

	"tasker/internal/core"
	"tasker/internal/fault"
	"tasker/internal/fault/hint"
	"tasker/internal/store"
	"tasker/internal/task"
	"tasker/internal/task/drift"
)

// Comparison is a file of guidance as it was at the claim and as it is now.
type Comparison struct {
	Path  string   `json:"path"`
	Drift task.Opt `json:"drift"` // changed, added or removed; null if it is unchanged
	Then  task.Opt `json:"then"`  // the hash of its content at the claim
	Now   task.Opt `json:"now"`
}

// Guided is a task with the guidance that was fingerprinted when it was claimed.
type Guided struct {
	Task  task.ID
	Claim *task.Claim // nil if nobody holds it

	track, ignore []string
	then          *drift.Guided // nil if nothing was fingerprinted
}

// GuidanceOf reads what the guidance of a task was when it was claimed.
func GuidanceOf(s *core.Env, tx *store.Tx, p *task.Project, t *task.Task) (*Guided, error) {
	settings, err := s.Settings.Effective(p)
	if err != nil {
		return nil, err
	}
	c := settings.Context
	switch {
	case len(c.Track) == 0:
		return nil, fault.Decline("%s tracks no guidance", p.Slug).WithHint("name files in context.track: %s", hint.Command("config explain context.track"))
	case !guides(s, p.Slug):
		return nil, fault.Decline("the guidance of %s is in its repository, and this is not it", p.Slug).WithHint("ask there")
	}
	g := &Guided{Task: t.ID, track: c.Track, ignore: c.Ignore}
	if !t.Claim.Live(tx.Now()) {
		return g, nil
	}
	g.Claim = t.Claim
	then, err := tx.Guided(t.ID)
	if err == nil && then != nil && then.Fence == t.Claim.Fence {
		g.then = then
	}
	return g, err
}

// Compare reads the files as they are now and compares them with what they were. root is the directory they are in.
func (g *Guided) Compare(s *core.Env) (root string, out []Comparison, more bool, err error) {
	files, there, more, err := readFor(s, g.then, g.track, g.ignore)
	if err != nil {
		return "", nil, false, err
	}
	out = make([]Comparison, 0, len(files))
	for _, f := range files {
		out = append(out, Comparison{Path: f.Path, Now: task.Opt(f.Hash)})
	}
	if root = s.Guide.Root(); g.then == nil || !there {
		return root, out, more, nil
	}
	root = cmp.Or(g.then.Root, root)
	at := func(path string) (int, bool) {
		return slices.BinarySearchFunc(out, path, func(c Comparison, path string) int { return cmp.Compare(c.Path, path) })
	}
	for _, f := range g.then.Files {
		i, known := at(f.Path)
		if !known {
			out = slices.Insert(out, i, Comparison{Path: f.Path})
		}
		out[i].Then = task.Opt(f.Hash)
	}
	for _, d := range drift.Drifted(g.then.Files, files) {
		if i, known := at(d.Path); known {
			out[i].Drift = task.Opt(d.What)
		}
	}
	return root, out, more, nil
}
