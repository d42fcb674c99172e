package strict

import (
	"bytes"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"tasker/internal/text/words"
)

// Whole is a whole number from Min to Max; if both are 0, any number that fits an int64.
type Whole[N ~int | ~int64] struct {
	Min, Max N
	Called   string // what a refusal says it must be; the range unless given
}

// Read reads a number in the range.
func (x Whole[N]) Read(r *Reader) (N, bool) {
	if r.next() != '0' {
		r.misfit(x.want())
		return 0, false
	}
	raw := r.raw()
	if r.broken != nil {
		return 0, false
	}
	n, ok := WholeNumber(raw)
	if ok && !x.bounded() && (n == math.MinInt64 || n == math.MaxInt64) {
		_, err := strconv.ParseInt(string(raw), 10, 64) // it may be out of range
		ok = err == nil
	}
	if !ok || x.bounded() && (n < int64(x.Min) || n > int64(x.Max)) {
		r.Note("must be %s, not %s", x.want(), shown(raw))
		return 0, false
	}
	return N(n), true
}

// Check notes a number outside the range.
func (x Whole[N]) Check(n *Notes, v N) bool {
	if x.bounded() && (v < x.Min || v > x.Max) {
		n.Note("must be %s, not the number %d", x.want(), v)
		return false
	}
	return true
}

func (x Whole[N]) bounded() bool { return x.Min != 0 || x.Max != 0 }

func (x Whole[N]) want() string {
	switch {
	case x.Called != "":
		return x.Called
	case !x.bounded():
		return "a whole number"
	}
	return "a whole number from " + strconv.FormatInt(int64(x.Min), 10) + " to " + strconv.FormatInt(int64(x.Max), 10)
}

// Schema describes the range.
func (x Whole[N]) Schema() Members {
	if !x.bounded() {
		return Members{{"type", "integer"}}
	}
	return Members{{"type", "integer"}, {"minimum", x.Min}, {"maximum", x.Max}}
}

// Flag is true or false.
type Flag struct{}

// Read reads true or false.
func (Flag) Read(r *Reader) (bool, bool) {
	switch k := r.next(); k {
	case 't', 'f':
		r.raw()
		return k == 't', r.broken == nil
	default:
		r.misfit("true or false")
		return false, false
	}
}

// Check notes nothing: either value fits.
func (Flag) Check(*Notes, bool) bool { return true }

// Schema describes a boolean.
func (Flag) Schema() Members { return Members{{"type", "boolean"}} }

// Clearable is what Rule allows, or null, which stands for Cleared. Values built in Go contain Cleared itself, so it
// always fits.
type Clearable[V any] struct {
	Rule    Rule[V]
	Cleared V
	Is      func(V) bool // reports whether a value is the cleared one; nil if Rule accepts it anyway
}

// Null lets null clear a value whose zero value already fits the rule.
func Null[V any](x Rule[V]) Clearable[V] { return Clearable[V]{Rule: x} }

// Read reads null, or what the rule allows.
func (x Clearable[V]) Read(r *Reader) (V, bool) {
	if r.next() == 'n' {
		r.raw()
		return x.Cleared, r.broken == nil
	}
	return x.Rule.Read(r)
}

// Check notes a value that is neither cleared nor fits the rule.
func (x Clearable[V]) Check(n *Notes, v V) bool {
	return x.Is != nil && x.Is(v) || x.Rule.Check(n, v)
}

// Schema returns the rule's schema, with null.
func (x Clearable[V]) Schema() Members {
	return nullable(x.Rule.Schema())
}

// nullable returns a schema that also allows null.
func nullable(schema Members) Members {
	m := slices.Clone(schema)
	for i := range m {
		switch m[i].Name {
		case "type":
			if kind, one := m[i].Value.(string); one {
				m[i].Value = []any{kind, "null"}
			}
		case "enum":
			m[i].Value = append(slices.Clone(m[i].Value.([]any)), nil)
		case "$ref":
			return Members{{"anyOf", []any{schema, Members{{"type", "null"}}}}}
		}
	}
	return m
}

// Maybe is what Rule allows, or null, which means the same as leaving it out.
type Maybe[V any] struct{ Rule Rule[V] }

// Read reads null, or what the rule allows.
func (x Maybe[V]) Read(r *Reader) (*V, bool) {
	if r.next() == 'n' {
		r.raw()
		return nil, r.broken == nil
	}
	v, ok := x.Rule.Read(r)
	return &v, ok
}

// Check notes a value that is given but does not fit.
func (x Maybe[V]) Check(n *Notes, v *V) bool { return v == nil || x.Rule.Check(n, *v) }

// Schema returns the rule's schema, with null.
func (x Maybe[V]) Schema() Members { return Null(x.Rule).Schema() }

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

// WholeNumber reads a JSON number that is whole however it is written (3, 3.0, 30e-1), as JSON Schema does. A number
// outside the range of int64 is read as the nearest end of the range.
func WholeNumber(raw []byte) (n int64, ok bool) {
	if n, err := strconv.ParseInt(string(raw), 10, 64); err == nil {
		return n, true
	}
	digits, negative := bytes.CutPrefix(raw, []byte("-"))
	var exp int64
	if i := bytes.IndexAny(digits, "eE"); i >= 0 {
		exp, _ = strconv.ParseInt(string(digits[i+1:]), 10, 64) // out of range, it is the nearest end
		digits = digits[:i]
	}
	exp = max(math.MinInt32, min(exp, math.MaxInt32))
	if i := bytes.IndexByte(digits, '.'); i >= 0 {
		fraction := digits[i+1:]
		exp -= int64(len(fraction))
		digits = append(bytes.Clone(digits[:i]), fraction...)
	}
	digits = bytes.TrimLeft(digits, "0")
	if len(digits) == 0 {
		return 0, true
	}
	trimmed := bytes.TrimRight(digits, "0")
	exp += int64(len(digits) - len(trimmed))
	if exp < 0 {
		return 0, false
	}
	const most = 20 // digits: more than any int64 has
	text := string(trimmed) + strings.Repeat("0", int(min(exp, most)))
	if negative {
		text = "-" + text
	}
	n, _ = strconv.ParseInt(text, 10, 64) // the nearest end, if it is out of range
	return n, true
}
