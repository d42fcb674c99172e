package proven

import (
	"slices"
	"strings"

	"tasker/internal/task"
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
	Files []string `json:"files" about:"files that differ; the first five are kept"`
}

// Limits of what comes with a close.
const (
	MaxDiffering = 20  // trees
	MaxFiles     = 5   // that differ from one tree
	MaxTree      = 200 // characters of the name of a tree
)

// Check refuses what no record may have.
func (d Differing) Check() error {
	if err := task.CheckText("the tree", d.Tree, MaxTree); err != nil {
		return err
	}
	if err := task.CheckCount("files", len(d.Files), task.MaxListed); err != nil {
		return err
	}
	for _, file := range d.Files {
		if err := task.CheckText("a file", file, task.MaxItem); err != nil {
			return err
		}
	}
	return nil
}

// Stale is a run on other files than the closing command saw.
type Stale struct {
	Evidence int64    `json:"evidence"`
	Kind     string   `json:"kind"`
	Files    []string `json:"files"` // the first that differ, as far as the command could tell
}

// StaleOn returns the runs whose tree is not the one that the closing command sees. Without a tree nothing is stale, and
// neither is a run outside a repository.
func StaleOn(tree string, differing []Differing, runs []Relied) (out []Stale) {
	for _, r := range runs {
		if tree == "" || r.Run.Tree == "" || string(r.Run.Tree) == tree {
			continue
		}
		s := Stale{Evidence: r.ID, Kind: r.Kind}
		for _, d := range differing {
			if d.Tree == string(r.Run.Tree) {
				s.Files = d.Files[:min(len(d.Files), MaxFiles)]
			}
		}
		out = append(out, s)
	}
	return out
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
