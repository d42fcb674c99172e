package transfer

import (
	"context"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"tasker/internal/cli/frame"
	"tasker/internal/cli/render"
	"tasker/internal/fault"
	"tasker/internal/hint"
	"tasker/internal/op"
	"tasker/internal/planning"
	"tasker/internal/text/words"
	"tasker/internal/transfer/importer"
)

// importOptions holds the options of `tasker import`.
type importOptions struct {
	dry, plan, hold bool
	columns         map[string]string
}

// NewImport returns the command `tasker import`.
func NewImport(f *frame.Factory) *cobra.Command {
	o := &importOptions{}
	return f.Command(frame.Spec{
		Use: "import KIND [FILE]", Here: "import", Short: op.Import.Op.Summary, Args: frame.Between(1, 2, "the kind of source, such as beads"),
		Example: []string{
			"bd export | tasker import beads - --dry-run",
			"gh issue list --state all --limit 1000 --json number,title,body,state,stateReason,labels,assignees,milestone,comments,url | tasker import github -",
			"tasker import markdown TODO.md --hold",
			"tasker import tracker --dry-run",
			"tasker import markdown TODO.md --dry-run --plan > plan.json",
		},
		Long: "Kinds: " + strings.Join(kinds(), ", ") + ". Everything becomes one plan, which is applied whole or not at all; every faulty row is\n" +
			"listed with its line. Keys come from the source, so importing again updates what is there. What the source closed is\n" +
			"recorded as closed if the import creates the task; an existing task is closed only under the rules for done.\n" +
			"FILE may be - or, for backlog, a folder; tracker takes none: it asks the linked tracker, and binds what it makes.\n" +
			"docs/import.md says what is kept from each.",
		Flags: []frame.Flag{
			frame.Bool(&o.dry, "dry-run", "say what would change, and write nothing"),
			frame.Bool(&o.plan, "plan", "with --dry-run: print the plan instead, which tasker apply takes"),
			frame.Bool(&o.hold, "hold", "make what is new wait below one parent until a human releases it"),
			func(fs *pflag.FlagSet) {
				fs.StringToStringVar(&o.columns, "map", nil, "for csv: the column of a field, such as title=Name,deps=\"Blocked by\" (can be given again)")
			},
		},
		Complete: func(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
			if len(args) == 0 {
				return kinds(), cobra.ShellCompDirectiveNoFileComp
			}
			return nil, cobra.ShellCompDirectiveDefault
		},
	}, o.run)
}

func (o *importOptions) run(ctx context.Context, f *frame.Factory, args []string) error {
	if o.plan && !o.dry {
		return fault.Bad("--plan is for --dry-run: it prints what would be applied").
			WithHint("add --dry-run; to import, leave --plan out")
	}
	if err := checkKind(args[0]); err != nil {
		return err
	}
	if args[0] == importer.TrackerKind {
		return o.runTracker(ctx, f, args[1:])
	}
	if len(args) < 2 {
		return fault.Bad("%s is read from a file", args[0]).WithMissing("FILE").WithHint("name it, or give - for standard input")
	}
	if args[0] == ownKind {
		return o.runOwn(ctx, f, args[1])
	}
	project, err := o.project(f)
	if err != nil {
		return err
	}
	src := importer.Source{Kind: args[0], Project: project, Map: o.columns}
	if args[0] == importer.Folder {
		src.Files, err = readFolder(f, args[1])
	} else {
		src.Files, err = readSource(f, args[1])
	}
	if err != nil {
		return err
	}
	batch, err := importer.Read(src)
	if err != nil {
		return err
	}
	return o.apply(ctx, f, batch)
}

// project returns the project that the tasks go to.
func (o *importOptions) project(f *frame.Factory) (string, error) {
	project, err := f.Project()
	if err != nil {
		return "", err
	}
	if project == "" {
		return "", fault.Bad("say which project the tasks are for").WithMissing("--project").
			WithHint("name it with %s; it is created if there is none", hint.NamingProject())
	}
	return project, nil
}

// apply carries out an import and shows the result.
func (o *importOptions) apply(ctx context.Context, f *frame.Factory, batch *importer.Batch) error {
	bar := f.Progress("importing "+words.Count(len(batch.Items), "task", "tasks"), 0)
	out, err := frame.Call(ctx, f, op.Import, planning.ImportIn{Batch: batch, Hold: o.hold, DryRun: o.dry})
	bar.End()
	return o.answer(ctx, f, out, err)
}

// answer shows the result of an import.
func (o *importOptions) answer(ctx context.Context, f *frame.Factory, out planning.ImportOut, err error) error {
	if err != nil {
		return err
	}
	if o.plan {
		doc, err := out.Doc.Marshal()
		if err != nil {
			return err
		}
		return f.Document(doc)
	}
	return f.Answer(out, func() {
		showImported(f, out)
		if !out.DryRun && out.Differs() {
			frame.EchoTaken(ctx, f, out.Project, "")
		}
	})
}

// readSource reads the file to import.
func readSource(f *frame.Factory, name string) ([]importer.File, error) {
	src, err := f.Input(name, importer.MaxBytes)
	return []importer.File{{Name: words.Either(name == "-", "standard input", name), Data: src}}, err
}

// shownUnplaced is how many unplaced values are shown to a person.
const shownUnplaced = 10

// showImported prints what an import changed, or would change, and which values had no field to go to.
func showImported(f *frame.Factory, out planning.ImportOut) {
	out.UnmentionedTotal = 0 // a source knows only its own tasks
	render.Applied(f, out.ApplyOut)
	if f.Flags.Quiet {
		return
	}
	f.Out.Printf("%s: %s read%s\n", out.Source, words.Count(out.Read, "item", "items"),
		words.When(out.Notes > 0, ", "+words.Count(out.Notes, "note", "notes")))
	if out.UnplacedTotal == 0 {
		return
	}
	f.Out.Printf("%s had no place:\n", words.Count(out.UnplacedTotal, "value", "values"))
	for _, u := range out.Unplaced[:min(len(out.Unplaced), shownUnplaced)] {
		f.Out.Printf("  %s: %s %s\n", u.Item, u.Field, words.Quoted(u.Value))
	}
	if more := out.UnplacedTotal - shownUnplaced; more > 0 {
		f.Out.Printf("  and %d more: --json lists them\n", more)
	}
}
