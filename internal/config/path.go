package config

import (
	"strconv"
	"strings"

	"tasker/internal/fault"
	"tasker/internal/words"
)

// step is one part of a key: a name, or an index into a list.
type step struct {
	name    string
	index   int
	isIndex bool
}

// join appends a name to a path: a.b, or a["odd.name"] where the name would read as something else.
func join(path, name string) string {
	if !plain(name) {
		return path + "[" + string(quote(nil, name)) + "]"
	}
	if path == "" {
		return name
	}
	return path + "." + name
}

// plain tells whether a name can stand in a path without quotes.
func plain(name string) bool {
	for i := range len(name) {
		switch c := name[i]; {
		case c <= ' ', c == 0x7f, c == '.', c == '[', c == ']', c == '"', c == '\\':
			return false
		}
	}
	return name != ""
}

// at appends an index to a path.
func at(path string, index int) string { return path + "[" + strconv.Itoa(index) + "]" }

// parseKey reads the notation that join and at write.
func parseKey(key string) ([]step, error) {
	bad := func(why string) error {
		return fault.Bad("%q is not a key: %s", key, why).
			WithHint(`keys look like workspace.strategy, actors[0].name or gates["odd.name"]`)
	}
	var out []step
	rest := key
	for first := true; first || rest != ""; first = false {
		switch {
		case strings.HasPrefix(rest, `["`):
			name, n, ok := quoted(rest[1:])
			if !ok || !strings.HasPrefix(rest[1+n:], "]") {
				return nil, bad("a quoted name does not end")
			}
			out = append(out, step{name: name})
			rest = rest[1+n+1:]
		case strings.HasPrefix(rest, "["):
			close := strings.IndexByte(rest, ']')
			if close < 0 {
				return nil, bad("a bracket does not close")
			}
			i, err := strconv.ParseUint(rest[1:close], 10, 31)
			if err != nil {
				return nil, bad("an index is a whole number from 0 up")
			}
			out = append(out, step{index: int(i), isIndex: true})
			rest = rest[close+1:]
		default:
			if !first {
				if rest[0] != '.' {
					return nil, bad("names are separated by dots")
				}
				rest = rest[1:]
			}
			end := strings.IndexAny(rest, ".[")
			if end < 0 {
				end = len(rest)
			}
			if end == 0 {
				return nil, bad("a name is empty")
			}
			out = append(out, step{name: rest[:end]})
			rest = rest[end:]
		}
	}
	return out, nil
}

// quoted reads the JSON string at the start of s and says how long its text is.
func quoted(s string) (value string, length int, ok bool) {
	for i := 1; i < len(s); i++ {
		switch s[i] {
		case '\\':
			i++
		case '"':
			root, faults := parse(&source{text: []byte(s[:i+1])})
			if len(faults) > 0 {
				return "", 0, false
			}
			return root.text, i + 1, true
		}
	}
	return "", 0, false
}

// resolve finds the declaration of a key. The refusal lists what is allowed there and suggests the nearest.
func resolve(key string) ([]step, *Key, error) {
	path, err := parseKey(key)
	if err != nil {
		return nil, nil, err
	}
	k, done := &format, ""
	for _, s := range path {
		switch {
		case s.isIndex && k.Type == list:
			k, done = k.Elem, at(done, s.index)
			continue
		case s.isIndex:
			return nil, nil, fault.Bad("%s is not a key: %s is no array", key, orRoot(done))
		case k.Type == mapping:
			k, done = k.Elem, join(done, s.name)
			continue
		case k.Type == list:
			return nil, nil, fault.Bad("%s is not a key: %s is an array, name an element as %s", key, done, at(done, 0))
		case k.Type != object:
			return nil, nil, fault.Bad("%s is not a key: %s has nothing below it", key, done)
		}
		next := k.key(s.name)
		if next == nil {
			allowed := k.names(FileLayer)
			e := fault.Bad("%s is not a key; allowed in %s: %s", key, orRoot(done), words.List(allowed))
			return nil, nil, e.WithHint("did you mean %s?", suggestKey(k, FileLayer, done, s.name))
		}
		k, done = next, join(done, s.name)
	}
	return path, k, nil
}

func orRoot(path string) string {
	if path == "" {
		return "the file"
	}
	return path
}
