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
		t.Error("CHANGELOG.md differs from the files in changelog; run: make changelog")
	}
	if !strings.Contains(want, "\n## 0.2.0\n") {
		t.Error("the changelog has no 0.2.0")
	}
}

func TestAChangeIsOneLine(t *testing.T) {
	for name, c := range map[string]struct{ text, says string }{
		"two lines":       {"## Added\n\n- Add a thing\n  that goes on.\n", "x.md:3: a change is one line"},
		"no bullet":       {"## Added\n\nAdd a thing.\n", "x.md:3: a change is one line"},
		"no sentence":     {"## Fixed\n\n- A thing\n", "x.md:3: a change is one line"},
		"too long":        {"## Fixed\n\n- Mend" + strings.Repeat(" it", 60) + ".\n", "x.md:3: a change takes at most 160 characters"},
		"no heading":      {"- Add a thing.\n", "x.md:1: a change belongs below a heading"},
		"another heading": {"## Removed\n\n- A thing.\n", "x.md:1: headings are"},
		"order":           {"## Fixed\n\n- Mend it.\n\n## Added\n\n- Add it.\n", "x.md:5: headings are"},
		"twice":           {"## Added\n\n- Add it.\n\n## Added\n\n- Add it.\n", "x.md:5: headings are"},
	} {
		dir := t.TempDir()
		if err := write(filepath.Join(dir, "x.md"), []byte(c.text)); err != nil {
			t.Fatal(err)
		}
		if _, err := changelog(dir); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v, want %q", name, err, c.says)
		}
	}
}

func TestTheChangelogHasReleasedVersionsNewestFirst(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"0.9.0", "0.10.0", "unreleased"} {
		if err := write(filepath.Join(dir, name+".md"), []byte("## Added\n\n- Add "+name+".\n")); err != nil {
			t.Fatal(err)
		}
	}
	got, err := changelog(dir)
	want := "\n## 0.10.0\n\n### Added\n\n- Add 0.10.0.\n\n## 0.9.0\n\n### Added\n\n- Add 0.9.0.\n"
	if err != nil || !strings.HasSuffix(got, ".md.\n"+want) {
		t.Errorf("%v\n%s", err, got)
	}
	if err := write(filepath.Join(dir, "unreleased", "0001-thing.md"), []byte("# A thing\n")); err != nil {
		t.Fatal(err)
	}
	if _, err := changelog(dir); err == nil || !strings.Contains(err.Error(), "a change is a line in unreleased.md") {
		t.Errorf("a directory of changes: %v", err)
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
