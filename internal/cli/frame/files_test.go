package frame

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"tasker/internal/fault"
)

// endless returns the same byte forever, and counts how many were read.
type endless struct{ n int64 }

func (e *endless) Read(p []byte) (int, error) {
	clear(p)
	e.n += int64(len(p))
	return len(p), nil
}

func TestWhatDoesNotEndIsReadUpToTheBoundAndRefusedByIt(t *testing.T) {
	const most = 2 << 20
	in := &endless{}
	f := New(Process{Stdin: in}, Wiring{})
	_, err := f.Input("-", most)
	if !fault.Is(err, fault.TooLarge) || err.Error() != "standard input has more than 2 MiB, which is the limit" {
		t.Error(err)
	}
	if in.n > most+1 {
		t.Errorf("%d bytes were read, and %d are enough to know", in.n, most+1)
	}
	in.n = 0
	if _, err = f.TextArg("-"); !fault.Is(err, fault.TooLarge) || in.n > MaxText+1 {
		t.Error(in.n, err)
	}
}

func TestAFileIsReadWholeUpToTheBound(t *testing.T) {
	const most = 1 << 20
	dir := t.TempDir()
	f := New(Process{Dir: dir}, Wiring{})
	for size, whole := range map[int]bool{0: true, most: true, most + 1: false} {
		if err := os.WriteFile(filepath.Join(dir, "plan"), []byte(strings.Repeat("x", size)), 0o600); err != nil {
			t.Fatal(err)
		}
		got, err := f.Input("plan", most)
		if whole && (err != nil || len(got) != size) || !whole && !fault.Is(err, fault.TooLarge) {
			t.Errorf("%d bytes: %d, %v", size, len(got), err)
		}
	}
	if _, err := f.Input("none", most); !fault.Is(err, fault.Invalid) || err.Error() != "there is no file none" {
		t.Error(err)
	}
	if _, err := f.Input(".", most); !fault.Is(err, fault.Invalid) || !strings.HasPrefix(err.Error(), ". cannot be read: ") {
		t.Error(err)
	}
	if _, err := ReadSmall(filepath.Join(dir, "none")); !errors.Is(err, os.ErrNotExist) {
		t.Error(err)
	}
}
