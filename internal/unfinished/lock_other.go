//go:build !unix

package unfinished

import "os"

// lock does nothing: on this system a file that another process has open cannot be removed.
func lock(*os.File) error { return nil }

// remove closes a file of ours and removes it, which fails while another process writes it.
func remove(f *os.File, path string) error {
	_ = f.Close()
	return os.Remove(path)
}

// rename closes a file and renames it: an open file cannot be renamed.
func rename(f *os.File, path string) error {
	_ = f.Close()
	return os.Rename(f.Name(), path)
}
