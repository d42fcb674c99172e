package work

import (
	"context"
	"strings"

	"github.com/spf13/cobra"

	"tasker/internal/cli/frame"
	"tasker/internal/cli/workspace"
	"tasker/internal/fault"
	"tasker/internal/hint"
	"tasker/internal/op"
	"tasker/internal/task"
	"tasker/internal/text/words"
	"tasker/internal/views/reading"
	"tasker/internal/work"
)

// noteOptions holds the options of `tasker note`.
type noteOptions struct {
	fence *int64
}

// NewNote returns the command `tasker note`.
func NewNote(f *frame.Factory) *cobra.Command {
	o := &noteOptions{}
	return f.Command(frame.Spec{
		Use: "note [ID] TEXT", Short: op.Note.Op.Summary, IDs: true, Args: frame.Between(1, 2, "a TEXT"),
		Example: []string{`tasker note "the parser is done"   # on the task that you hold`, `tasker note demo-4 "the printer is not"`,
			"git log -1 | tasker note demo-4 -   # from standard input"},
		Flags: []frame.Flag{
			frame.Fence(&o.fence),
		},
	}, o.run)
}

func (o *noteOptions) run(ctx context.Context, f *frame.Factory, args []string) error {
	if len(args) == 1 && frame.LooksLikeID(args[0]) {
		return fault.Bad("say what to note on %s", args[0]).WithHint("for example: %s", hint.Here("note "+args[0]+" TEXT"))
	}
	a := f.Args(ctx)
	in := work.NoteIn{Task: a.Task(frame.OrCurrent(args[:len(args)-1])), Text: a.Text(args[len(args)-1]), Fence: a.Fence(o.fence)}
	return frame.DoWith(a, op.Note, in, func(f *frame.Factory, out work.NoteOut) {
		f.Say("Noted on %s\n", in.Task)
		frame.EchoStays(ctx, f, task.ID(in.Task))
		f.Warn(out.Warnings)
	})
}

// decideOptions holds the options of `tasker decide`.
type decideOptions struct {
	because string
	fence   *int64
}

// NewDecide returns the command `tasker decide`.
func NewDecide(f *frame.Factory) *cobra.Command {
	o := &decideOptions{}
	return f.Command(frame.Spec{
		Use: "decide ID TITLE", Short: op.Decide.Op.Summary, IDs: true, Args: frame.Exactly("the ID of a task", "a TITLE"),
		Example: []string{`tasker decide demo-4 "Keep the old format" --because "three clients still read it"`},
		Flags: []frame.Flag{
			frame.String(&o.because, "because", "the reason (- reads standard input)"),
			frame.Fence(&o.fence),
		},
	}, o.run)
}

func (o *decideOptions) run(ctx context.Context, f *frame.Factory, args []string) error {
	a := f.Args(ctx)
	in := work.DecideIn{Task: a.Task(args[0]), Title: args[1], Rationale: a.Text(o.because), Fence: a.Fence(o.fence)}
	return frame.DoWith(a, op.Decide, in, func(f *frame.Factory, d task.Decision) {
		f.Say("Decided on %s: %s\n", d.Task, d.Title)
		f.Echo(ctx, task.ID(in.Task), "", frame.NoUndo)
		project, _, _ := task.ParseID(string(d.Task))
		frame.EchoTaken(ctx, f, project, d.Task)
	})
}

// evidenceOptions holds the options of `tasker evidence`.
type evidenceOptions struct {
	kind, value, note string
	fence             *int64
}

// NewEvidence returns the command `tasker evidence`.
func NewEvidence(f *frame.Factory) *cobra.Command {
	o := &evidenceOptions{}
	return f.Command(frame.Spec{
		Use: "evidence [ID] [KIND=VALUE…]", Short: op.Evidence.Op.Summary, IDs: true, Args: frame.Between(0, -1),
		Example: []string{"tasker evidence demo-4 test=ci/123", `tasker evidence demo-4 --kind review --value pr/7 --note "two rounds"`},
		Flags: []frame.Flag{
			frame.String(&o.kind, "kind", "what sort of proof it is, as gates name it"),
			frame.String(&o.value, "value", "the proof, or where it is (- reads standard input)"),
			frame.String(&o.note, "note", "a remark on it"),
			frame.Fence(&o.fence),
		},
	}, o.run)
}

func (o *evidenceOptions) run(ctx context.Context, f *frame.Factory, args []string) error {
	var pairs []string
	if len(args) > 0 && strings.Contains(args[0], "=") { // no id or key has it
		args, pairs = nil, args
	} else if len(args) > 1 {
		args, pairs = args[:1], args[1:]
	}
	if len(pairs) == 0 && (o.kind == "" || o.value == "") {
		return fault.Bad("evidence needs a kind and a value").
			WithHint("for example: %s", hint.Here("evidence "+words.Shell(frame.OrCurrent(args))+" test=ci/123"))
	}
	if len(pairs) > 0 && (o.kind != "" || o.value != "") {
		return fault.Bad("%q and --kind or --value both say what the evidence is", pairs[0]).WithHint("leave one of them out")
	}
	a := f.Args(ctx)
	in := work.EvidenceIn{Task: a.Task(frame.OrCurrent(args)), Fence: a.Fence(o.fence)}
	for _, text := range pairs {
		kind, value, err := frame.Pair(text, "kind", "value")
		if err != nil {
			return err
		}
		in.Items = append(in.Items, task.EvidenceItem{Kind: kind, Value: value, Note: task.Opt(o.note)})
	}
	if len(pairs) == 0 {
		in.Items = []task.EvidenceItem{{Kind: o.kind, Value: a.Text(o.value), Note: task.Opt(o.note)}}
	}
	out, err := frame.CallWith(a, op.Evidence, in)
	if err != nil {
		return err
	}
	if workspace.InRepository(f.Process.Dir) {
		if shown, err := frame.Call(ctx, f, op.Show, reading.ShowIn{Task: in.Task}); err == nil { // it is recorded, whether or not this can be read
			_, outside := workspace.Outside(ctx, f, shown.Task, true, nil)
			out.Warnings = append(out.Warnings, outside...)
		}
	}
	return f.Answer(out, func() {
		kinds := words.Each(in.Items, func(e task.EvidenceItem) string { return e.Kind })
		f.Say("Recorded %s evidence on %s\n", words.And(kinds), in.Task)
		frame.EchoStays(ctx, f, task.ID(in.Task))
		f.Warn(out.Warnings)
	})
}
