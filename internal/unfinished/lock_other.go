//go:build !unix

package unfinished

import "os"

// lock does nothing: a file that another process has open cannot be removed here.
func lock(*os.File) error { return nil }

// remove closes a file of ours and removes it, which fails while somebody writes it.
func remove(f *os.File, path string) error {
	_ = f.Close()
	return os.Remove(path)
}

// rename closes a file and gives it its name: one that is open cannot be renamed.
func rename(f *os.File, path string) error {
	_ = f.Close()
	return os.Rename(f.Name(), path)
}
