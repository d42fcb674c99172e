package syntax

import (
	"path"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
)

// Unusable returns why a glob cannot be matched against the files of a repository: it is malformed, or leads out of the
// repository. It returns "" for a usable one.
func Unusable(glob string) string {
	switch clean := path.Clean(glob); {
	case !doublestar.ValidatePattern(glob):
		return "is not a glob: a bracket or a brace is not closed, or nothing follows a backslash"
	case path.IsAbs(clean) || clean == ".." || strings.HasPrefix(clean, "../"):
		return "leads out of the repository"
	}
	return ""
}
