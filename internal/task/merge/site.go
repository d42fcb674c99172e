package merge

import (
	"net/url"
	"strings"

	"tasker/internal/fault"
	"tasker/internal/text/words"
)

// SameSite reports whether two addresses name the same site.
func SameSite(a, b string) bool {
	norm := func(s string) string {
		u, err := url.Parse(s)
		if err != nil {
			return s
		}
		return strings.ToLower(u.Scheme+"://"+u.Host) + strings.TrimSuffix(u.Path, "/")
	}
	return norm(a) == norm(b)
}

// Mismatch refuses a tracker site in the environment that differs from the one that a project
// declares.
func Mismatch(project, named, declared string) error {
	if named == "" || declared == "" || SameSite(named, declared) {
		return nil
	}
	return fault.Decline("TASKER_TRACKER_URL names %s, and %s declares %s", words.Redacted(named), project, words.Redacted(declared)).
		WithHint("integrations.issue_tracker.baseUrl is the only site that counts for this project: correct one of the two")
}
