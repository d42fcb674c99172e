package forge

import (
	"regexp"
	"strings"
	"sync"

	"tasker/internal/links/merge"
)

// How a code host names its records: owner/name#12 is an issue or a pull request, and owner/name@branch a branch.
var (
	IssueNames = merge.Naming{
		Group: numbered,
		Path:  func(ref string) string { return strings.Replace(ref, "#", "/issues/", 1) },
		At: func(path string) (string, bool) {
			m := numberPath().FindStringSubmatch(path)
			if m == nil || m[2] != "issues" {
				return "", false
			}
			return m[1] + "#" + m[3], true
		},
	}
	RequestNames = merge.Naming{
		Example: "a pull request such as owner/name#12",
		Group:   numbered,
		Path:    func(ref string) string { return strings.Replace(ref, "#", "/pull/", 1) },
		At: func(path string) (string, bool) {
			m := numberPath().FindStringSubmatch(path) // a host shows a request under the address of an issue, too
			if m == nil {
				return "", false
			}
			return m[1] + "#" + m[3], true
		},
	}
	BranchNames = merge.Naming{Example: "a branch such as owner/name@branch", Group: group(repoBranch)}
)

var (
	numbered   = group(repoNumber)
	repoNumber = pattern(`^([A-Za-z0-9][\w.-]*/[A-Za-z0-9_.][\w.-]*)#([1-9][0-9]{0,17})$`)
	repoBranch = pattern(`^([A-Za-z0-9][\w.-]*/[A-Za-z0-9_.][\w.-]*)@([^\s~^:?*\[\\]+)$`)
	numberPath = pattern(`^([A-Za-z0-9][\w.-]*/[A-Za-z0-9_.][\w.-]*)/(pull|pulls|issues)/([1-9][0-9]{0,17})$`)
)

// pattern returns an expression that is compiled when it is first asked for, not at the start of every command.
func pattern(text string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(text) })
}

// group returns a function that tells the repository of a reference, if it is of a pattern.
func group(of func() *regexp.Regexp) func(ref string) (string, bool) {
	return func(ref string) (string, bool) {
		m := of().FindStringSubmatch(ref)
		if m == nil {
			return "", false
		}
		return m[1], true
	}
}
