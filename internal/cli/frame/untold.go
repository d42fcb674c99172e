package frame

import (
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
)

// tellChanges prints which rules a migration changes. With --json or --quiet nobody would read it, so it is kept for the
// next command on this machine that prints something.
func (f *Factory) tellChanges(text string) {
	if f.tells() {
		f.Notice(text)
		return
	}
	if path := f.untold(); path != "" && os.MkdirAll(filepath.Dir(path), 0o700) == nil {
		_ = WritePrivate(path, []byte(text)) // prime has the rules in any case
	}
}

// tellKept prints what an earlier command kept.
func (f *Factory) tellKept() {
	path := f.untold()
	if path == "" || !f.tells() {
		return
	}
	if text, err := ReadSmall(path); err == nil && os.Remove(path) == nil {
		f.Notice(string(text))
	}
}

// tells reports whether notices are printed.
func (f *Factory) tells() bool { return !f.Flags.JSON && !f.Flags.Quiet && !f.document }

// untold returns the file for what has not been told about the database yet; "" if there is no place for it.
func (f *Factory) untold() string {
	if f.Wiring.StateDir == nil {
		return ""
	}
	return filepath.Join(f.Wiring.StateDir(), "untold", fmt.Sprintf("%.8x", sha256.Sum256([]byte(f.Database()))))
}
