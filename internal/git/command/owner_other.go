//go:build !unix

package command

// diskOf does not know, so git is asked.
func diskOf(string) (disk uint64, ok bool) { return 0, false }

// ours does not know.
func ours(...string) bool { return false }
