package planning

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"tasker/internal/cli/frame"
	"tasker/internal/cli/render"
	"tasker/internal/config"
	"tasker/internal/fault"
	"tasker/internal/hint"
	"tasker/internal/op"
	"tasker/internal/plan"
	"tasker/internal/planning"
	"tasker/internal/strict"
	"tasker/internal/task"
	"tasker/internal/text/words"
)

// applyOptions holds the options of `tasker apply`.
type applyOptions struct {
	file                             string
	dry, code, schema, example, yaml bool
	prune, yes                       bool
	pin                              string
}

// NewApply returns the command `tasker apply`.
func NewApply(f *frame.Factory) *cobra.Command {
	o := &applyOptions{}
	return f.Command(frame.Spec{
		Use: "apply FILE", Short: op.Apply.Op.Summary, Args: frame.Between(0, 1),
		Example: []string{
			"tasker apply --example > plan.json   # a plan to start from",
			"tasker apply --example --yaml > plan.yaml && tasker apply --schema > plan.schema.json   # for an editor that completes",
			"tasker apply -f plan.json --dry-run",
			"tasker apply plan.yaml",
			"generate-plan | tasker apply -f -",
		},
		Long: "Nothing is written unless the whole document is valid; every fault is listed at once. Applying the same\n" +
			"document again writes nothing. JSON or YAML: decided by the file's name, or else by its first character.",
		Flags: []frame.Flag{
			frame.StringP(&o.file, "file", "f", "the plan, JSON or YAML; - reads standard input"),
			frame.Bool(&o.dry, "dry-run", "say what would change, and write nothing"),
			frame.Bool(&o.code, "exit-code", "with --dry-run: exit with 7 when nothing would change"),
			frame.Bool(&o.prune, "prune", "also cancel tasks that an earlier plan created and this one leaves out, if open, not held and not bound; it asks first"),
			frame.Bool(&o.yes, "yes", "with --prune: do not ask"),
			frame.String(&o.pin, "pin", "with --prune: cancel exactly what a dry run showed under this pin, without asking"),
			frame.Bool(&o.schema, "schema", "print the JSON Schema of a plan"),
			frame.Bool(&o.example, "example", "print a plan to start from"),
			frame.Bool(&o.yaml, "yaml", "with --example: as YAML, whose first line tells editors the schema, plan.schema.json next to it"),
			frame.Filename("file", "json", "yaml", "yml"),
		},
	}, o.run)
}

func (o *applyOptions) run(ctx context.Context, f *frame.Factory, args []string) error {
	if len(args) > 0 && o.file != "" {
		return fault.Bad("apply takes one plan, and both %q and -f %q are given", args[0], o.file)
	}
	if len(args) > 0 {
		o.file = args[0]
	}
	switch {
	case o.schema && o.example, (o.schema || o.example) && (o.file != "" || o.dry):
		return fault.Bad("--schema and --example stand alone")
	case o.yaml && !o.example:
		return fault.Bad("--yaml is for --example").WithHint("a plan of your own may be JSON or YAML: %s tells them apart", hint.Command("apply -f FILE"))
	case o.schema:
		return f.Document(bytes.TrimRight(plan.Schema(), "\n"))
	case o.example:
		return o.printExample(f)
	case o.file == "":
		return fault.Bad("apply needs a plan: a FILE, or - for standard input").
			WithHint("to begin: %s", hint.Apply())
	case o.yes && !o.prune:
		return fault.Bad("--yes is for --prune: nothing else is asked")
	case o.pin != "" && !o.prune:
		return fault.Bad("--pin is for --prune: it names what a dry run would cancel")
	case o.code && !o.dry:
		return fault.Bad("--exit-code is for --dry-run: it says whether there is a difference")
	}
	doc, err := readPlan(f, o.file)
	if err != nil {
		return err
	}
	elsewhere, err := isElsewhere(f, doc.Project)
	if err != nil {
		return err
	}
	unrun, err := notRunHere(f, doc)
	if err != nil {
		return err
	}
	pin := o.pin
	if o.prune && !o.dry && !o.yes && o.pin == "" {
		if pin, err = o.agreed(ctx, f, doc); err != nil {
			return err
		}
	}
	out, err := frame.Call(ctx, f, op.Apply, planning.ApplyIn{Doc: doc, DryRun: o.dry, Prune: o.prune, Pin: pin})
	if elsewhere != "" {
		out.Warnings = append(out.Warnings, elsewhere)
	}
	if err == nil {
		out.Warnings = append(out.Warnings, unrun...)
	}
	return f.AnsweredOr(err, out, !o.code || out.Differs(), frame.ErrNothing, func() {
		render.Applied(f, out)
		if !out.DryRun && out.Differs() {
			frame.EchoTaken(ctx, f, out.Project, "")
		}
	})
}

// nothingShown is the pin of a dry run that would cancel nothing.
const nothingShown = "none"

// agreed shows what a plan would cancel, and asks whether to do it. It returns the pin of what it showed: only that is
// cancelled.
func (o *applyOptions) agreed(ctx context.Context, f *frame.Factory, doc *plan.Document) (string, error) {
	would, err := frame.Call(ctx, f, op.Apply, planning.ApplyIn{Doc: doc, DryRun: true, Prune: true})
	if err != nil || len(would.Pruned) == 0 {
		return nothingShown, err
	}
	ids := words.Each(would.Pruned, func(r planning.Ref) string { return string(r.ID) })
	many := words.Count(len(ids), "task", "tasks")
	if f.Process.InTTY && f.Process.OutTTY && !f.Flags.JSON {
		render.Applied(f, would)
	}
	if frame.Agrees(f, "Cancel "+many+"?") {
		return string(would.Pin), nil
	}
	return "", fault.Decline("this would cancel %s that the plan leaves out", many).WithMissing(ids[:min(len(ids), 200)]...).
		WithHint("look at it (%s), and cancel exactly these: %s; or whatever is left out by then: %s; nothing was written",
			hint.Command("apply -f FILE --prune --dry-run"), hint.Command("apply -f FILE --prune --pin "+string(would.Pin)),
			hint.Command("apply -f FILE --prune --yes"))
}

// printExample prints the example as a plan for the current project, whose gate asks for what the configuration here
// declares.
func (o *applyOptions) printExample(f *frame.Factory) error {
	slug, err := f.Project()
	if err != nil {
		return err
	}
	text, project := plan.Example(), `"project": "%s"`
	if o.yaml {
		text, project = plan.ExampleYAML(), "project: %s"
	}
	if slug != "" && task.CheckSlug(slug) == nil {
		text = bytes.Replace(text, fmt.Appendf(nil, project, "demo"), fmt.Appendf(nil, project, slug), 1)
	}
	eff, err := f.FileSettings(slug)
	if err != nil {
		return err
	}
	if kinds := eff.Gates[config.InitGate]; len(kinds) > 0 {
		quoted := words.Each(kinds, func(k string) string { return string(strict.Quote(nil, k)) })
		text = bytes.Replace(text, []byte(`["$ make test"]`), []byte("["+strings.Join(quoted, ", ")+"]"), 1)
	}
	if o.yaml {
		f.Out.ForProgram(string(text))
		return nil
	}
	return f.Document(bytes.TrimRight(text, "\n"))
}

// isElsewhere warns of a plan for another project than the current one. If -p names a project, it must be the plan's.
func isElsewhere(f *frame.Factory, project string) (warning string, err error) {
	if named := f.Flags.Project; named != "" && named != project {
		return "", fault.Bad("-p says %s, and the plan is for %s", words.Quoted(named), words.Quoted(project)).
			WithMissing("--project", "project").WithHint("leave -p out, or change project in the plan")
	}
	here, err := f.Project()
	if err != nil || here == "" || here == project {
		return "", err
	}
	see := f.AsCommand(hint.Command("config explain project"))
	return fmt.Sprintf("the plan is for %s, and commands in this directory mean %s: see %s", project, here, see), nil
}

// notRunHere warns of gates of a plan that ask for a command and that no file here declares: no command comes from the
// database, so a plan alone makes a gate that nobody can meet.
func notRunHere(f *frame.Factory, doc *plan.Document) (warnings []string, err error) {
	gates := doc.Gates.Value
	for _, name := range slices.Sorted(maps.Keys(gates)) {
		lines := task.CommandLines(gates[name])
		if len(lines) == 0 {
			continue
		}
		declared, _, err := f.GateCommands(doc.Project, name)
		if err != nil {
			return nil, err
		}
		if len(declared) == 0 {
			warnings = append(warnings, fmt.Sprintf("gate %s asks for %s, and no file here declares that gate, so %s does not run it: have it declared in %s, below gates",
				name, words.List(words.Each(lines, func(l string) string { return "$ " + l })), f.AsCommand(hint.Command("prove")), config.FileName))
		}
	}
	return warnings, nil
}

// readPlan reads and checks a plan.
func readPlan(f *frame.Factory, file string) (*plan.Document, error) {
	src, err := f.Input(file, op.Apply.Op.MaxBody)
	if err != nil {
		return nil, err
	}
	if isYAML(file, src) {
		return plan.ReadYAML(src)
	}
	return plan.Read(src)
}

// isYAML goes by the file's name, or else by the first character: JSON begins with a brace.
func isYAML(file string, src []byte) bool {
	switch strings.ToLower(filepath.Ext(file)) {
	case ".yaml", ".yml":
		return true
	case ".json":
		return false
	}
	src = bytes.TrimSpace(bytes.TrimPrefix(src, []byte("\ufeff")))
	return len(src) > 0 && src[0] != '{' && src[0] != '['
}
