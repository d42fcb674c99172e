package frame

import (
	"context"
	"path/filepath"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"tasker/internal/bundle"
	"tasker/internal/glob"
	"tasker/internal/task"
	"tasker/internal/task/proven"
	"tasker/internal/text/words"
)

// sightPatience is how long git may take to compare trees: prove and close must answer, however large the repository.
const sightPatience = 5 * time.Second

// maxCompared is how many files that differ are looked at, before those that are named first are chosen.
const maxCompared = 20_000

// Judged returns the runs that a task's close rests on, and those that meet its gate.
func Judged(b *bundle.Bundle) []proven.Relied {
	runs := proven.ReliedOn(b.Evidence, b.Criteria)
	if b.Gate != nil {
		for _, m := range b.Gate.Met {
			if slices.ContainsFunc(runs, func(r proven.Relied) bool { return r.ID == m.Evidence }) {
				continue
			}
			if i := slices.IndexFunc(b.Evidence, func(e task.Evidence) bool { return e.ID == m.Evidence }); i >= 0 {
				if r, ok := proven.Parse(b.Evidence[i].Value); ok {
					runs = append(runs, proven.Relied{Evidence: b.Evidence[i], Run: r})
				}
			}
		}
	}
	return runs
}

// Sight returns what the work tree around a directory holds, next to the trees that runs of a task were made on: the files
// that differ, the task's own first. Without runs, which costs no git process, outside a repository, and where git does not
// answer in time it holds nothing, and no run is stale.
func (f *Factory) Sight(ctx context.Context, dir string, b *bundle.Bundle, runs []proven.Relied) proven.Sight {
	var trees []string
	var first []proven.Relied // of each tree
	for _, r := range runs {
		if r.Run.Tree != "" && !slices.Contains(trees, string(r.Run.Tree)) && len(trees) < proven.MaxDiffering {
			trees, first = append(trees, string(r.Run.Tree)), append(first, r)
		}
	}
	if len(runs) == 0 {
		return proven.Sight{}
	}
	out := proven.Sight{Own: glob.Covering(ctx, b.Task.Touches)} // asked later, too: not with the deadline of git
	ctx, stop := context.WithTimeout(ctx, sightPatience)
	defer stop()
	repo, err := f.Wiring.Repository(ctx, dir)
	if err != nil || repo == nil {
		return proven.Sight{}
	}
	tree, differ, err := repo.Compare(ctx, trees, maxCompared)
	if err != nil {
		return proven.Sight{}
	}
	out.Tree = tree
	for i, r := range first {
		if trees[i] == tree {
			continue
		}
		files, known := differ[trees[i]]
		if !known { // its files were never committed: what was changed since it began
			files, err = repo.Changed(ctx, r.At.Add(-r.Run.DurationMs).Go(), maxCompared)
			known = err == nil && len(files) > 0 // without names it is stale all the same
		}
		d := proven.Differing{Tree: trees[i]}
		if known {
			d.Files = telling(files, out.Own, f.Database(), repo.Root())
		}
		out.Differs = append(out.Differs, d)
	}
	return out
}

// telling returns the files that a close sends, the task's own first; not those of our database, which every command changes.
func telling(files []string, own func(string) bool, database, root string) []string {
	out, others := []string{}, []string(nil)
	for _, file := range files {
		switch {
		case besides(database, filepath.Join(root, file)):
		case own != nil && !own(file):
			others = append(others, file)
		default:
			out = append(out, file)
		}
	}
	out = append(out, others...)
	out = out[:min(len(out), proven.MaxDiffers)]
	for i, file := range out {
		if file = strings.ToValidUTF8(file, "\ufffd"); utf8.RuneCountInString(file) > task.MaxPath { // no record has such a name
			file = words.Cut(file, task.MaxPath)
		}
		out[i] = file
	}
	return out
}

// besides reports whether a file is the database or one of its neighbours.
func besides(database, file string) bool {
	rest, ok := strings.CutPrefix(file, database)
	return ok && database != "" && !strings.ContainsRune(rest, filepath.Separator)
}
