package envtext

import (
	"net/url"
	"slices"
	"strings"
)

// credentials are the variables by which tasker itself is let in somewhere.
var credentials = []string{
	"TASKER_TOKEN", "TASKER_SESSION", "TASKER_WEBHOOK_SECRET", "TASKER_TRACKER_TOKEN", "TASKER_CODE_HOST_TOKEN", "TASKER_CODE_HOST_SECRET",
}

// WithoutCredentials leaves tasker's own credentials out of an environment, also the address of a database that holds a
// password: the commands that a configuration names are not to act as us.
func WithoutCredentials(env []string) []string {
	return slices.DeleteFunc(slices.Clone(env), func(entry string) bool {
		name, value, _ := strings.Cut(entry, "=")
		return slices.Contains(credentials, name) || name == "TASKER_DB" && hasPassword(value)
	})
}

func hasPassword(address string) bool {
	u, err := url.Parse(address)
	if err != nil {
		return strings.Contains(address, "://")
	}
	_, set := u.User.Password()
	return set || u.Query().Has("password")
}
