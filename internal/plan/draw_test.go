package plan

import (
	"fmt"

	"pgregory.net/rapid"

	"tasker/internal/task"
)

// given draws a field that may be left out.
func given[V any](t *rapid.T, name string, g *rapid.Generator[V]) Field[V] {
	if !rapid.Bool().Draw(t, name+" given") {
		return Field[V]{}
	}
	return Give(g.Draw(t, name))
}

func opts(options ...task.Opt) *rapid.Generator[task.Opt] { return rapid.SampledFrom(options) }

func some(options ...string) *rapid.Generator[[]string] {
	return rapid.SliceOfN(rapid.SampledFrom(options), 0, 4)
}

// drawDocument draws a valid plan over a few keys, so that consecutive plans share tasks. A task refers only to
// keys before its own, so that there is no cycle.
func drawDocument(t *rapid.T) *Document {
	doc := &Document{
		Project: "demo",
		Name:    given(t, "name", opts("", "Demo", "Other")),
		Vision:  given(t, "vision", opts("", "V")),
		Gates:   given(t, "gates", rapid.MapOfN(rapid.SampledFrom([]string{"ship", "code"}), some("ci", "review"), 0, 2)),
	}
	keys := []string{"a", "b", "c", "d", "e", "f"}
	in := rapid.SliceOfNDistinct(rapid.IntRange(0, len(keys)-1), 1, len(keys), rapid.ID[int]).Draw(t, "keys")
	for _, k := range in {
		d := TaskDef{Key: keys[k]}
		before := []string{}
		for _, other := range in {
			if other < k {
				before = append(before, keys[other])
			}
		}
		d.Title = Give(rapid.SampledFrom([]string{"A", "Ä\n", "B"}).Draw(t, "title"))
		d.Body = given(t, "body", opts("", "text", "line\nline \u2028 \"quoted\" \\"))
		if len(before) > 0 {
			d.Parent = given(t, "parent", opts(append(optsOf(before), "")...))
			d.Deps = given(t, "deps", some(before...))
		}
		d.Priority = given(t, "priority", rapid.IntRange(0, 3))
		d.Severity = given(t, "severity", rapid.Map(rapid.IntRange(0, 4), func(n int) task.Severity { return task.Severity(n) }))
		d.Due = given(t, "due", opts("", "2026-02-28", "2026-02-28T10:00:00.5+01:00"))
		d.Gate = given(t, "gate", opts("", "ship", "code", "nowhere"))
		d.Autonomy = given(t, "autonomy", opts("", "autonomous", "supervised", "human_only"))
		d.PreferredActor = given(t, "preferredActor", opts("", "ada"))
		d.MayExecute = given(t, "mayExecute", some("dev", "ops"))
		d.Touches = given(t, "touches", some("a/**", "b/*"))
		d.Criteria = given(t, "criteria", some("one", "two", "three"))
		d.Links = given(t, "links", rapid.SliceOfN(rapid.Custom(drawLink), 0, 3))
		d.Status = given(t, "status", rapid.SampledFrom(append([]task.Status{""}, task.Statuses...)))
		d.Evidence = given(t, "evidence", rapid.SliceOfN(rapid.Custom(drawEvidence), 0, 3))
		doc.Tasks = append(doc.Tasks, d)
	}
	return doc
}

func optsOf(in []string) []task.Opt {
	var out []task.Opt
	for _, s := range in {
		out = append(out, task.Opt(s))
	}
	return out
}

func drawLink(t *rapid.T) task.Link {
	return task.Link{
		Kind: rapid.SampledFrom(task.LinkKinds).Draw(t, "kind"),
		Ref:  fmt.Sprint(rapid.IntRange(1, 3).Draw(t, "ref")),
		Note: opts("", "n").Draw(t, "note"),
	}
}

func drawEvidence(t *rapid.T) task.EvidenceItem {
	return task.EvidenceItem{
		Kind:  rapid.SampledFrom([]string{"ci", "review"}).Draw(t, "kind"),
		Value: fmt.Sprint(rapid.IntRange(1, 2).Draw(t, "value")),
		Note:  opts("", "n").Draw(t, "note"),
	}
}
