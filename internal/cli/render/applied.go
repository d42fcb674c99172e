package render

import (
	"maps"
	"slices"

	"github.com/go-json-experiment/json"

	"tasker/internal/cli/frame"
	"tasker/internal/cli/term"
	"tasker/internal/hint"
	"tasker/internal/planning"
	"tasker/internal/task"
	"tasker/internal/text/words"
)

// Applied prints what a plan changed, or would change.
func Applied(f *frame.Factory, out planning.ApplyOut) {
	if !f.Flags.Quiet {
		verb := map[bool]string{false: "", true: "would be "}[out.DryRun]
		if out.ProjectCreated {
			f.Out.Printf("Project %s %screated\n", out.Project, verb)
		} else if len(out.ProjectChanges) > 0 {
			f.Out.Line(term.Yellow.Of("~ "), term.Textf("project %s: %s", out.Project, changeWords(out.ProjectChanges)))
		}
		for _, r := range out.Created {
			f.Out.Line(term.Green.Of("+ "), term.Textf("%s", refWords(r.Key, r.ID)))
		}
		for _, c := range out.Updated {
			f.Out.Line(term.Yellow.Of("~ "), term.Textf("%s: %s", refWords(c.Key, c.ID), changeWords(c.Changes)))
		}
		for _, r := range out.Pruned {
			f.Out.Line(term.Red.Of("- "), term.Textf("%s %scancelled", refWords(r.Key, r.ID), verb))
		}
		if out.DryRun && len(out.Pruned) > 0 {
			f.Out.Printf("To cancel exactly these: --prune --pin %s\n", out.Pin)
		}
		f.Out.Printf("%s: %d %screated, %d %supdated, %d unchanged\n", out.Project, len(out.Created), verb, len(out.Updated), verb, len(out.Unchanged))
		if left := unmentioned(out); left != "" {
			f.Out.Printf("%s\n", left)
		}
		for _, r := range out.Held {
			f.Out.Printf("%s is held by somebody\n", refWords(r.Key, r.ID))
		}
		if !out.DryRun && len(out.Created) > 0 {
			f.Out.Printf("Next: %s\n", f.AsCommand(hint.Command("ready -p "+out.Project)))
		}
	}
	f.Warn(out.Warnings)
}

func refWords(key string, id task.Opt) string {
	return words.Either(id == "" || string(id) == key, key, string(id)+" ("+key+")")
}

// changeWords says which fields change, each with its old and new value.
func changeWords(changes map[string]task.Delta) string {
	return words.List(words.Each(slices.Sorted(maps.Keys(changes)), func(name string) string {
		if name == "policy" { // a whole document; the configuration shows it better
			return name
		}
		return ChangeWords(name, changes[name])
	}))
}

// ChangeWords gives the old and new value of a field.
func ChangeWords(name string, d task.Delta) string {
	return name + " " + valueWords(d.From) + " → " + valueWords(d.To)
}

// valueWords returns the value of a field, short enough for a line.
func valueWords(v any) string {
	var plain any
	if text, err := json.Marshal(v); err != nil || json.Unmarshal(text, &plain) != nil {
		return "…"
	}
	return words.Value(plain)
}

// Changes prints the changes of a record, each field in a line.
func Changes(f *frame.Factory, changes map[string]task.Delta) {
	for _, name := range slices.Sorted(maps.Keys(changes)) {
		f.Say("  %s\n", ChangeWords(name, changes[name]))
	}
}

// unmentioned names the open tasks that a plan leaves out and does not cancel; "" if there are none.
func unmentioned(out planning.ApplyOut) string {
	total := out.UnmentionedTotal - len(out.Pruned)
	if total <= 0 {
		return ""
	}
	left := slices.DeleteFunc(slices.Clone(out.Unmentioned), func(r planning.Ref) bool { return slices.Contains(out.Pruned, r) })
	ids := words.Each(left, func(r planning.Ref) string { return string(r.ID) })
	return words.Count(total, "open task is", "open tasks are") + " not mentioned, and left alone: " + words.Some(ids, total)
}
