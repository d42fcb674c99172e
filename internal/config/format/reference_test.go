package format_test

import (
	"flag"
	"os"
	"testing"

	"tasker/internal/config/format"
)

var update = flag.Bool("update", false, "write docs/config.md anew")

func TestReferencePageIsCurrent(t *testing.T) {
	const page = "../../../docs/config.md"
	want := format.Reference()
	if *update {
		if err := os.WriteFile(page, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != want {
		t.Error("docs/config.md is not what the declaration says; run: go test ./internal/config/format -update")
	}
}

func TestEveryKeySaysWhatItIsAndWhatItChanges(t *testing.T) {
	format.Walk(func(path string, k *format.Key) {
		if k.Doc == "" || k.Effect == "" {
			t.Errorf("%s has no words: Doc %q, Effect %q", path, k.Doc, k.Effect)
		}
	})
}
