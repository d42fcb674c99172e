package main

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

func TestTheChangelogIsCurrent(t *testing.T) {
	want, err := changelog("../../changelog")
	if err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile("../../CHANGELOG.md")
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != want {
		t.Error("CHANGELOG.md is not what changelog has of released versions; run: make changelog")
	}
	if !strings.Contains(want, "\n## 0.2.0\n") {
		t.Error("the changelog has no 0.2.0")
	}
}

func TestGoreleaserNamesTheSamePublisher(t *testing.T) {
	by, err := readPublisher("../../" + publisherFile)
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile("../../.goreleaser.yaml")
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"maintainer: " + by.Maintainer + " #", "homepage: " + by.Home + "\n"} {
		if !strings.Contains(string(text), want) {
			t.Errorf(".goreleaser.yaml has no %q, which packaging/publisher.json says", want)
		}
	}
}

func TestAPublisherIsNeeded(t *testing.T) {
	path := filepath.Join(t.TempDir(), "publisher.json")
	if err := os.WriteFile(path, []byte(`{"maintainer": "me <me@example.com>"}`), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := readPublisher(path); err == nil || !strings.Contains(err.Error(), "needs a maintainer and a home") {
		t.Error(err)
	}
}

func TestVersionsAreSortedByNumber(t *testing.T) {
	all := []string{"0.9.0", "0.10.0", "1.0.0"}
	slices.SortFunc(all, func(a, b string) int { return slices.Compare(numbers(b), numbers(a)) })
	if !slices.Equal(all, []string{"1.0.0", "0.10.0", "0.9.0"}) {
		t.Error(all)
	}
}

func TestArchivesHaveTheSameBytesEveryTime(t *testing.T) {
	files := []entry{{"top/bin/a", []byte("program"), 0o755}, {"top/b", []byte("odd"), 0o644}}
	date := time.Unix(1_700_000_000, 0).UTC()
	var first, again bytes.Buffer
	for _, b := range []*bytes.Buffer{&first, &again} {
		for _, pack := range []func() error{func() error { return tarGz(b, files, date) }, func() error { return zipped(b, files, date) }} {
			if err := pack(); err != nil {
				t.Fatal(err)
			}
		}
		b.Write(archived(files, date))
	}
	if !bytes.Equal(first.Bytes(), again.Bytes()) {
		t.Error("they differ")
	}
}
