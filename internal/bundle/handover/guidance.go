package handover

import (
	"fmt"
	"slices"
	"strings"

	"tasker/internal/bundle"
	"tasker/internal/core"
	"tasker/internal/fault/hint"
	"tasker/internal/task"
	"tasker/internal/task/drift"
	"tasker/internal/text/words"
)

// maxTold is how many files a warning names.
const maxTold = 10

// guide adds the guidance to a bundle, with how it has changed since the claim.
func (d *Draft) guide(s *core.Env) {
	c := d.settings.Context
	if len(c.Track) == 0 || !guides(s, d.Project.Slug) {
		return
	}
	g := d.guided
	if g != nil && (d.Task.Claim == nil || g.Fence != d.Task.Claim.Fence) {
		g = nil // of an earlier claim
	}
	files, there, more, err := readFor(s, g, c.Track, c.Ignore)
	if err != nil { // this does not stop work on the task
		d.Warnings = append(d.Warnings, "the guidance cannot be looked at: "+err.Error())
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
	if g != nil && g.Root != "" && g.Root != s.Guide.Root() {
		if files, there, more, err = s.Guide.ReadAt(g.Root, track, ignore); there || err != nil {
			return files, there, more, err
		}
		files, more, err = s.Guide.Read(track, ignore)
		return files, false, more, err
	}
	files, more, err = s.Guide.Read(track, ignore)
	return files, true, more, err
}

// guidanceOf returns the files as they are now, by path, including removed ones.
func guidanceOf(files []drift.Fingerprint, drifted []drift.Drift) []bundle.Guidance {
	out := make([]bundle.Guidance, 0, len(files))
	for _, f := range files {
		out = append(out, bundle.Guidance{Path: f.Path, Hash: task.Opt(f.Hash)})
	}
	for _, d := range drifted {
		at, there := slices.BinarySearchFunc(out, d.Path, func(g bundle.Guidance, path string) int { return strings.Compare(g.Path, path) })
		if !there {
			out = slices.Insert(out, at, bundle.Guidance{Path: d.Path})
		}
		out[at].Drift = task.Opt(d.What)
	}
	return out
}

func driftWords(drifted []drift.Drift) string {
	var out []string
	for _, d := range drifted[:min(len(drifted), maxTold)] {
		out = append(out, d.Path+" "+d.What)
	}
	if n := len(drifted) - maxTold; n > 0 {
		out = append(out, fmt.Sprintf("%d more", n))
	}
	return strings.Join(out, ", ")
}

// guides reports whether the project's guidance can be read here.
func guides(s *core.Env, slug string) bool {
	return s.Guide != nil && slug != "" && s.Guide.Project() == slug
}
