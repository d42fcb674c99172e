package field_test

import (
	"os"
	"path/filepath"
	"testing"

	"tasker/internal/task/field"
)

// TestGeneratedFilesAreCurrent fails if a declaration has changed since `go generate ./...` was last run.
func TestGeneratedFilesAreCurrent(t *testing.T) {
	root := filepath.Join("..", "..", "..")
	files, err := field.Files(os.DirFS(root))
	if err != nil {
		t.Fatal(err)
	}
	stale, err := field.Stale(os.DirFS(root), files)
	if err != nil || len(stale) > 0 {
		t.Errorf("%v (%v): no declaration asks for them any more; run go generate ./...", stale, err)
	}
	for name, want := range files {
		have, err := os.ReadFile(filepath.Join(root, name))
		if err != nil || string(have) != string(want) {
			t.Errorf("%s is not what the declarations say (%v): run go generate ./...", name, err)
		}
	}
}
