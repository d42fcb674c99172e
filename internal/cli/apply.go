package cli

import (
	"bytes"
	"context"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"tasker/internal/core"
	"tasker/internal/fault"
	"tasker/internal/op"
	"tasker/internal/plan"
	"tasker/internal/task"
)

func (f *factory) newApply() *cobra.Command {
	var file string
	var dry, code, schema, example bool
	cmd := f.command(spec{
		use: "apply -f FILE", short: op.Apply.Summary, args: between(0, 0),
		example: []string{
			"tasker apply --example > plan.json   # a plan to start from",
			"tasker apply -f plan.json --dry-run",
			"tasker apply -f plan.yaml",
			"generate-plan | tasker apply -f -",
		},
		long: "Nothing is written unless the whole document is valid; every fault is listed at once. Applying the same\ndocument again writes nothing. JSON or YAML: told by the file's name, else by its first character.",
	}, func(ctx context.Context, f *factory, _ []string) error {
		switch {
		case schema && example, (schema || example) && (file != "" || dry):
			return fault.Bad("--schema and --example stand alone")
		case schema:
			f.out.Document(bytes.TrimRight(plan.Schema(), "\n"))
			return nil
		case example:
			f.out.Document(bytes.TrimRight(plan.Example(), "\n"))
			return nil
		case file == "":
			return fault.Bad("apply needs a plan: -f FILE, or -f - for standard input").
				WithHint("to begin: tasker apply --example > plan.json && tasker apply -f plan.json")
		case code && !dry:
			return fault.Bad("--exit-code is for --dry-run: it tells whether there is a difference")
		}
		doc, err := f.readPlan(file)
		if err != nil {
			return err
		}
		out, err := call(ctx, f, op.Apply, core.ApplyIn{Doc: doc, DryRun: dry})
		if err != nil {
			return err
		}
		if err := f.answer(out, func() { f.showApplied(out) }); err != nil {
			return err
		}
		if code && !out.ProjectCreated && len(out.Created) == 0 && len(out.Updated) == 0 {
			return errNothing
		}
		return nil
	})
	fl := cmd.Flags()
	fl.StringVarP(&file, "file", "f", "", "the plan, JSON or YAML; - reads standard input")
	fl.BoolVar(&dry, "dry-run", false, "say what would change, and write nothing")
	fl.BoolVar(&code, "exit-code", false, "with --dry-run: exit with 7 when nothing would change")
	fl.BoolVar(&schema, "schema", false, "print the JSON Schema of a plan")
	fl.BoolVar(&example, "example", false, "print a plan to start from")
	_ = cmd.MarkFlagFilename("file", "json", "yaml", "yml")
	return cmd
}

// readPlan reads and checks a plan.
func (f *factory) readPlan(file string) (*plan.Document, error) {
	var src []byte
	var err error
	if file == "-" {
		src, err = f.stdin()
	} else {
		src, err = f.readFile(file)
	}
	if err != nil {
		return nil, err
	}
	if int64(len(src)) > op.Apply.MaxBody {
		return nil, fault.New(fault.TooLarge, "the plan has %d bytes, and %d is the most", len(src), op.Apply.MaxBody)
	}
	if isYAML(file, src) {
		return plan.ReadYAML(src)
	}
	return plan.Read(src)
}

// isYAML goes by the file's name, and else by the first character: JSON begins with a brace.
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

// showApplied says what a plan changed, or would change.
func (f *factory) showApplied(out core.ApplyOut) {
	if !f.flags.quiet {
		verb := map[bool]string{false: "", true: "would be "}[out.DryRun]
		if out.ProjectCreated {
			f.out.Printf("Project %s %screated\n", out.Project, verb)
		}
		for _, r := range out.Created {
			f.out.Spans(span{"+ ", green})
			f.out.Printf("%s\n", refWords(r.Key, r.ID))
		}
		for _, c := range out.Updated {
			f.out.Spans(span{"~ ", yellow})
			f.out.Printf("%s: %s\n", refWords(c.Key, c.ID), list(slices.Sorted(maps.Keys(c.Changes))))
		}
		f.out.Printf("%s: %d %screated, %d %supdated, %d unchanged\n", out.Project, len(out.Created), verb, len(out.Updated), verb, len(out.Unchanged))
		if len(out.Unmentioned) > 0 {
			f.out.Printf("%s not mentioned, and left alone\n", count(len(out.Unmentioned), "open task is", "open tasks are"))
		}
		for _, r := range out.Held {
			f.out.Printf("%s is held by somebody\n", refWords(r.Key, r.ID))
		}
		if !out.DryRun && len(out.Created) > 0 {
			f.out.Printf("Next: tasker ready -p %s\n", out.Project)
		}
	}
	f.warn(out.Warnings)
}

func refWords(key string, id task.Opt) string {
	if id == "" || string(id) == key {
		return key
	}
	return string(id) + " (" + key + ")"
}
