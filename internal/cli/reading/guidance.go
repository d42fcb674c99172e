package reading

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"tasker/internal/bundle"
	"tasker/internal/cli/frame"
	"tasker/internal/cli/render"
	"tasker/internal/cli/term"
	"tasker/internal/op"
	"tasker/internal/task"
	"tasker/internal/task/drift"
	"tasker/internal/text/linediff"
	"tasker/internal/text/words"
	"tasker/internal/views/reading"
)

// NewGuidance returns the command `tasker guidance`.
func NewGuidance(f *frame.Factory) *cobra.Command {
	return f.Command(frame.Spec{
		Use: "guidance ID", Short: op.Guidance.Op.Summary, IDs: true, Args: frame.Between(1, 1, "the ID of a task"),
		Example: []string{"tasker guidance demo-4", "tasker guidance demo-4 --json"},
		Long: "The files are those of context.track in the task's workspace, or in the repository where the task was claimed. What they\n" +
			"were is found among the commits: if the text of a file at the claim was never committed, all that is known is that it changed.",
	}, runGuidance)
}

// compared is a guidance file with its difference.
type compared struct {
	bundle.Comparison
	Difference task.Opt `json:"difference"` // lines that begin with a blank, - or +; null if there is no difference, or if the old text is unknown
}

// guided is the answer of guidance.
type guided struct {
	Task  task.ID     `json:"task"`
	Claim *task.Claim `json:"claim"`
	Root  string      `json:"root"`
	Files []compared  `json:"files"`
	More  bool        `json:"more"`
}

func runGuidance(ctx context.Context, f *frame.Factory, args []string) error {
	a := f.Args(ctx)
	got, err := frame.CallWith(a, op.Guidance, reading.GuidanceIn{Task: a.IDToRead(args[0])})
	if err != nil {
		return err
	}
	out := guided{Task: got.Task, Claim: got.Claim, Root: got.Root, Files: make([]compared, len(got.Files)), More: got.More}
	for i, c := range got.Files {
		out.Files[i].Comparison = c
		if c.Drift == "" {
			continue
		}
		if out.Files[i].Difference, err = difference(ctx, f, got.Root, c); err != nil {
			return err
		}
	}
	return f.Answer(out, func() { showGuidance(f, out) })
}

// difference returns the lines in which a file differs from its earlier text.
func difference(ctx context.Context, f *frame.Factory, root string, c bundle.Comparison) (task.Opt, error) {
	var then, now []byte
	var err error
	if c.Now != "" {
		if now, err = textOf(root, c.Path); err != nil {
			return "", err
		}
	}
	if c.Then != "" {
		var found bool
		if then, found, err = earlier(ctx, f, root, c); err != nil || !found {
			return "", err
		}
	}
	var out strings.Builder
	linediff.Compare(lines(then), lines(now), func(op byte, line string) { out.WriteString(string(op) + line + "\n") })
	return task.Opt(out.String()), nil
}

// textOf reads as much of a guidance file as is compared.
func textOf(root, path string) (text []byte, err error) {
	dir, err := os.OpenRoot(root)
	if err != nil {
		return nil, err
	}
	defer func() { _ = dir.Close() }() // opened only for reading
	file, err := dir.Open(filepath.FromSlash(path))
	if err != nil {
		return nil, err
	}
	defer func() { _ = file.Close() }()
	return io.ReadAll(io.LimitReader(file, drift.MaxFile))
}

// earlier searches a file's commits for its text at the time of the claim.
func earlier(ctx context.Context, f *frame.Factory, root string, c bundle.Comparison) ([]byte, bool, error) {
	repo, err := f.Wiring.Repository(ctx, root)
	if err != nil || repo == nil {
		return nil, false, err
	}
	return repo.Earlier(ctx, filepath.Join(root, filepath.FromSlash(c.Path)), func(text []byte) bool {
		return drift.Hash(text, int64(len(text))) == string(c.Then)
	})
}

func lines(text []byte) []string {
	if len(text) == 0 {
		return nil
	}
	return strings.Split(strings.TrimSuffix(strings.ToValidUTF8(string(text), "\ufffd"), "\n"), "\n")
}

func showGuidance(f *frame.Factory, g guided) {
	changed := 0
	for _, c := range g.Files {
		if c.Drift == "" {
			continue
		}
		changed++
		f.Out.Line(term.Bold.Of(c.Path), term.Textf(" %s since %s claimed it", c.Drift, g.Claim.Actor))
		if c.Difference == "" {
			f.Out.Printf("  its earlier text is in no commit here\n")
			continue
		}
		showDifference(f, string(c.Difference))
	}
	switch {
	case g.Claim == nil:
		f.Say("Nobody holds %s, so nothing is compared; it has %s\n", g.Task, words.Count(len(g.Files), "file of guidance", "files of guidance"))
	case changed == 0:
		f.Say("The guidance of %s is as it was when %s claimed it\n", g.Task, g.Claim.Actor)
	}
	if g.More {
		f.Warn([]string{"there are more files in context.track than are compared"})
	}
}

// around is how many unchanged lines are shown around a changed one.
const around = 3

// showDifference prints the lines that changed, with a few around them.
func showDifference(f *frame.Factory, text string) {
	all := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	for _, l := range linediff.Near(all, func(l string) bool { return !strings.HasPrefix(l, " ") }, around, "…") {
		f.Out.Line(term.Textf("  "), render.Changed(l[0]).Of(l))
	}
}
