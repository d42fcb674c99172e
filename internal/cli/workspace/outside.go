package workspace

import (
	"cmp"
	"context"
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"tasker/internal/cli/frame"
	"tasker/internal/fault"
	"tasker/internal/glob"
	"tasker/internal/op"
	"tasker/internal/task"
	"tasker/internal/text/words"
	"tasker/internal/views/reading"
)

// The bounds of a check for changed files.
const (
	maxChanged   = 1000    // files
	matchSteps   = 200_000 // of matching them against globs
	namedOutside = 5       // files that a warning names

	outsidePatience = 5 * time.Second // for git: prove and close must answer, however large the repository
)

// Outside warns of files that changed since a task was claimed and that its touches, by which others plan, do not cover.
// It says nothing if the task names no paths, or outside a repository; with once, it also leaves out files that it already
// named during the same claim. It returns the files with the warning. known is what the command found out before; may be
// nil.
func Outside(ctx context.Context, f *frame.Factory, t *task.Task, once bool, known *Changes) (files, warnings []string) {
	files, said, since := strayed(ctx, f, t, known)
	if len(files) > 0 && !(named(f, t, since, files) && once) {
		said = append([]string{fmt.Sprintf("%s outside its touches (%s): %s", words.Count(len(files), "file was changed", "files were changed"),
			strings.Join(t.Touches, ", "), words.Some(files[:min(len(files), namedOutside)], len(files)))}, said...)
	}
	return files, said
}

// strayed returns the files that Outside warns of, what kept it from looking at all of them, and when the claim was made.
func strayed(ctx context.Context, f *frame.Factory, t *task.Task, known *Changes) (files, unread []string, since task.Time) {
	var err error
	if len(t.Touches) == 0 {
		return nil, nil, 0
	}
	if known == nil {
		if known, err = changes(ctx, f, string(t.ID)); err != nil {
			return nil, []string{"what was changed outside its touches was not looked at: " + fault.Of(err).Message}, 0
		}
		if known == nil {
			return nil, nil, 0
		}
	}
	files, unread = uncovered(ctx, t, known.Files)
	return files, unread, known.since
}

// uncovered returns the changed files that the touches of a task do not cover, and what kept it from comparing all of them.
func uncovered(ctx context.Context, t *task.Task, changed []string) (files, unread []string) {
	whole := len(changed) <= maxChanged
	changed = changed[:min(len(changed), maxChanged)]
	covered, budget := glob.New(t.Touches), glob.NewBudget(matchSteps)
	for _, file := range changed {
		ok := budget.Covers(ctx, covered, file)
		if budget.Spent() || ctx.Err() != nil {
			whole = false
			break
		}
		if !ok && !ours(file) {
			files = append(files, file)
		}
	}
	if !whole {
		unread = append(unread, "not every changed file was compared with its touches: there are too many, or their globs are too complex")
	}
	return files, unread
}

// ours reports whether a file belongs to tasker.
func ours(file string) bool {
	return strings.HasPrefix(file, ".tasker") || strings.HasPrefix(file, ".worktrees/")
}

// claimedAt returns when the task was last claimed, or 0 if the newest entries of its log do not say.
func claimedAt(ctx context.Context, f *frame.Factory, t *task.Task) (task.Time, error) {
	if t.Claim != nil {
		return t.Claim.ClaimedAt, nil
	}
	events, err := frame.Call(ctx, f, op.Events, reading.EventsIn{Task: string(t.ID), Kind: string(task.TaskClaimed), Limit: new(1)})
	if err != nil || len(events) == 0 {
		return 0, err
	}
	return events[len(events)-1].At, nil
}

// maxNamed is how many warnings are remembered; older ones are forgotten, and given again.
const maxNamed = 500

// named reports whether these files were already named during this claim, and remembers that they are now. It remembers
// only on this machine, where the files are. If it cannot, it reports false.
func named(f *frame.Factory, t *task.Task, claimed task.Time, files []string) bool {
	what := append([]string{cmp.Or(f.ServerURL(), f.Database()), string(t.ID), claimed.String()}, files...)
	mark := fmt.Sprintf("%x", sha256.Sum256([]byte(strings.Join(what, "\x00"))))
	path := filepath.Join(f.Wiring.StateDir(), "outside")
	text, _ := frame.ReadSmall(path) // what cannot be read counts as not remembered
	marks := strings.Fields(string(text))
	if slices.Contains(marks, mark) {
		return true
	}
	marks = append(marks[max(0, len(marks)-maxNamed+1):], mark)
	if os.MkdirAll(filepath.Dir(path), 0o700) == nil {
		_ = frame.ReplaceFile(path, []byte(strings.Join(marks, "\n")+"\n")) // on failure the warning is given again
	}
	return false
}
