package core

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"tasker/internal/bundle"
	"tasker/internal/task"
)

// Guide reads the guidance of the project whose repository this process has.
type Guide interface {
	// Project is the slug of that project, empty where there is none.
	Project() string
	// Due tells whether it is time to look for drift again; asking counts as looking.
	Due() bool
	// Read gives the files that the globs of track match and those of ignore do not, by path, a bounded number of
	// them: more tells whether there are others.
	Read(track, ignore []string) (files []task.Fingerprint, more bool, err error)
}

// guide adds the guidance to a bundle, and what became of it since the claim.
func (d *draft) guide(s *Services) error {
	c := d.settings.Context
	if len(c.Track) == 0 || !guides(s, d.Project.Slug) {
		return nil
	}
	files, more, err := s.Guide.Read(c.Track, c.Ignore)
	if err != nil {
		return err
	}
	if more {
		d.Omit("guidance", 0, "tasker config explain context.track")
	}
	var drift []task.Drift
	if g := d.guided; g != nil && d.Task.Claim != nil && g.Fence == d.Task.Claim.Fence {
		drift = task.Drifted(g.Files, files)
	}
	d.Guidance = guidanceOf(files, drift)
	if len(drift) > 0 && c.WarnOnDrift {
		d.Warnings = append(d.Warnings, fmt.Sprintf("the guidance changed since %s claimed it: %s; read it again", d.Task.Claim.Actor, driftWords(drift)))
	}
	return nil
}

// guidanceOf lists files as they are now, by path, those that are gone too.
func guidanceOf(files []task.Fingerprint, drift []task.Drift) []bundle.Guidance {
	out := make([]bundle.Guidance, 0, len(files))
	for _, f := range files {
		out = append(out, bundle.Guidance{Path: f.Path, Hash: task.Opt(f.Hash)})
	}
	for _, d := range drift {
		at, there := slices.BinarySearchFunc(out, d.Path, func(g bundle.Guidance, path string) int { return strings.Compare(g.Path, path) })
		if !there {
			out = slices.Insert(out, at, bundle.Guidance{Path: d.Path})
		}
		out[at].Drift = task.Opt(d.What)
	}
	return out
}

func driftWords(drift []task.Drift) string {
	const most = 10
	var words []string
	for _, d := range drift[:min(len(drift), most)] {
		words = append(words, d.Path+" "+d.What)
	}
	if n := len(drift) - most; n > 0 {
		words = append(words, fmt.Sprintf("%d more", n))
	}
	return strings.Join(words, ", ")
}

// guides tells whether the project's guidance can be read here.
func guides(s *Services, slug string) bool {
	return s.Guide != nil && slug != "" && s.Guide.Project() == slug
}

// prints are the fingerprints of a project's guidance, taken before a turn: files are not read in one.
type prints struct {
	project *task.Project // nil: there are none
	warn    bool          // drift is to be told
	files   []task.Fingerprint
}

// prints takes the fingerprints of the project whose repository is here.
func (s *Services) prints(ctx context.Context) (prints, error) {
	if s.Guide == nil || s.Guide.Project() == "" {
		return prints{}, nil
	}
	p, err := read(ctx, s, func(tx ReadTx) (*task.Project, error) { return tx.Project(s.Guide.Project()) })
	if err != nil {
		return prints{}, nil //nolint:nilerr // a repository whose project is yet to come, or hidden from the caller
	}
	settings, err := s.Settings.Effective(p)
	if err != nil || len(settings.Context.Track) == 0 {
		return prints{}, err
	}
	files, _, err := s.Guide.Read(settings.Context.Track, settings.Context.Ignore)
	return prints{p, settings.Context.WarnOnDrift, files}, err
}

// keep keeps them for a claim that was just made.
func (p prints) keep(tx WriteTx, t *task.Task) error {
	if p.project == nil || p.project.Slug != t.Project {
		return nil
	}
	return tx.SaveGuided(task.Guided{Task: t.ID, Fence: t.Claim.Fence, Files: p.files})
}

// maxGuided is how many held tasks are looked through for drift at once.
const maxGuided = 1000

// untold are the held tasks whose guidance has changed since that was last told.
func (p prints) untold(tx ReadTx) ([]task.Guided, error) {
	held, err := tx.GuidedHeld(p.project.Slug, maxGuided)
	return slices.DeleteFunc(held, func(g task.Guided) bool { return !g.Untold(p.files) }), err
}

// NoticeDrift records, once for each change, that the guidance of held tasks is no longer what it was at their claim.
// Reads only warn of it: writes notice it, and a server by itself.
func (s *Services) NoticeDrift(ctx context.Context) error {
	if s.Guide == nil || !s.Guide.Due() {
		return nil
	}
	now, err := s.prints(ctx)
	if err != nil || now.project == nil || !now.warn {
		return err
	}
	if some, err := read(ctx, s, now.untold); err != nil || len(some) == 0 {
		return err
	}
	by := task.By{Actor: task.Actor{Name: "tasker"}, Via: task.Via{Face: "server"}} // nobody asked for it
	return s.Store.Write(ctx, by, func(tx WriteTx) error {
		some, err := now.untold(tx)
		if err != nil {
			return err
		}
		for _, g := range some {
			if err := now.tell(tx, g); err != nil {
				return err
			}
		}
		return nil
	})
}

// tell records the drift of one task; that a file is again what it was is no drift.
func (p prints) tell(tx WriteTx, g task.Guided) error {
	drift := task.Drifted(g.Files, p.files)
	if g.Told = p.files; len(drift) == 0 {
		g.Told = nil
	}
	if err := tx.SaveGuided(g); err != nil || len(drift) == 0 {
		return err
	}
	return tx.Record(p.project.Slug, g.Task, task.Draft{Kind: task.GuidanceDrifted, Payload: task.Payload{"fence": g.Fence, "files": drift}})
}
