package forge

import (
	"regexp"
	"slices"
	"strings"

	"tasker/internal/task/merge"
	"tasker/internal/text/words"
)

// How a code host names its records: owner/name#12 is an issue or a pull request, owner/name@branch
// a branch.
var (
	IssueNames = merge.Naming{
		Group: numbered,
		Path:  func(ref string) string { return strings.Replace(ref, "#", "/issues/", 1) },
		At:    func(path string) (string, bool) { return at(path, "issues") },
	}
	RequestNames = merge.Naming{
		Example: "a pull request such as owner/name#12",
		Group:   numbered,
		Path:    func(ref string) string { return strings.Replace(ref, "#", "/pull/", 1) },
		At:      func(path string) (string, bool) { return at(path, "pull", "pulls", "issues") }, // a host also shows a pull request at the address of an issue
	}
	BranchNames = merge.Naming{Example: "a branch such as owner/name@branch", Group: group(repoBranch)}
)

var (
	numbered   = group(repoNumber)
	repoNumber = words.Pattern(`^([A-Za-z0-9][\w.-]*/[A-Za-z0-9_.][\w.-]*)#([1-9][0-9]{0,17})$`)
	repoBranch = words.Pattern(`^([A-Za-z0-9][\w.-]*/[A-Za-z0-9_.][\w.-]*)@([^\s~^:?*\[\\]+)$`)
	numberPath = words.Pattern(`^([A-Za-z0-9][\w.-]*/[A-Za-z0-9_.][\w.-]*)/(pull|pulls|issues)/([1-9][0-9]{0,17})$`)
)

// at returns the record at a path of one of these kinds.
func at(path string, kinds ...string) (string, bool) {
	m := numberPath().FindStringSubmatch(path)
	if m == nil || !slices.Contains(kinds, m[2]) {
		return "", false
	}
	return m[1] + "#" + m[3], true
}

// group returns a function that extracts the repository from a reference that matches a pattern.
func group(of func() *regexp.Regexp) func(ref string) (string, bool) {
	return func(ref string) (string, bool) {
		m := of().FindStringSubmatch(ref)
		if m == nil {
			return "", false
		}
		return m[1], true
	}
}
