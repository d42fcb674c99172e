package syntax

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
