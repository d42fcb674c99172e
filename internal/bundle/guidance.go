package bundle

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"tasker/internal/core"
	"tasker/internal/fault"
	"tasker/internal/hint"
	"tasker/internal/store"
	"tasker/internal/task"
	"tasker/internal/task/drift"
	"tasker/internal/text/words"
)

// maxTold is how many files a warning names.
const maxTold = 10

// guide adds the tracked guidance to a bundle, with how it has changed since the claim.
func (d *Draft) guide(s *core.Env) {
	c := d.settings.Context
	if !guides(s, d.Project.Slug) {
		return
	}
	g := d.guided
	if g != nil && (d.Task.Claim == nil || g.Fence != d.Task.Claim.Fence) {
		g = nil // of an earlier claim
	}
	files, there, more, err := readFor(s, g, c.Track, c.Ignore)
	if err != nil { // this does not stop work on the task
		d.Warnings = append(d.Warnings, "the guidance cannot be read: "+err.Error())
		return
	}
	if more {
		d.Omit("guidance", 0, hint.Command("config explain context.track"))
	}
	if shut := drift.Unread(files); len(shut) > 0 {
		d.Warnings = append(d.Warnings, "guidance that cannot be read here: "+words.Some(shut, len(shut))+"; it is not known whether it changed")
	}
	var drifted []drift.Drift
	if g != nil && there {
		drifted = drift.Drifted(g.Files, files)
	}
	d.Guidance = guidanceOf(files, drifted)
	if len(drifted) > 0 && c.WarnOnDrift {
		d.Warnings = append(d.Warnings, fmt.Sprintf("the guidance changed since %s claimed it: %s; read it again", d.Task.Claim.Actor, driftWords(drifted)))
	}
}

// readFor reads the guidance where a task was claimed or its workspace was opened. there reports whether that is on this
// machine; if not, the guidance of the repository is read.
func readFor(s *core.Env, g *drift.Guided, track, ignore []string) (files []drift.Fingerprint, there, more bool, err error) {
	root := s.Guide.Root()
	if g != nil && g.Root != "" && g.Root != root {
		if files, there, more, err = s.Guide.Read(g.Root, track, ignore); there || err != nil {
			return files, there, more, err
		}
		files, _, more, err = s.Guide.Read(root, track, ignore)
		return files, false, more, err
	}
	files, _, more, err = s.Guide.Read(root, track, ignore)
	return files, true, more, err
}

// guidanceOf returns the files as they are now, by path, including removed ones.
func guidanceOf(files []drift.Fingerprint, drifted []drift.Drift) []Guidance {
	out := make([]Guidance, 0, len(files))
	for _, f := range files {
		out = append(out, Guidance{Path: f.Path, Hash: task.Opt(f.Hash)})
	}
	for _, d := range drifted {
		at, there := slices.BinarySearchFunc(out, d.Path, func(g Guidance, path string) int { return strings.Compare(g.Path, path) })
		if !there {
			out = slices.Insert(out, at, Guidance{Path: d.Path})
		}
		out[at].Drift = task.Opt(d.What)
	}
	return out
}

func driftWords(drifted []drift.Drift) string {
	out := words.Each(drifted[:min(len(drifted), maxTold)], func(d drift.Drift) string { return d.Path + " " + d.What })
	if n := len(drifted) - maxTold; n > 0 {
		out = append(out, fmt.Sprintf("%d more", n))
	}
	return strings.Join(out, ", ")
}

// guides reports whether the project's guidance can be read here.
func guides(s *core.Env, slug string) bool {
	return slug != "" && s.Guide.Project() == slug
}

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
		return nil, fault.Decline("the guidance of %s is in its repository, and this is not it", p.Slug).WithHint("ask again in that repository")
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
		i, _ := at(d.Path) // it is a file of then or of now
		out[i].Drift = task.Opt(d.What)
	}
	return root, out, more, nil
}
