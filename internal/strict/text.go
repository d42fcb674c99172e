package strict

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"tasker/internal/text/words"
)

// Text is a string of Min to Max characters, or bytes, without U+0000. If Max is 0, the code that uses the text must
// bound it.
type Text[S ~string] struct {
	Min, Max int                  // Min is 0 or 1
	Bytes    bool                 // Max counts bytes
	Visible  bool                 // not only blanks
	Line     bool                 // without control characters: names, which appear in commands and on one line
	Fits     func(*Notes, string) // notes why a text does not fit; not called for an empty one
	Pattern  string               // the same for the schema, as a regular expression that matches the whole text
	Called   string               // what a refusal says it must be; a string unless given
}

// Read reads a string that fits.
func (x Text[S]) Read(r *Reader) (S, bool) {
	s, ok := r.str(x.Called)
	return S(s), ok && x.Check(&r.Notes, S(s))
}

// Check notes why a text does not fit.
func (x Text[S]) Check(n *Notes, v S) bool {
	s := string(v)
	before := n.count
	if x.Fits != nil && s != "" {
		x.Fits(n, s) // it says more than the bounds do
	}
	switch {
	case n.count > before:
	case len(s) < x.Min && x.Called != "":
		n.Note("must be %s, not the empty string", x.Called)
	case len(s) < x.Min:
		n.Note("must not be empty")
	case x.Visible && s != "" && strings.TrimSpace(s) == "":
		n.Note("must not be blank")
	case x.Max > 0 && x.Bytes && len(s) > x.Max:
		n.Note("must have at most %d bytes, and has %d", x.Max, len(s))
	case x.Max > 0 && !x.Bytes && len(s) > x.Max && utf8.RuneCountInString(s) > x.Max:
		n.Note("must have at most %d characters, and has %d", x.Max, utf8.RuneCountInString(s))
	case strings.IndexByte(s, 0) >= 0:
		n.Note("holds U+0000, which no text may hold")
	case !n.sourced && !utf8.ValidString(s): // the reader has already checked what it read
		n.Note("holds text that is not valid UTF-8")
	case x.Line && strings.ContainsFunc(s, unicode.IsControl):
		n.Note("holds a control character, which no name may hold")
	}
	return n.count == before
}

// blanks are the characters of unicode.IsSpace, as they appear in a class of a regular expression.
const blanks = `\t-\r ` + "\u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000"

// Schema describes the text.
func (x Text[S]) Schema() Members {
	m := Members{{"type", "string"}}
	if x.Min > 0 {
		m = append(m, Member{"minLength", x.Min})
	}
	pattern := ""
	switch {
	case x.Visible && x.Min > 0:
		pattern = `^[^\x00]*[^\x00` + blanks + `][^\x00]*$`
	case x.Visible:
		pattern = `^(?:[^\x00]*[^\x00` + blanks + `][^\x00]*)?$`
	case x.Line:
		pattern = `^[^\x00-\x1f\x7f-\x9f]*$`
	case x.Pattern != "" && x.Min > 0:
		pattern = "^(?:" + x.Pattern + ")$"
	case x.Pattern != "":
		pattern = "^(?:" + x.Pattern + ")?$"
	case x.Max > 0:
		pattern = `^[^\x00]*$`
	}
	if x.Max > 0 {
		m = append(m, Member{"maxLength", x.Max})
	}
	if pattern != "" {
		m = append(m, Member{"pattern", pattern})
	}
	return m
}

// Enum is one of a few words.
type Enum[S ~string] struct {
	Words []string
	Blank bool // the empty text fits too
}

// Read reads one of the words.
func (x Enum[S]) Read(r *Reader) (S, bool) {
	if r.next() != '"' {
		r.misfit("one of " + words.List(x.Words))
		return "", false
	}
	s, ok := r.str("")
	return S(s), ok && x.Check(&r.Notes, S(s))
}

// Check notes a word that is not one of them.
func (x Enum[S]) Check(n *Notes, v S) bool {
	if slices.Contains(x.Words, string(v)) || x.Blank && v == "" {
		return true
	}
	n.Add(Fault{
		Message: "must be one of " + words.List(x.Words) + ", not the string " + words.Quoted(string(v)),
		Allowed: x.Words, Meant: words.Nearest(string(v), x.Words), listed: true,
	})
	return false
}

// Schema lists the words.
func (x Enum[S]) Schema() Members {
	allowed := Anys(x.Words)
	if x.Blank {
		allowed = append(allowed, "")
	}
	return Members{{"type", "string"}, {"enum", allowed}}
}

// Scalar is a text, a number, true or false, as the text that would represent it in a URL; null is the empty text.
type Scalar struct{}

// Read accepts any value except a list or an object.
func (Scalar) Read(r *Reader) (string, bool) {
	switch r.next() {
	case '"':
		return r.str("")
	case '0', 't', 'f':
		return string(r.raw()), r.broken == nil
	case 'n':
		r.raw()
		return "", r.broken == nil
	default:
		r.misfit("a text, a number, true or false")
		return "", false
	}
}
