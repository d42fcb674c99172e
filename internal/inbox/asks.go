package inbox

import (
	"strconv"
	"strings"

	"tasker/internal/task/waiting"
	"tasker/internal/text/words"
)

// Alike reports whether one command settles both items. Items that need a decision each are never alike.
func Alike(a, b Item) bool {
	light := a.Kind == waiting.ItemOverride || a.Kind == waiting.ItemLapse || a.Closed()
	return light && a.Kind == b.Kind && a.Closed() == b.Closed() && a.Project == b.Project
}

// Together returns the command that settles items that are alike.
func Together(items []Item) string {
	if items[0].Closed() {
		return waiting.Together("approve", words.Each(items, func(it Item) string { return string(it.Task) }))
	}
	return waiting.Together("inbox ack", words.Each(items, func(it Item) string { return it.ID }))
}

// Role returns the role that an item is addressed to, or "".
func (it *Item) Role() string {
	for part := range strings.SplitSeq(it.For, ",") {
		if role, ok := strings.CutPrefix(part, "role:"); ok {
			return role
		}
	}
	return ""
}

// Closed reports whether an item asks for a look at a task that is already closed: people put it away, or reopen the
// task.
func (it *Item) Closed() bool { return strings.HasSuffix(it.ID, ":closed") }

// Question returns the number of the question that an item is about, or 0.
func (it *Item) Question() int64 {
	n, _ := strconv.ParseInt(it.ID[strings.LastIndexByte(it.ID, ':')+1:], 10, 64) // 0 for an id that ends with something else
	return n
}
