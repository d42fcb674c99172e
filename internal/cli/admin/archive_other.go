//go:build !unix

package admin

import "os"

// alone reports true: a file that another process has open cannot be removed here.
func alone(*os.File) bool { return true }

// remove closes a file of ours and removes it, which fails while somebody writes it.
func remove(f *os.File, path string) error {
	_ = f.Close()
	return os.Remove(path)
}
