package cli

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"hash"
	"io"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"tasker/internal/core"
	"tasker/internal/fault"
	"tasker/internal/op"
	"tasker/internal/task"
)

// Repository is the work tree that commands run in.
type Repository interface {
	// State tells what the work tree holds: the commit, the tree of all files as they are, and whether they differ.
	State(ctx context.Context) (commit, tree string, dirty bool, err error)
	// History tells whether a tree is that of a commit in the history of what is checked out.
	History(ctx context.Context) (func(tree string) bool, error)
}

func (f *factory) newProve() *cobra.Command {
	var kind, note string
	var fence *intFlag[int64]
	cmd := f.command(spec{
		use: "prove ID --kind K -- COMMAND…", short: "Run a command, and record that it ended well as evidence on a task", ids: true,
		args: between(2, -1, "the ID of a task", "a COMMAND after --"),
		example: []string{
			"tasker prove demo-4 --kind test -- go test ./...",
			`tasker prove demo-4 --kind lint --note "the new rules too" -- make lint`,
		},
		long: "The evidence holds the command, how long it took, the commit and the tree of the files that it ran on (with changes\n" +
			"that are not committed), and the digest of its output. It is recorded only where the command ends with 0. show, proof\n" +
			"and the refusal of done say where the files are no longer those that it ran on. Its output goes to standard error.",
	}, func(ctx context.Context, f *factory, args []string) error {
		return f.prove(ctx, args[0], args[1:], kind, note, fence)
	})
	cmd.Flags().StringVar(&kind, "kind", "", "the kind of evidence, as the gate asks for it")
	cmd.Flags().StringVar(&note, "note", "", "more to say about it")
	fence = fenceFlag(cmd.Flags())
	return cmd
}

func (f *factory) prove(ctx context.Context, name string, args []string, kind, note string, fence *intFlag[int64]) error {
	if kind == "" {
		return fault.Bad("say what kind of evidence it is").WithHint("add --kind, such as --kind test")
	}
	id, err := f.task(ctx, name)
	if err != nil {
		return err
	}
	with, err := f.fence(ctx, fence, id)
	if err != nil {
		return err
	}
	if _, err := call(ctx, f, op.Show, core.ShowIn{Task: id}); err != nil { // before it runs for an hour in vain
		return err
	}
	ctx, stop := f.p.Stop(ctx)
	defer stop()
	r, err := f.ran(ctx, args)
	if err != nil {
		return err
	}
	value, err := r.Value()
	if err != nil {
		return err
	}
	item := task.EvidenceItem{Kind: kind, Value: value, Note: task.Opt(note)}
	return do(ctx, f, op.Evidence, core.EvidenceIn{Task: id, Items: []task.EvidenceItem{item}, Fence: with}, func(f *factory, out core.EvidenceOut) {
		f.say("%s has evidence of kind %s: %s\n", id, kind, ranWords(r))
		f.warn(out.Warnings)
	})
}

// ran runs the command, and gives what it proves. One that does not end well proves nothing.
func (f *factory) ran(ctx context.Context, args []string) (task.Ran, error) {
	r := task.Ran{Command: args}
	repo, err := f.repository(ctx)
	if err != nil {
		return r, err
	}
	tree := ""
	if repo != nil {
		var commit string
		if commit, tree, r.Dirty, err = repo.State(ctx); err != nil {
			return r, err
		}
		r.Commit, r.Tree = task.Opt(commit), task.Opt(tree)
	}
	digest := &digest{Hash: sha256.New()}
	res, err := f.w.Exec(ctx, Execution{Args: args, Dir: f.p.Dir, Env: f.whereabouts(), Output: io.MultiWriter(digest, f.err)})
	switch {
	case ctx.Err() != nil:
		return r, fault.Unready("stopped before %s ended: nothing was recorded", args[0])
	case err != nil:
		return r, err
	case res.ExitCode != 0:
		return r, fault.Decline("%s ended with exit code %d, and proves nothing", strings.Join(args, " "), res.ExitCode).WithHint("nothing was recorded; make it pass, and prove again")
	}
	r.DurationMs, r.Output, r.Bytes = res.Took.Milliseconds(), hex.EncodeToString(digest.Sum(nil)), digest.n
	if repo != nil {
		if _, after, _, err := repo.State(ctx); err == nil && after != tree {
			f.warn([]string{"the command changed files: the evidence is for the files as they were before it"})
		}
	}
	return r, nil
}

// digest hashes and counts.
type digest struct {
	hash.Hash
	n int64
}

func (d *digest) Write(p []byte) (int, error) {
	d.n += int64(len(p))
	return d.Hash.Write(p)
}

// repository is the work tree around the working directory, nil where there is none.
func (f *factory) repository(ctx context.Context) (Repository, error) {
	if f.w.Repository == nil {
		return nil, nil
	}
	return f.w.Repository(ctx, f.p.Dir)
}

// ranWords tells of a run in one line.
func ranWords(r task.Ran) string {
	words := strings.Join(r.Command, " ") + ", " + (time.Duration(r.DurationMs) * time.Millisecond).String()
	if r.Commit != "" {
		words += ", on " + short(string(r.Commit))
		if r.Dirty {
			words += " with changes"
		}
	}
	return words
}

// short is a hash as people write it.
func short(hash string) string { return hash[:min(len(hash), 12)] }

// staleness tells of runs whether what they ran on is still what counts: for an open task the files as they are now,
// for a closed one a commit of the history. It looks at the repository when the first run is asked about, once, and
// what cannot be looked at is not called stale.
type staleness struct {
	now     func() string
	history func() func(tree string) bool
}

func (f *factory) staleness() *staleness {
	if f.stale == nil {
		f.stale = f.staleNow()
	}
	return f.stale
}

// staleNow is staleness that has looked at nothing yet.
func (f *factory) staleNow() *staleness {
	ctx := context.Background() // a few quick questions to git while an answer is printed
	repo := sync.OnceValue(func() Repository {
		r, err := f.repository(ctx)
		if err != nil {
			return nil
		}
		return r
	})
	return &staleness{
		now: sync.OnceValue(func() string {
			if r := repo(); r != nil {
				if _, tree, _, err := r.State(ctx); err == nil {
					return tree
				}
			}
			return ""
		}),
		history: sync.OnceValue(func() func(string) bool {
			if r := repo(); r != nil {
				if has, err := r.History(ctx); err == nil {
					return has
				}
			}
			return func(string) bool { return true }
		}),
	}
}

// of tells whether a run is stale for a task of the status.
func (s *staleness) of(r task.Ran, status task.Status) bool {
	if r.Tree == "" || s.now() == "" || s.now() == string(r.Tree) {
		return false
	}
	return !status.Closed() || !s.history()(string(r.Tree))
}

// evidenceWords is the value of an item of evidence for people: a run in one line, and whether it is stale.
func (f *factory) evidenceWords(e task.Evidence, status task.Status) string {
	r, ok := task.ParseRan(e.Value)
	if !ok {
		return e.Value
	}
	words := ranWords(r)
	switch {
	case !f.staleness().of(r, status):
	case status.Closed():
		words += " (stale: the files it ran on are in no commit here)"
	default:
		words += " (stale: the files have changed since)"
	}
	return words
}

// staleHint adds to a refusal of done which evidence is stale by now.
func (f *factory) staleHint(ctx context.Context, id string, refusal error) error {
	if f.flags.json || !fault.Is(refusal, fault.Declined) {
		return refusal
	}
	b, err := call(ctx, f, op.Show, core.ShowIn{Task: id})
	if err != nil {
		return refusal
	}
	return fault.Of(refusal).AndHint(f.staleness().words(b)...)
}

// words name the evidence of a task that is stale, each with the command that proves it anew.
func (s *staleness) words(b *core.Bundle) []string {
	var stale []string
	for _, e := range b.Evidence {
		if r, ok := task.ParseRan(e.Value); ok && s.of(r, b.Task.Status) {
			stale = append(stale, "evidence "+e.Kind+" is stale, its files have changed since: tasker prove "+string(b.Task.ID)+" --kind "+e.Kind+" -- "+strings.Join(r.Command, " "))
		}
	}
	return stale
}
