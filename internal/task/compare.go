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
