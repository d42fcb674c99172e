package reading_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"tasker/internal/plan"
	"tasker/internal/planning"
	"tasker/internal/task"
	"tasker/internal/testkit/coretest"
	"tasker/internal/testkit/storetest"
	"tasker/internal/transfer/exporter"
	"tasker/internal/views/reading"
)

// somePlan draws a plan with texts that YAML, JSON and people can read in several ways.
func somePlan(t *rapid.T, project string) *plan.Document {
	text := rapid.OneOf(rapid.StringMatching(`[a-z #:\-\[\]"'|>%@!&*\\{}]{1,20}[a-z]`), rapid.SampledFrom([]string{
		"yes", "null", "1e3", "~", "a: b", "- x", "# y", "two\nlines\n", " indented\n  more", "tab\tand \u00a0", "end \n", "\n\nblank first", "é \u202e x", "|",
		"0x1",
	}))
	doc := &plan.Document{Project: project}
	for i := range rapid.IntRange(1, 6).Draw(t, "tasks") {
		d := plan.TaskDef{Key: fmt.Sprintf("%d %s", i, rapid.SampledFrom([]string{"x", "yes", "a: b", "'", "#"}).Draw(t, "key"))}
		d.Title = plan.Give(text.Filter(func(s string) bool { return len(bytes.TrimSpace([]byte(s))) > 0 }).Draw(t, "title"))
		d.Body = plan.Give(task.Opt(text.Draw(t, "body")))
		d.Priority = plan.Give(rapid.IntRange(0, 3).Draw(t, "priority"))
		d.Criteria = plan.Give(rapid.SliceOfNDistinct(text, 0, 3, strings.TrimSpace).Draw(t, "criteria"))
		if i > 0 {
			d.Deps = plan.Give([]string{doc.Tasks[rapid.IntRange(0, i-1).Draw(t, "dep")].Key})
			if rapid.Bool().Draw(t, "child") {
				d.Parent = plan.Give(task.Opt(doc.Tasks[rapid.IntRange(0, i-1).Draw(t, "parent")].Key))
			}
		}
		if rapid.Bool().Draw(t, "closed") {
			d.Status = plan.Give(task.Done)
		}
		doc.Tasks = append(doc.Tasks, d)
	}
	return doc
}

// TestAnExportedPlanChangesNothing: for any project, applying its exported plan, as JSON or YAML, changes nothing.
func TestAnExportedPlanChangesNothing(t *testing.T) {
	coretest.EachAlone(t, func(k *coretest.Kit) {
		n := 0
		storetest.Check(k.T, k.DB, func(rt *rapid.T) {
			n++
			project := fmt.Sprintf("p%d", n)
			if _, err := k.Planning.Apply(coretest.Ann, planning.ApplyIn{Doc: somePlan(rt, project)}); err != nil {
				rt.Fatal(err)
			}
			for format, read := range map[string]func([]byte) (*plan.Document, error){"json": plan.Read, "yaml": plan.ReadYAML} {
				var out bytes.Buffer
				into, err := exporter.New(format, &out, false)
				if err != nil {
					rt.Fatal(err)
				}
				if _, err := k.Reading.Export(coretest.Ann, reading.ExportIn{Project: project, Into: into}); err != nil {
					rt.Fatal(err)
				}
				doc, err := read(out.Bytes())
				if err != nil {
					rt.Fatalf("%v\n%s", err, out.String())
				}
				again, err := k.Planning.Apply(coretest.Ann, planning.ApplyIn{Doc: doc, DryRun: true})
				if err != nil {
					rt.Fatalf("%v\n%s", err, out.String())
				}
				if again.Differs() || len(again.Unmentioned) > 0 {
					rt.Fatalf("%s changes something: %+v\n%s", format, again, out.String())
				}
			}
		})
	})
}
