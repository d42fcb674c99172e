package task

import (
	"fmt"

	"tasker/internal/words"
)

// Detail is a field of a task as people read it.
type Detail struct{ Label, Text string }

// shownValue returns the text of a field that is not empty.
func shownValue(v any) string {
	if list, ok := v.([]string); ok {
		return words.List(list)
	}
	return fmt.Sprint(v)
}
