//go:build !unix

package command

// diskOf reports that it does not know the file system, so git is asked.
func diskOf(string) (disk uint64, ok bool) { return 0, false }

// ours reports false: this system does not say whose the files are.
func ours(...string) bool { return false }
