package work

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"hash"
	"io"
	"strings"

	"tasker/internal/child/purpose"
	"tasker/internal/child/tail"
	"tasker/internal/cli/frame"
	"tasker/internal/fault"
	"tasker/internal/task"
	"tasker/internal/task/proven"
)

// proving is a command to run as evidence of a kind: words, or else a line for a shell.
type proving struct {
	kind string
	args []string
	line string
	dir  string
	why  string // why it runs: the line of a gate that is missing, stale or does not count

	criteria []task.Criterion // of the task: its output is searched for the tests that they name
}

// run returns the command as evidence of it names it.
func (p proving) run() proven.Run { return proven.Run{Command: p.args, Line: p.line} }

// is reports whether the command is the one that a kind asks for.
func (p proving) is(kind string) bool { return p.run().Of(kind) }

// of reports whether the command is the one that a criterion is.
func (p proving) of(c task.Criterion) bool {
	line, ok := c.Line()
	return ok && p.is(task.CommandKind(line))
}

// The causes of a command that proves nothing: it failed, or there is no shell for its line.
var (
	errRed     = errors.New("the command failed")
	errNoShell = errors.New("there is no shell")
)

// prove runs the command, and returns how it ended and what it printed. A command that fails proves nothing: its error is
// errRed.
func (p proving) prove(ctx context.Context, f *frame.Factory) (r proven.Run, out printed, err error) {
	r = p.run()
	repo, err := f.Wiring.Repository(ctx, p.dir)
	if err != nil {
		return r, out, err
	}
	var before frame.Files
	if repo != nil {
		if before, err = repo.Files(ctx); err != nil {
			return r, out, err
		}
		r.Dir = task.Opt(repo.From(p.dir))
		r.Commit, r.Tree, r.Dirty = task.Opt(before.Commit), task.Opt(before.Tree), before.Dirty
	}
	if task.IsCommand(p.kind) {
		r.At = f.PlaceOf(ctx, p.dir).String()
	}
	if out, err = p.execute(ctx, f, p.dir, &r); err != nil {
		return r, out, err
	}
	if repo != nil {
		p.settle(ctx, f, repo, before, &r)
	}
	if r.ExitCode != 0 {
		return r, out, fault.Decline("%s ended with exit code %d, and proves nothing", r.Text(), r.ExitCode).
			WithHint("nothing was recorded for it; make it pass, and prove again").WithCause(errRed)
	}
	return r, out, nil
}

// execute runs the command in a directory, and says in r how it ended and what it printed. An error means that it did not run
// to its end.
func (p proving) execute(ctx context.Context, f *frame.Factory, dir string, r *proven.Run) (out printed, err error) {
	args := p.args
	if p.line != "" {
		args = []string{shellOf(f), "-c", p.line}
	}
	digest, watch, end := &digest{Hash: sha256.New()}, proven.NewWatch(p.criteria), tail.New(tailBytes)
	writers := []io.Writer{digest, watch, end}
	if f.Process.ErrTTY {
		writers = append(writers, f.Err)
	}
	res, err := f.Wiring.Exec(ctx, frame.Execution{
		For: purpose.Proof, Args: args, Dir: dir, Env: f.ChildEnv(), Output: io.MultiWriter(writers...),
		Secret: f.Secrets(),
	})
	out = printed{command: r.Text(), kept: proven.Tail(end.String()), end: end.String(), bytes: digest.n, failed: err != nil || res.ExitCode != 0}
	if f.Process.ErrTTY && out.end != "" && !strings.HasSuffix(out.end, "\n") { // our own words begin a line
		f.Err.Text("\n")
	}
	switch {
	case ctx.Err() != nil:
		return out, fault.Unready("stopped before %s ended: nothing was recorded", args[0])
	case err != nil && p.line != "" && errors.Is(err, frame.ErrNoProgram):
		return out, fault.Decline("there is no sh here, and the gate's commands are lines for it").
			WithHint("run it where there is one; nothing was recorded").WithCause(errNoShell)
	case err != nil:
		return out, err
	}
	r.ExitCode, r.DurationMs, r.Output, r.Bytes = res.ExitCode, res.Took.Milliseconds(), hex.EncodeToString(digest.Sum(nil)), digest.n
	watch.Tell(r)
	return out, nil
}

// systemShell is the shell that runs the lines of gates, where it exists: the first sh in PATH can be anybody's.
const systemShell = "/bin/sh"

func shellOf(f *frame.Factory) string {
	if _, err := f.Wiring.Files.Stat(systemShell); err == nil {
		return systemShell
	}
	return "sh"
}

// settle compares the files with what they were before the command. Where only files changed that git did not track
// before, such as a report that the command writes, the run is evidence for what is there now.
func (p proving) settle(ctx context.Context, f *frame.Factory, repo frame.Repository, before frame.Files, r *proven.Run) {
	after, err := repo.Files(ctx)
	switch {
	case err != nil || after.Tree == before.Tree:
	case after.Tracked == before.Tracked && after.Commit == before.Commit:
		r.Tree, r.Dirty = task.Opt(after.Tree), after.Dirty
	default:
		f.Warn([]string{"the command changed files: the evidence is for the files as they were before it"})
	}
}

// rootOf returns the root of the repository that the command was called in, or the current directory outside one.
func rootOf(ctx context.Context, f *frame.Factory) (string, error) {
	repo, err := f.Wiring.Repository(ctx, f.Process.Dir)
	if err != nil || repo == nil {
		return f.Process.Dir, err
	}
	return repo.Root(), nil
}

// placeOf returns a directory from the root of its repository, or as it is outside one.
func placeOf(ctx context.Context, f *frame.Factory, dir string) (string, error) {
	repo, err := f.Wiring.Repository(ctx, dir)
	if err != nil || repo == nil {
		return dir, err
	}
	return repo.From(dir), nil
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
