package inbox

import (
	"strconv"
	"strings"
)

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
	n, err := strconv.ParseInt(it.ID[strings.LastIndexByte(it.ID, ':')+1:], 10, 64)
	if err != nil {
		return 0
	}
	return n
}
