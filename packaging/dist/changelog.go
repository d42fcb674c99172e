package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// changelog joins the files of every released version: a directory of the version's name, with a file for each change.
func changelog(dir string) (string, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return "", err
	}
	var versions []string
	for _, e := range entries {
		if e.IsDir() && e.Name() != "unreleased" {
			versions = append(versions, e.Name())
		}
	}
	slices.SortFunc(versions, func(a, b string) int { return slices.Compare(numbers(b), numbers(a)) })
	var b strings.Builder
	b.WriteString("# Changelog\n\nMade from the directory changelog, a file for each change, by `make changelog`; do not edit it. What is not released yet\n" +
		"is in changelog/unreleased.\n")
	for _, v := range versions {
		fmt.Fprintf(&b, "\n## %s\n", v)
		files, err := filepath.Glob(filepath.Join(dir, v, "*.md"))
		if err != nil {
			return "", err
		}
		for _, f := range files {
			text, err := os.ReadFile(f)
			if err != nil {
				return "", err
			}
			title, rest, ok := strings.Cut(string(text), "\n")
			if !ok || !strings.HasPrefix(title, "# ") {
				return "", fmt.Errorf("%s does not begin with a title", f)
			}
			fmt.Fprintf(&b, "\n### %s\n\n%s\n", title[2:], strings.TrimSpace(rest))
		}
	}
	return b.String(), nil
}

// numbers reads a version for comparison.
func numbers(version string) []int {
	var out []int
	for part := range strings.SplitSeq(version, ".") {
		n, _ := strconv.Atoi(part)
		out = append(out, n)
	}
	return out
}
