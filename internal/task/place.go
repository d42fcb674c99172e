package task

import (
	"slices"
	"strings"
)

// Place is where commands run, so that a run of a gate's line elsewhere is told from one in the repository that the project's
// record keeps. Evidence shows it to everybody, so it has commits and digests, and no names. The zero value is a place that
// nobody knows, such as a clone without the beginning of its history.
type Place struct {
	Roots []string // the first commits of the repository; none before its first commit, and outside a repository
	Host  string   // a digest of the machine's name
	Repo  string   // of the machine and git's directory there; empty outside a repository
	Path  string   // of the machine and the directory
}

// ParsePlace reads what String has written. What it cannot read is a place that nobody knows.
func ParsePlace(text string) Place {
	parts := strings.Split(text, " ")
	if len(parts) != 4 {
		return Place{}
	}
	p := Place{Host: parts[1], Repo: parts[2], Path: parts[3]}
	if parts[0] != "" {
		p.Roots = strings.Split(parts[0], "+")
	}
	return p
}

// String returns the place as records and evidence keep it; "" for one that nobody knows.
func (p Place) String() string {
	if p.Host == "" {
		return ""
	}
	return strings.Join([]string{strings.Join(p.Roots, "+"), p.Host, p.Repo, p.Path}, " ")
}

// Apart reports whether two places are known, and neither the same repository, nor clones of one, nor the same directory.
func (p Place) Apart(from Place) bool {
	switch {
	case p.Host == "" || from.Host == "", p.Repo != "" && p.Repo == from.Repo, p.Path == from.Path:
		return false
	}
	return !slices.ContainsFunc(p.Roots, func(root string) bool { return slices.Contains(from.Roots, root) })
}
