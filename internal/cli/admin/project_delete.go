package admin

import (
	"context"
	"fmt"
	"io"

	"github.com/go-json-experiment/json"
	"github.com/spf13/cobra"

	"tasker/internal/admin"
	"tasker/internal/cli/frame"
	"tasker/internal/core"
	"tasker/internal/fault"
	"tasker/internal/hint"
	"tasker/internal/op"
	"tasker/internal/task"
	"tasker/internal/text/words"
	"tasker/internal/transfer/exporter"
)

// projectDeleteOptions holds the options of `tasker project delete`.
type projectDeleteOptions struct {
	yes  bool
	file string
}

func newProjectDelete(f *frame.Factory) *cobra.Command {
	o := &projectDeleteOptions{}
	return f.Command(frame.Spec{
		Use: "delete SLUG", Here: administration, Short: op.ProjectDelete.Op.Summary, Args: frame.Exactly("a SLUG"),
		Example: []string{"tasker project delete demo --yes"},
		Long: "It asks for the slug, or takes --yes. Every record of the project is exported first, to a file in this directory or to\n" +
			"--export FILE: tasker import tasker FILE turns it into tasks again. The slug may be used again, and numbers continue.",
		Flags: []frame.Flag{
			frame.Bool(&o.yes, "yes", "really delete it"),
			frame.String(&o.file, "export", "the file to leave the export in; SLUG-deleted-TIME.json unless given"),
		},
		Complete: frame.InTurn(f.CompleteProjects),
	}, o.run)
}

func (o *projectDeleteOptions) run(ctx context.Context, f *frame.Factory, args []string) error {
	slug := args[0]
	if !o.yes {
		typed, asked := frame.Prompt(f, fmt.Sprintf("This deletes %s with all its tasks, notes and events. Type its slug to go on:", slug))
		switch {
		case asked && typed != slug:
			return fault.Decline("%s stays: what was typed is not its slug", slug)
		case !asked:
			return fault.Bad("this deletes %s with all its tasks, notes and events, for good", slug).
				WithHint("say that you mean it: %s; to archive it instead: %s",
					hint.Command("project delete "+words.Shell(slug)+" --yes"), hint.Command("project archive "+words.Shell(slug)))
		}
	}
	if _, err := frame.Call(ctx, f, op.Project, core.ProjectIn{Slug: slug}); err != nil {
		return err
	}
	if o.file == "" {
		o.file = slug + "-deleted-" + f.Now().UTC().Format("20060102T150405Z") + ".json"
	}
	err := f.Stream(o.file, func(w io.Writer) error {
		s := exporter.NewStream(w)
		if _, err := frame.Call(ctx, f, op.Dump, admin.DumpIn{Project: slug, Outputs: true, Begin: s.Begin, Record: s.Record}); err != nil {
			return err
		}
		return s.End()
	})
	if err != nil {
		return err
	}
	p, err := frame.Call(ctx, f, op.ProjectDelete, core.ProjectIn{Slug: slug})
	if err != nil {
		return err
	}
	answer, err := withExport(p, o.file)
	return f.Answered(err, answer, func() { f.Say("Deleted the project %s; everything that was in it is in %s\n", p.Slug, o.file) })
}

// withExport returns a project's record together with the path of its export.
func withExport(p *task.Project, file string) (map[string]any, error) {
	text, err := json.Marshal(p)
	if err != nil {
		return nil, err
	}
	var out map[string]any
	if err := json.Unmarshal(text, &out); err != nil {
		return nil, err
	}
	out["export"] = file
	return out, nil
}

// projectMergeOptions holds the options of `tasker project merge`.
type projectMergeOptions struct {
	under string
	dry   bool
}

func newProjectMerge(f *frame.Factory) *cobra.Command {
	o := &projectMergeOptions{}
	return f.Command(frame.Spec{
		Use: "merge SLUG INTO", Here: administration, Short: op.ProjectMerge.Op.Summary, Args: frame.Exactly("a SLUG", "the project that it goes INTO"),
		Example: []string{"tasker project merge old demo --dry-run", "tasker project merge old demo", "tasker project merge old demo --under demo-4"},
		Long: "Tasks get new numbers in their order, and everything that belongs to them, including claims and events, moves along. A key\n" +
			"that the other project already has becomes SLUG:KEY. The old ids still resolve, and the slug stays taken. Sessions do not\n" +
			"follow: those for SLUG alone end, and those for SLUG and other projects lose it. It is one transaction: if the two\n" +
			"define a gate differently, or there are workspaces, issues that both are bound to, or keys that cannot be renamed, it\n" +
			"lists them and writes nothing.",
		Flags: []frame.Flag{
			frame.String(&o.under, "under", "an open task of the other project, which becomes the parent of the tasks that have none"),
			frame.Bool(&o.dry, "dry-run", "say what would change, and write nothing"),
		},
		Complete: frame.InTurn(f.CompleteProjects),
	}, o.run)
}

func (o *projectMergeOptions) run(ctx context.Context, f *frame.Factory, args []string) error {
	in := admin.ProjectMergeIn{Slug: args[0], Into: args[1], Under: o.under, DryRun: o.dry}
	return frame.Do(ctx, f, op.ProjectMerge, in, func(f *frame.Factory, out admin.ProjectMergeOut) {
		for _, r := range out.Renamed {
			f.Out.Printf("~ key %s → %s\n", r.Key, r.To)
		}
		many := words.Count(out.Tasks, "task", "tasks")
		if out.DryRun {
			f.Out.Printf("%s of %s would go into %s, as %s-%d and so on\n", many, out.From, out.Project, out.Project, out.Shift+1)
			f.Out.Printf("%s", sessionsOf(out, "would end", "would lose it"))
			return
		}
		f.Say("%s of %s went into %s: %s-1 is %s-%d now, and so on\n", many, out.From, out.Project, out.From, out.Project, out.Shift+1)
		f.Say("%s", sessionsOf(out, "ended", "lost it"))
	})
}

// sessionsOf says what a merge does to sessions, or "".
func sessionsOf(out admin.ProjectMergeOut, ends, loses string) string {
	var text string
	if n := out.SessionsEnded; n > 0 {
		text += words.Count(n, "session", "sessions") + " for " + out.From + " alone " + ends + "\n"
	}
	if n := out.SessionsNarrowed; n > 0 {
		text += words.Count(n, "session", "sessions") + " for " + out.From + " and other projects " + loses + "\n"
	}
	return text
}
