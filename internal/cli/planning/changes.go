package planning

import (
	"maps"
	"slices"

	"github.com/go-json-experiment/json"

	"tasker/internal/core/planning"
	"tasker/internal/task"
	"tasker/internal/words"
)

// changeWords says which fields change, and each from what to what.
func changeWords(changes map[string]task.Delta) string {
	list := make([]string, 0, len(changes))
	for _, name := range slices.Sorted(maps.Keys(changes)) {
		d := changes[name]
		if name == "policy" { // a whole document, which the configuration shows better
			list = append(list, name)
			continue
		}
		list = append(list, name+" "+valueWords(d.From)+" → "+valueWords(d.To))
	}
	return words.List(list)
}

// valueWords is a value of a field, short enough for a line.
func valueWords(v any) string {
	const limit = 40
	if text, err := json.Marshal(v, json.Deterministic(true)); err == nil && string(text) != "null" && string(text) != `""` && string(text) != "[]" {
		return words.Cut(string(text), limit)
	}
	return "none"
}

// unmentioned names the open tasks that a plan leaves out.
func unmentioned(out planning.ApplyOut) string {
	ids := make([]task.Opt, len(out.Unmentioned))
	for i, r := range out.Unmentioned {
		ids[i] = r.ID
	}
	return words.Count(out.UnmentionedTotal, "open task is", "open tasks are") + " not mentioned, and left alone: " +
		words.Some(ids, out.UnmentionedTotal)
}
