package task

import (
	"cmp"
	"strings"
)

// CompareIDs orders ids by project, then by number.
func CompareIDs(a, b ID) int {
	pa, na, _ := ParseID(string(a))
	pb, nb, _ := ParseID(string(b))
	if c := strings.Compare(pa, pb); c != 0 {
		return c
	}
	return cmp.Compare(na, nb)
}

// IDsOf returns the ids of tasks, in their order.
func IDsOf(tasks []*Task) []ID {
	out := make([]ID, len(tasks))
	for i, t := range tasks {
		out[i] = t.ID
	}
	return out
}

// ByID returns tasks by their ids.
func ByID(tasks []*Task) map[ID]*Task {
	out := make(map[ID]*Task, len(tasks))
	for _, t := range tasks {
		out[t.ID] = t
	}
	return out
}
