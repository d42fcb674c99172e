package format

import (
	"flag"
	"os"
	"testing"
)

var update = flag.Bool("update", false, "rewrite docs/config.md")

func TestReferencePageIsCurrent(t *testing.T) {
	const page = "../../../docs/config.md"
	want := reference()
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
	Walk(func(path string, k *Key) {
		if k.Doc == "" || k.Effect == "" {
			t.Errorf("%s has no words: Doc %q, Effect %q", path, k.Doc, k.Effect)
		}
	})
}
