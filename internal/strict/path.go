package strict

import (
	"strconv"
	"strings"

	"tasker/internal/fault"
)

// Step is one part of a key: a name, or an index into a list.
type Step struct {
	Name    string
	Index   int
	IsIndex bool
}

// Join appends a name to a path: a.b, or a["odd.name"] if the name could be misread.
func Join(path, name string) string {
	if !bare(name) {
		return path + "[" + string(Quote(nil, name)) + "]"
	}
	if path == "" {
		return name
	}
	return path + "." + name
}

// bare reports whether a name can appear in a key without quotes. The paths of faults quote more names, because they
// are only shown, while a key is read again.
func bare(name string) bool {
	return name != "" && !strings.ContainsFunc(name, func(r rune) bool { return r <= ' ' || r == 0x7f || strings.ContainsRune(`.[]"\`, r) })
}

// At appends an index to a path.
func At(path string, index int) string { return path + "[" + strconv.Itoa(index) + "]" }

// ParsePath reads the notation that Join and At write.
func ParsePath(key string) ([]Step, error) {
	bad := func(why string) error {
		return fault.Bad("%q is not a key: %s", key, why).
			WithHint(`keys look like workspace.strategy, actors[0].name or gates["odd.name"]`)
	}
	var out []Step
	rest := key
	for first := true; first || rest != ""; first = false {
		switch {
		case strings.HasPrefix(rest, `["`):
			name, n, ok := quoted(rest[1:])
			if !ok || !strings.HasPrefix(rest[1+n:], "]") {
				return nil, bad("a quoted name does not end")
			}
			out = append(out, Step{Name: name})
			rest = rest[1+n+1:]
		case strings.HasPrefix(rest, "["):
			end := strings.IndexByte(rest, ']')
			if end < 0 {
				return nil, bad("a bracket does not close")
			}
			i, err := strconv.ParseUint(rest[1:end], 10, 31)
			if err != nil {
				return nil, bad("an index is a whole number from 0 up")
			}
			out = append(out, Step{Index: int(i), IsIndex: true})
			rest = rest[end+1:]
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
			out = append(out, Step{Name: rest[:end]})
			rest = rest[end:]
		}
	}
	return out, nil
}

// quoted reads the JSON string at the start of s and returns its value and the length of its text.
func quoted(s string) (value string, length int, ok bool) {
	for i := 1; i < len(s); i++ {
		switch s[i] {
		case '\\':
			i++
		case '"':
			name, faults, _ := ReadNode(&Source{Text: []byte(s[:i+1])}, "", Anything{})
			return name.Text, i + 1, len(faults) == 0
		}
	}
	return "", 0, false
}
