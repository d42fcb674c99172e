package words

import (
	"strconv"
	"strings"
)

// List joins names with commas.
func List[T ~string](names []T) string {
	return strings.Join(Each(names, func(name T) string { return string(name) }), ", ")
}

// And joins names for a sentence: a, b and c.
func And[T ~string](names []T) string { return join(names, " and ") }

// Or joins names for a sentence with a choice: a, b or c.
func Or[T ~string](names []T) string { return join(names, " or ") }

func join[T ~string](names []T, word string) string {
	last := len(names) - 1
	if last < 1 {
		return List(names)
	}
	return List(names[:last]) + word + string(names[last])
}

// Some joins the first few names and counts the rest: a, b and 7 more. There are total things; names may have only the
// first of them.
func Some[T ~string](names []T, total int) string {
	const limit = 10
	few := names[:min(len(names), limit)]
	s := List(few)
	if more := total - len(few); more > 0 {
		s += " and " + strconv.Itoa(more) + " more"
	}
	return s
}

// Each returns the text of each item.
func Each[T any](items []T, say func(T) string) []string {
	out := make([]string, len(items))
	for i, item := range items {
		out[i] = say(item)
	}
	return out
}
