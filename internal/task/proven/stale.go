package proven

import (
	"slices"
	"strings"

	"tasker/internal/task"
	"tasker/internal/text/words"
)

// Relied is a run that the close of a task rests on.
type Relied struct {
	task.Evidence
	Run Run
}

// ReliedOn returns the runs that the close of a task rests on: the newest of each kind, and those that ticks name. Items
// are oldest first. A run that is not the newest of its kind was run again; a kind whose newest item was typed has none.
func ReliedOn(items []task.Evidence, criteria []task.Criterion) (out []Relied) {
	newest := map[string]int{}
	for i := range items {
		newest[items[i].Kind] = i
	}
	for i, e := range items {
		named := slices.ContainsFunc(criteria, func(c task.Criterion) bool { return c.Checked && int64(c.By) == e.ID })
		if newest[e.Kind] != i && !named {
			continue
		}
		if r, ok := Parse(e.Value); ok && r.ExitCode == 0 {
			out = append(out, Relied{e, r})
		}
	}
	return out
}

// Differing is what differs between the tree of a run and the tree that the closing command sees.
type Differing struct {
	Tree  string   `json:"tree" about:"the tree of the run"`
	Files []string `json:"files" about:"the files that differ; null where nobody can name them"`
}

// Limits of what comes with a close.
const (
	MaxDiffering = 20  // trees
	MaxDiffers   = 500 // files that differ from one tree
	MaxFiles     = 5   // of them that are named
	MaxTree      = 200 // characters of the name of a tree
)

// Check refuses what no record may have.
func (d Differing) Check() error {
	if err := task.CheckText("the tree", d.Tree, MaxTree); err != nil {
		return err
	}
	if err := task.CheckCount("files", len(d.Files), MaxDiffers); err != nil {
		return err
	}
	for _, file := range d.Files {
		if err := task.CheckText("a file", file, task.MaxItem); err != nil {
			return err
		}
	}
	return nil
}

// Sight is what a closing command sees: the tree of the files, what differs between it and the trees of runs, and which files
// are the task's own, whose change makes a run stale. Without a tree nothing is stale.
type Sight struct {
	Tree    string
	Differs []Differing
	Own     func(file string) bool // nil: all are
	// Shared is who else works on the same files where the task has none of its own: nothing is stale then. See task.SharedBy.
	Shared []string
}

// Stale reports whether a run was made on other files of the task's own, and which, as far as somebody can name them. A run
// outside a repository is not.
func (s Sight) Stale(r Run) (files []string, stale bool) {
	if len(s.Shared) > 0 {
		return nil, false
	}
	return s.differing(r)
}

// Unjudged says that staleness was not judged, because others work on the same files, and who; "" where it was, or where all
// runs were made on the very files that the command sees.
func (s Sight) Unjudged(runs []Relied) string {
	if len(s.Shared) == 0 || !slices.ContainsFunc(runs, func(r Relied) bool { _, differs := s.differing(r.Run); return differs }) {
		return ""
	}
	return "whether its runs are stale was not judged: the task has no touches, and its checkout is shared with " +
		words.Some(s.Shared[:min(len(s.Shared), maxSharers)], len(s.Shared))
}

// maxSharers is how many of those who share a checkout are named.
const maxSharers = 3

// differing returns what Stale returns where nobody shares the files.
func (s Sight) differing(r Run) (files []string, differs bool) {
	if s.Tree == "" || r.Tree == "" || string(r.Tree) == s.Tree {
		return nil, false
	}
	for _, d := range s.Differs {
		if d.Tree != string(r.Tree) || d.Files == nil {
			continue
		}
		for _, file := range d.Files {
			if s.Own == nil || s.Own(file) {
				files = append(files, file)
			}
		}
		return files, len(files) > 0
	}
	return nil, true
}

// Stale is a run on other files than the closing command saw.
type Stale struct {
	Evidence int64    `json:"evidence"`
	Kind     string   `json:"kind"`
	Files    []string `json:"files"` // the first of the task's own that differ, as far as the command could tell
}

// StaleOn returns the runs that are stale for a command that sees this.
func StaleOn(sight Sight, runs []Relied) (out []Stale) {
	for _, r := range runs {
		if files, stale := sight.Stale(r.Run); stale {
			out = append(out, Stale{Evidence: r.ID, Kind: r.Kind, Files: files[:min(len(files), MaxFiles)]})
		}
	}
	return out
}

// StaleWords says that a run is stale, as a reason why it does not count, with the first of the files that differ.
func StaleWords(files []string) string {
	if len(files) == 0 {
		return "stale: its files changed since"
	}
	return "stale: " + words.Some(files[:min(len(files), MaxFiles)], len(files)) + " changed since"
}

// Words says that a run is stale, and which files differ.
func (s Stale) Words() string {
	return "evidence " + s.Kind + " is stale, its files have changed since" + s.names()
}

// Then says what Words says, about a task that was closed.
func (s Stale) Then() string {
	return "evidence " + s.Kind + " was stale at the close, its files had changed since" + s.names()
}

func (s Stale) names() string {
	if len(s.Files) == 0 {
		return ""
	}
	return ": " + strings.Join(s.Files, ", ")
}
