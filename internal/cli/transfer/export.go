package transfer

import (
	"context"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"tasker/internal/admin"
	"tasker/internal/cli/frame"
	"tasker/internal/fault"
	"tasker/internal/hint"
	"tasker/internal/op"
	"tasker/internal/task/query"
	"tasker/internal/text/words"
	"tasker/internal/transfer/exporter"
	"tasker/internal/views/reading"
)

// exportOptions holds the options of `tasker export`.
type exportOptions struct {
	format       string
	file         string
	plan, status bool
	output       bool
	all          bool
}

// NewExport returns the command `tasker export`.
func NewExport(f *frame.Factory) *cobra.Command {
	o := &exportOptions{format: "json"}
	return f.Command(frame.Spec{
		Use: "export", Here: "export", Short: op.Export.Op.Summary, Args: frame.Between(0, 0),
		Example: []string{
			"tasker export -o demo.json          # whole records of this project, for tasker import tasker",
			"tasker export --all -o everything.json",
			"tasker export --plan -p demo > plan.json && edit plan.json && tasker apply -f plan.json",
			"tasker export --plan --format yaml -p demo -o plan.yaml",
			"tasker export --format markdown -p demo",
			"tasker export --format dot -p demo | dot -Tsvg > demo.svg",
		},
		Long: "It exports the project that every command here works on, or with --all every project. The json format holds every record as\n" +
			"it is stored: tasks, claims, events, approvals, bindings, settings, and everything else except sessions; tasker import\n" +
			"tasker makes an equal database of what --all exports. With --plan it is a document that tasker apply takes back\n" +
			"without changing anything: it says nothing about statuses and evidence, so applying it later moves nothing.\n" +
			"--with-status adds both, for an empty database. See docs/import.md.",
		Flags: []frame.Flag{
			frame.StringP(&o.file, "output", "o", "the file to write, whole or not at all; standard output unless given"),
			frame.OneOf(&o.format, "format", exporter.Formats, strings.Join(exporter.Formats, ", ")),
			frame.Bool(&o.all, "all", "every project"),
			frame.Bool(&o.plan, "plan", "a plan, as JSON or with --format yaml as YAML"),
			frame.Bool(&o.status, "with-status", "with --plan: where each task stands, and its evidence"),
			frame.Bool(&o.output, "with-output", "with whole records: the last lines that each run printed"),
		},
	}, o.run)
}

func (o *exportOptions) run(ctx context.Context, f *frame.Factory, _ []string) error {
	format, project := o.format, ""
	if format == "json" {
		f.PrintsDocument()
	}
	switch {
	case o.all && f.Flags.Project != "":
		return fault.Bad("--all is for every project, -p for one").WithHint("leave one of them out")
	case o.all && o.plan:
		return fault.Bad("a plan is for one project").WithHint("leave --all out, and name the project with %s", hint.NamingProject())
	case o.plan && format != "json" && format != "yaml":
		return fault.Bad("a plan is JSON or YAML, not %s", format).WithHint("leave --plan or --format out")
	case o.status && !o.plan:
		return fault.Bad("--with-status is for --plan: every other format says where tasks stand")
	case o.output && (o.plan || format != "json"):
		return fault.Bad("--with-output is for whole records: no other form has what runs printed").WithHint("leave --plan and --format out")
	case !o.all:
		var err error
		if project, err = f.OneProject(ctx); err != nil {
			return err
		}
	}
	if format == "json" && !o.plan {
		return o.whole(ctx, f, project)
	}
	status := o.status || !o.plan
	bar := f.Progress("exporting", 0)
	var out reading.ExportOut
	err := f.Stream(o.file, func(w io.Writer) error {
		into, err := exporter.New(format, w, status)
		if err != nil {
			return err
		}
		notes, evidence := exporter.Includes(format, status)
		out, err = frame.Call(ctx, f, op.Export, reading.ExportIn{Project: project, Notes: notes, Evidence: evidence, Into: counted{into, bar}})
		return err
	})
	bar.End()
	return o.written(f, err, out, words.Count(out.Tasks, "task", "tasks")+" of "+words.Count(out.Projects, "project", "projects"))
}

// written says what is in the file, unless the export failed or went to standard output.
func (o *exportOptions) written(f *frame.Factory, err error, out any, what string) error {
	if err != nil || o.file == "" || o.file == "-" {
		return err
	}
	return f.Answer(out, func() { f.Say("%s written to %s\n", what, o.file) })
}

// whole exports whole records.
func (o *exportOptions) whole(ctx context.Context, f *frame.Factory, project string) error {
	bar := f.Progress("exporting records", 0)
	var out admin.DumpOut
	err := f.Stream(o.file, func(w io.Writer) (err error) {
		s := exporter.NewStream(w)
		out, err = frame.Call(ctx, f, op.Dump, admin.DumpIn{Project: project, Outputs: o.output, Begin: s.Begin, Record: func(rec query.Record) error {
			bar.Add(1)
			return s.Record(rec)
		}})
		if err != nil {
			return err
		}
		return s.End()
	})
	bar.End()
	return o.written(f, err, out, words.Count(out.Records, "record", "records"))
}

// counted counts tasks as they are exported.
type counted struct {
	exporter.Format
	bar *frame.Progress
}

func (c counted) Task(t *exporter.Task) error {
	c.bar.Add(1)
	return c.Format.Task(t)
}
