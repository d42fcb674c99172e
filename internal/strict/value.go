package strict

import (
	"math"
	"slices"
	"strconv"
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
