package unfinished

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// withoutLocks opens a file that can be inspected but not locked, as on a file system without
// locks.
const withoutLocks = 0x200000 // O_PATH

func TestAFileNeedsNoLocksAndIsNotSharedWithWhoHasOne(t *testing.T) {
	path := filepath.Join(t.TempDir(), ".tasker-events-1")
	open := func(flags int) *os.File {
		t.Helper()
		f, err := os.OpenFile(path, flags, 0o600)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = f.Close() })
		return f
	}
	first, second := open(os.O_RDWR|os.O_CREATE), open(os.O_RDWR)
	if !usable(first) || usable(second) {
		t.Error("two processes hold the lock of one file, or none does")
	}
	bare := open(withoutLocks | syscall.O_CLOEXEC)
	if err := lock(bare); err == nil {
		t.Fatal("a file that cannot be locked was locked")
	}
	if !usable(bare) {
		t.Error("a file cannot be written without locks")
	}
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
	if sweep(filepath.Join(filepath.Dir(path), "other"), "") || !sweep(path, "") || usable(second) {
		t.Error("an abandoned file stays, or is usable after it is gone")
	}
}
