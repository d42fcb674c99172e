package plan

import (
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"tasker/internal/words"
)

// rule says what a value may be, for the three who ask: the decoder, the check of what Go built, the schema.
type rule[V any] interface {
	// read takes the next value. Where it does not fit it notes why and gives false.
	read(r *reader) (V, bool)
	// check notes why a value does not fit.
	check(n *notes, v V) bool
	// schema describes what fits.
	schema() members
}

// text is a string of min to max characters, or bytes, without U+0000.
type text[S ~string] struct {
	min, max int
	bytes    bool                // max counts bytes
	line     bool                // without control characters: names, which stand in commands and on one line
	fits     func(string) string // why it does not, "" where it does; not asked about an empty text
	pattern  string              // the same for the schema, as an expression that matches the whole of it
}

func (x text[S]) read(r *reader) (S, bool) {
	s, ok := r.str()
	return S(s), ok && x.check(&r.notes, S(s))
}

func (x text[S]) check(n *notes, v S) bool {
	s := string(v)
	before := n.count
	switch {
	case len(s) < x.min: // min is 0 or 1
		n.note("must not be empty")
	case x.bytes && len(s) > x.max:
		n.note("must have at most %d bytes, and has %d", x.max, len(s))
	case !x.bytes && len(s) > x.max && utf8.RuneCountInString(s) > x.max:
		n.note("must have at most %d characters, and has %d", x.max, utf8.RuneCountInString(s))
	case strings.IndexByte(s, 0) >= 0:
		n.note("holds U+0000, which no text may hold")
	case n.here < 0 && !utf8.ValidString(s): // what was read has been checked
		n.note("holds text that is not valid UTF-8")
	case x.line && strings.ContainsFunc(s, unicode.IsControl):
		n.note("holds a control character, which no name may hold")
	case x.fits != nil && s != "":
		if why := x.fits(s); why != "" {
			n.note("%s", why)
		}
	}
	return n.count == before
}

func (x text[S]) schema() members {
	m := members{{"type", "string"}}
	if x.min > 0 {
		m = append(m, member{"minLength", x.min})
	}
	pattern := `^[^\x00]*$`
	switch {
	case x.line:
		pattern = `^[^\x00-\x1f\x7f-\x9f]*$`
	case x.pattern != "" && x.min > 0:
		pattern = "^(?:" + x.pattern + ")$"
	case x.pattern != "":
		pattern = "^(?:" + x.pattern + ")?$"
	}
	return append(m, member{"maxLength", x.max}, member{"pattern", pattern})
}

// enum is one of a few words; the empty one too where blank is set.
type enum[S ~string] struct {
	words []string
	blank bool
}

func (x enum[S]) read(r *reader) (S, bool) {
	if r.next() != '"' {
		r.misfit("one of " + words.List(x.words))
		return "", false
	}
	s, ok := r.str()
	return S(s), ok && x.check(&r.notes, S(s))
}

func (x enum[S]) check(n *notes, v S) bool {
	if slices.Contains(x.words, string(v)) || x.blank && v == "" {
		return true
	}
	n.note("must be one of %s, not the string %s%s", words.List(x.words), words.Quoted(string(v)), words.Meant(string(v), x.words))
	return false
}

func (x enum[S]) schema() members {
	allowed := anys(x.words)
	if x.blank {
		allowed = append(allowed, "")
	}
	return members{{"enum", allowed}}
}

// whole is a whole number from min to max.
type whole[N ~int | ~int64] struct{ min, max N }

func (x whole[N]) read(r *reader) (N, bool) {
	if r.next() != '0' {
		r.misfit(x.want())
		return 0, false
	}
	raw := r.raw()
	if r.broken != nil {
		return 0, false
	}
	n, ok := wholeNumber(raw)
	if !ok || n < int64(x.min) || n > int64(x.max) {
		r.note("must be %s, not %s", x.want(), shown(raw))
		return 0, false
	}
	return N(n), true
}

func (x whole[N]) check(n *notes, v N) bool {
	if v < x.min || v > x.max {
		n.note("must be %s, not the number %d", x.want(), v)
		return false
	}
	return true
}

func (x whole[N]) want() string {
	return "a whole number from " + strconv.FormatInt(int64(x.min), 10) + " to " + strconv.FormatInt(int64(x.max), 10)
}

func (x whole[N]) schema() members {
	return members{{"type", "integer"}, {"minimum", x.min}, {"maximum", x.max}}
}

// clearable is what rule says, or null, which stands for the value given as cleared; Go says that value itself, so
// that it always fits.
type clearable[V any] struct {
	rule    rule[V]
	cleared V
	is      func(V) bool // tells the cleared value; nil where the rule accepts it anyway
}

func (x clearable[V]) read(r *reader) (V, bool) {
	if r.next() == 'n' {
		r.raw()
		return x.cleared, r.broken == nil
	}
	return x.rule.read(r)
}

func (x clearable[V]) check(n *notes, v V) bool {
	return x.is != nil && x.is(v) || x.rule.check(n, v)
}

func (x clearable[V]) schema() members {
	m := slices.Clone(x.rule.schema())
	for i := range m {
		switch m[i].name {
		case "type":
			m[i].value = []any{m[i].value, "null"}
		case "enum":
			m[i].value = append(slices.Clone(m[i].value.([]any)), nil)
		}
	}
	return m
}

// maybe is what rule says, or null, which is the same as nothing given.
type maybe[V any] struct{ rule rule[V] }

func (x maybe[V]) read(r *reader) (*V, bool) {
	if r.next() == 'n' {
		r.raw()
		return nil, r.broken == nil
	}
	v, ok := x.rule.read(r)
	return &v, ok
}

func (x maybe[V]) check(n *notes, v *V) bool { return v == nil || x.rule.check(n, *v) }

func (x maybe[V]) schema() members { return null(x.rule).schema() }

// list is a list of min to max items.
type list[V any] struct {
	item     rule[V]
	min, max int
	mark     string // stands in the source about once per item, so that a long list gets its room at once
}

func (x list[V]) read(r *reader) ([]V, bool) {
	if r.next() != '[' {
		r.misfit("a list")
		return nil, false
	}
	before := r.count
	r.open()
	start := r.here
	var out []V
	if x.mark != "" {
		out = make([]V, 0, min(x.max, strings.Count(r.text, x.mark)))
	}
	for i := 0; r.more(); i++ {
		if i >= x.max {
			r.raw()
			if i == x.max {
				r.note("must have at most %d items", x.max)
			}
			continue
		}
		r.enterAt(i)
		v, _ := x.item.read(r)
		r.leave()
		if len(out) == cap(out) {
			out = slices.Grow(out, max(4, len(out)))
		}
		out = append(out, v)
	}
	r.shut()
	if r.here = start; len(out) < x.min {
		r.note("must not be empty")
	}
	return out, r.broken == nil && r.count == before
}

func (x list[V]) check(n *notes, v []V) bool {
	before := n.count
	if len(v) > x.max {
		n.note("must have at most %d items, and has %d", x.max, len(v))
	}
	if len(v) < x.min {
		n.note("must not be empty")
	}
	for i := range min(len(v), x.max) {
		n.enterAt(i)
		x.item.check(n, v[i])
		n.leave()
	}
	return n.count == before
}

func (x list[V]) schema() members {
	m := members{{"type", "array"}, {"items", x.item.schema()}}
	if x.min > 0 {
		m = append(m, member{"minItems", x.min})
	}
	return append(m, member{"maxItems", x.max})
}

// table is an object with names of the user's own.
type table[V any] struct {
	name  text[string]
	value rule[V]
	max   int
}

func (x table[V]) read(r *reader) (map[string]V, bool) {
	if r.next() != '{' {
		r.misfit("an object")
		return nil, false
	}
	before := r.count
	r.open()
	start := r.here
	out := map[string]V{}
	for r.more() {
		name, ok := r.unquote(r.raw())
		if r.broken != nil {
			break
		}
		_, twice := out[name]
		r.enter(name)
		if ok {
			x.name.check(&r.notes, name)
		}
		if twice {
			r.note("is given twice")
		}
		v, _ := x.value.read(r)
		r.leave()
		if out[name] = v; len(out) > x.max {
			r.note("must have at most %d names", x.max)
			for r.more() {
				r.raw()
				r.raw()
			}
		}
	}
	r.shut()
	r.here = start
	return out, r.broken == nil && r.count == before
}

func (x table[V]) check(n *notes, v map[string]V) bool {
	before := n.count
	if len(v) > x.max {
		n.note("must have at most %d names, and has %d", x.max, len(v))
	}
	for _, name := range slices.Sorted(maps.Keys(v)) {
		n.enter(name)
		x.name.check(n, name)
		x.value.check(n, v[name])
		n.leave()
	}
	return n.count == before
}

func (x table[V]) schema() members {
	return members{
		{"type", "object"}, {"propertyNames", x.name.schema()},
		{"additionalProperties", x.value.schema()}, {"maxProperties", x.max},
	}
}
