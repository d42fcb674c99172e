package jira

import (
	"strings"

	"tasker/internal/task/merge"
	"tasker/internal/text/words"
)

// Names says how Jira names its issues: by a key such as DEMO-12.
var Names = merge.Naming{
	Example: "an issue such as DEMO-12",
	Group: func(ref string) (string, bool) {
		if !issueKey().MatchString(ref) {
			return "", false
		}
		project, _, _ := strings.Cut(ref, "-")
		return project, true
	},
	Path: func(ref string) string { return "browse/" + ref },
	At: func(path string) (string, bool) {
		key := strings.TrimPrefix(path, "browse/")
		return key, issueKey().MatchString(key)
	},
}

// issueKey is compiled on first use, not at the start of every command.
var issueKey = words.Pattern(`^[A-Z][A-Z0-9_]{0,49}-[1-9][0-9]{0,17}$`)
