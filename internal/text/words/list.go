package words

import (
	"strconv"
	"strings"
)

// List joins names with commas.
func List[T ~string](names []T) string {
	switch len(names) {
	case 0:
		return ""
	case 1:
		return string(names[0])
	}
	var b strings.Builder
	for i, n := range names {
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(string(n))
	}
	return b.String()
}

// And joins names for a sentence: a, b and c.
func And[T ~string](names []T) string {
	last := len(names) - 1
	if last < 1 {
		return List(names)
	}
	return List(names[:last]) + " and " + string(names[last])
}

// Or joins names for a sentence with a choice: a, b or c.
func Or[T ~string](names []T) string {
	last := len(names) - 1
	if last < 1 {
		return List(names)
	}
	return List(names[:last]) + " or " + string(names[last])
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
