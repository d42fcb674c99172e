package work

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"hash"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"tasker/internal/child/purpose"
	"tasker/internal/child/tail"
	"tasker/internal/cli/frame"
	"tasker/internal/cli/workspace"
	"tasker/internal/fault"
	"tasker/internal/op"
	"tasker/internal/reading"
	"tasker/internal/task"
	"tasker/internal/task/proven"
	"tasker/internal/text/words"
	"tasker/internal/work"
)

// proveOptions holds the options of `tasker prove`.
type proveOptions struct {
	kind, note string
	named      int // how many arguments precede --
	check      []int
	fence      *int64
}

// NewProve returns the command `tasker prove`.
func NewProve(f *frame.Factory) *cobra.Command {
	o := &proveOptions{}
	return f.Command(frame.Spec{
		Use: "prove [ID] --kind K [--check N,…] -- COMMAND…", Short: "Run a command, and record that it ended well as evidence on a task", IDs: true,
		Args: o.args,
		Example: []string{
			"tasker prove --kind test -- go test ./...   # on the task that you hold",
			"tasker prove demo-4 --kind test --check 1,2 -- go test ./...   # and tick what it shows",
			`tasker prove demo-4 --kind lint --note "the new rules too" -- make lint`,
		},
		Long: "The evidence holds the command, how long it took, the commit and the tree of the files that it ran on (with changes\n" +
			"that are not committed), and the digest of its output. It is recorded only if the command ends with 0. show, proof and\n" +
			"the refusal of done say if the files have changed since it ran. The end of its output goes to standard error, or all\n" +
			"of it if that is a terminal. For what no command can show, use tasker evidence.",
		Flags: []frame.Flag{
			frame.String(&o.kind, "kind", "the kind of evidence, as the gate asks for it"),
			frame.Ints(&o.check, "check", "tick these criteria by it, such as 1,2"),
			frame.String(&o.note, "note", "more to say about it"),
			frame.Fence(&o.fence),
		},
	}, o.run)
}

// args separates the task from the command: what precedes -- names the task, and nothing there means the current one.
// Without --, the first argument is the task.
func (o *proveOptions) args(cmd *cobra.Command, args []string) error {
	if o.named = min(max(cmd.ArgsLenAtDash(), 0), 1); cmd.ArgsLenAtDash() < 0 {
		o.named = min(len(args), 1)
	}
	return frame.Between(o.named+1, -1, "a COMMAND after --", "a COMMAND after --")(cmd, args)
}

func (o *proveOptions) run(ctx context.Context, f *frame.Factory, args []string) error {
	if o.kind == "" {
		return fault.Bad("say what kind of evidence it is").WithHint("add --kind, such as --kind test")
	}
	a := f.Args(ctx)
	id, with := a.Task(frame.OrCurrent(args[:o.named])), a.Fence(o.fence)
	shown, err := frame.CallWith(a, op.Show, reading.ShowIn{Task: id}) // a wrong id must fail before the command runs for an hour
	if err != nil {
		return err
	}
	ctx, stop := f.Process.Stop(ctx)
	defer stop()
	r, err := prove(ctx, f, args[o.named:])
	if err != nil {
		return err
	}
	value, err := r.Value()
	if err != nil {
		return err
	}
	in := work.EvidenceIn{Task: id, Items: []task.EvidenceItem{{Kind: o.kind, Value: value, Note: task.Opt(o.note)}}, Check: o.check, Fence: with}
	out, err := frame.Call(ctx, f, op.Evidence, in)
	if err != nil {
		return err
	}
	if err := workspace.Seen(ctx, f, id); err != nil {
		out.Warnings = append(out.Warnings, "its workspace was not looked at: "+fault.Of(err).Message)
	}
	_, outside := workspace.Outside(ctx, f, shown.Task, true)
	out.Warnings = append(out.Warnings, outside...)
	return f.Answer(out, func() {
		f.Say("%s has evidence %d of kind %s: %s\n", id, out.IDs[0], o.kind, r.Words())
		if len(out.Checked) > 0 {
			f.Say("It ticks %s of %s\n", words.Count(len(out.Checked), "criterion", "criteria"), id)
		}
		frame.EchoStays(ctx, f, task.ID(id))
		f.Warn(out.Warnings)
	})
}

// How much of a command's output is shown if nobody watches it run: after a failure what a worker needs to fix it,
// after success its last words.
const (
	tailBytes = 4000
	lastBytes = 200
)

// prove runs the command, and returns what it proves. A command that fails proves nothing.
func prove(ctx context.Context, f *frame.Factory, args []string) (proven.Run, error) {
	r := proven.Run{Command: args}
	repo, err := f.Repository(ctx)
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
	seen, end := io.Writer(f.Err), tail.New(tailBytes)
	if !f.Process.ErrTTY { // nobody watches: the end is what a reader needs, and an agent pays for every line
		seen = end
	}
	res, err := f.Wiring.Exec(ctx, frame.Execution{
		For: purpose.Proof, Args: args, Dir: f.Process.Dir, Env: f.ChildEnv(), Output: io.MultiWriter(digest, seen),
	})
	if err == nil && res.ExitCode == 0 {
		end = end.Last(lastBytes)
	}
	if end.Cut() {
		f.Err.Printf("… the last %d of %d bytes:\n", end.Limit(), digest.n)
	}
	f.Err.Text(end.String())
	switch {
	case ctx.Err() != nil:
		return r, fault.Unready("stopped before %s ended: nothing was recorded", args[0])
	case err != nil:
		return r, err
	case res.ExitCode != 0:
		return r, fault.Decline("%s ended with exit code %d, and proves nothing", strings.Join(args, " "), res.ExitCode).
			WithHint("nothing was recorded; make it pass, and prove again")
	}
	r.DurationMs, r.Output, r.Bytes = res.Took.Milliseconds(), hex.EncodeToString(digest.Sum(nil)), digest.n
	if repo != nil {
		if _, after, _, err := repo.State(ctx); err == nil && after != tree {
			f.Warn([]string{"the command changed files: the evidence is for the files as they were before it"})
		}
	}
	return r, nil
}

// digest hashes and counts bytes.
type digest struct {
	hash.Hash
	n int64
}

func (d *digest) Write(p []byte) (int, error) {
	d.n += int64(len(p))
	return d.Hash.Write(p)
}
