package task

import (
	"fmt"

	"tasker/internal/text/words"
)

// Detail is a labelled field of a task, for people to read.
type Detail struct{ Label, Text string }

// shownValue returns a field's value, which must not be empty, as people read it.
func shownValue(v any) string {
	if list, ok := v.([]string); ok {
		return words.List(list)
	}
	return fmt.Sprint(v)
}
