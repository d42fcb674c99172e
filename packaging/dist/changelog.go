package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// The headings of a version, in order, and the maximum number of characters of a change.
var changelogHeadings = []string{"## Added", "## Changed", "## Fixed", "## Security"}

const longestChange = 160

// changelog joins the files of all released versions, newest first. Each version has a file of its
// name in dir; unreleased.md is checked like the others and left out.
func changelog(dir string) (string, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return "", err
	}
	slices.SortFunc(entries, func(a, b os.DirEntry) int { return slices.Compare(numbers(b.Name()), numbers(a.Name())) })
	var b strings.Builder
	b.WriteString("# Changelog\n\nWritten by `make changelog` from the files in changelog, one for each version; do not edit it. Changes that are not\n" +
		"released yet are in changelog/unreleased.md.\n")
	for _, e := range entries {
		version, ok := strings.CutSuffix(e.Name(), ".md")
		if !ok {
			return "", fmt.Errorf("%s is not the file of a version: a change is a line in unreleased.md", filepath.Join(dir, e.Name()))
		}
		text, err := changes(filepath.Join(dir, e.Name()))
		if err != nil {
			return "", err
		}
		if version != "unreleased" {
			fmt.Fprintf(&b, "\n## %s\n\n%s", version, text)
		}
	}
	return b.String(), nil
}

// changes returns the changes of one version, with each heading one level down.
func changes(path string) (string, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	last := -1
	for i, line := range strings.Split(strings.TrimSpace(string(text)), "\n") {
		heading := slices.Index(changelogHeadings, line)
		fault := ""
		switch {
		case line == "":
		case heading > last:
			last, line = heading, "#"+line
		case heading >= 0 || strings.HasPrefix(line, "#"):
			fault = "headings are " + strings.Join(changelogHeadings, ", ") + ", once each and in this order"
		case last < 0:
			fault = "a change belongs below a heading"
		case !strings.HasPrefix(line, "- ") || !strings.HasSuffix(line, "."):
			fault = "a change is one line, a whole sentence: - Text."
		case utf8.RuneCountInString(line) > longestChange:
			fault = fmt.Sprintf("a change takes at most %d characters, and this one has %d", longestChange, utf8.RuneCountInString(line))
		}
		if fault != "" {
			return "", fmt.Errorf("%s:%d: %s", path, i+1, fault)
		}
		b.WriteString(line + "\n")
	}
	return b.String(), nil
}

// numbers parses the version in a file name for comparison.
func numbers(name string) []int {
	var out []int
	for part := range strings.SplitSeq(strings.TrimSuffix(name, ".md"), ".") {
		n, _ := strconv.Atoi(part)
		out = append(out, n)
	}
	return out
}
