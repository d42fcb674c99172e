package machine

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"tasker/internal/workspace"
)

func TestTheLogOfStepsIsBoundedAndForItsOwner(t *testing.T) {
	m := &Manager{Logs: t.TempDir()}
	w := &workspace.Workspace{Task: "demo-1"}
	if err := os.WriteFile(m.logFile(w), []byte("of an earlier version\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	piece := bytes.Repeat([]byte("x"), 1<<20)
	for _, name := range []string{"one", "two", "three"} {
		log, err := m.log(w)
		if err != nil {
			t.Fatal(err)
		}
		log.head("== " + name + "\n")
		both := io.MultiWriter(log, io.Discard)
		for range 10 {
			if n, err := both.Write(piece); n != len(piece) || err != nil {
				t.Fatal(n, err)
			}
		}
		if err := log.Close(); err != nil {
			t.Fatal(err)
		}
	}
	text, err := os.ReadFile(filepath.Join(m.Logs, "demo-1-0.log"))
	if err != nil || len(text) > maxLog || len(text) < maxOutput {
		t.Errorf("it has %d bytes, %v", len(text), err)
	}
	said := strings.ReplaceAll(string(text), "x", "")
	if want := "of an earlier version\n== one\n== two\n" + full + "== three\n" + full; said != want {
		t.Errorf("it says %q", said)
	}
	if info, err := os.Stat(m.logFile(w)); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("its mode is %v, %v", info.Mode(), err)
	}
}
