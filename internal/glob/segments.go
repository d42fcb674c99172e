package glob

import (
	"path"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
)

// Segments splits a glob at its slashes, except in classes. Empty segments and `.` are ignored; a slash at the end
// means everything below.
func Segments(text string) (out []string, ok bool) {
	from := 0
	add := func(to int) {
		seg := text[from:to]
		doubled := seg == "**" && len(out) > 0 && out[len(out)-1] == "**"
		if seg != "" && seg != "." && !doubled {
			out = append(out, seg)
		}
	}
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '\\':
			if i++; i < len(text) && text[i] == '/' {
				add(i - 1)
				from = i + 1
			}
		case '[':
			n := ClassEnd(text[i:])
			if n < 0 {
				return nil, false
			}
			i += n
		case '/':
			add(i)
			from = i + 1
		}
	}
	add(len(text))
	if n := len(out); strings.HasSuffix(text, "/") && (n == 0 || out[n-1] != "**") {
		out = append(out, "**")
	}
	if len(out) == 0 { // only "."
		out = []string{"**"}
	}
	return out, true
}

// maxAlternatives is how many alternatives a glob may have.
const maxAlternatives = 256

// Alternatives expands `{a,b}`, nested ones too, as the shell does. ok is false if a brace or class is not closed, or
// if there are too many alternatives.
func Alternatives(text string) (out []string, ok bool) {
	todo := []string{text}
	for turns := 0; len(todo) > 0; turns++ {
		if len(todo)+len(out) > maxAlternatives || turns > 8*maxAlternatives {
			return nil, false
		}
		s := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		open, parts, end, ok := firstBrace(s)
		if !ok {
			return nil, false
		}
		if open < 0 {
			out = append(out, s)
			continue
		}
		for _, part := range parts {
			todo = append(todo, s[:open]+part+s[end+1:])
		}
	}
	return out, true
}

// firstBrace returns where the first brace outside classes opens and ends, and its parts. open is negative if there is
// none.
func firstBrace(s string) (open int, parts []string, end int, ok bool) {
	open = -1
	depth, from := 0, 0
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case '\\':
			i++
		case '[':
			n := ClassEnd(s[i:])
			if n < 0 {
				return 0, nil, 0, false
			}
			i += n
		case '{':
			if depth == 0 {
				open, from = i, i+1
			}
			depth++
		case ',':
			if depth == 1 {
				parts = append(parts, s[from:i])
				from = i + 1
			}
		case '}':
			if depth == 1 {
				return open, append(parts, s[from:i]), i, true
			}
			depth = max(0, depth-1)
		}
	}
	return open, parts, 0, depth == 0
}

// ClassEnd returns where the class at the start of s closes, or a negative number if it does not.
func ClassEnd(s string) int {
	for i := 1; i < len(s); i++ {
		switch s[i] {
		case '\\':
			i++
		case ']':
			return i
		}
	}
	return -1
}

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
