package frame

import (
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
)

// printChanges prints which rules a migration changes. With --json or --quiet nobody would read it, so it is kept for the
// next command on this machine that prints something.
func (f *Factory) printChanges(text string) {
	if f.printsNotices() {
		f.Notice(text)
		return
	}
	if path := f.keptFile(); path != "" && os.MkdirAll(filepath.Dir(path), 0o700) == nil {
		_ = WritePrivate(path, []byte(text)) // prime has the rules in any case
	}
}

// printKept prints what an earlier command kept.
func (f *Factory) printKept() {
	path := f.keptFile()
	if path == "" || !f.printsNotices() {
		return
	}
	if text, err := ReadSmall(path); err == nil && os.Remove(path) == nil {
		f.Notice(string(text))
	}
}

// printsNotices reports whether notices are printed.
func (f *Factory) printsNotices() bool { return !f.Flags.JSON && !f.Flags.Quiet && !f.document }

// keptFile returns the file for a notice about the database that has not been printed yet; "" if there is no place for it.
func (f *Factory) keptFile() string {
	if f.Wiring.StateDir == nil {
		return ""
	}
	return filepath.Join(f.Wiring.StateDir(), "untold", fmt.Sprintf("%.8x", sha256.Sum256([]byte(f.Database()))))
}
