package words

import (
	"net/url"
	"slices"
	"strings"
)

// Address reports whether a database is given by an address rather than a path.
func Address(database string) bool {
	return strings.Contains(database, "://") || Keywords(database)
}

// keys are the PostgreSQL connection keywords that say which database is meant, and as which user.
var keys = []string{"host", "hostaddr", "port", "dbname", "user", "password", "passfile", "service", "sslmode", "sslpassword"}

// Keywords reports whether a database is given by keyword/value pairs, as PostgreSQL's own programs accept: the text
// begins with a pair, and has one of those keywords.
func Keywords(database string) bool {
	name := func(pair string) string {
		key, _, found := strings.Cut(pair, "=")
		if key = strings.ToLower(strings.TrimSpace(key)); !found || strings.Trim(key, "abcdefghijklmnopqrstuvwxyz_") != "" {
			return ""
		}
		return key
	}
	return name(database) != "" && (slices.Contains(keys, name(database)) ||
		slices.ContainsFunc(strings.Fields(database), func(pair string) bool { return slices.Contains(keys, name(pair)) }))
}

// hidden replaces a password.
const hidden = "xxxxx"

// password matches a password in keyword/value pairs, or in the parameters of an address.
var password = Pattern(`(?i)(password\s*=\s*)('(?:[^'\\]|\\.)*'?|[^\s&]*)`)

// Redacted returns an address without passwords. A text that is not an address is returned unchanged.
func Redacted(address string) string {
	if Keywords(address) {
		return password().ReplaceAllString(address, "${1}"+hidden)
	}
	scheme, rest, found := strings.Cut(address, "://")
	if !found {
		return address
	}
	if u, err := url.Parse(address); err == nil {
		address = u.Redacted()
	} else if at := strings.LastIndex(rest, "@"); at >= 0 {
		address = scheme + "://" + hidden + rest[at:]
	}
	if strings.Contains(strings.ToLower(address), "password") {
		address = password().ReplaceAllString(address, "${1}"+hidden)
	}
	return address
}
