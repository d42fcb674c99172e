package syntax

import "strings"

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
