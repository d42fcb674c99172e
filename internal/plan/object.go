package plan

import (
	"slices"
	"strings"

	"tasker/internal/words"
)

// object is an object whose names are all declared.
type object[T any] struct {
	props   []prop[T]
	refused map[string]string // names that are known to stand elsewhere, and where
}

// prop is one declared name of an object.
type prop[T any] struct {
	name   string
	about  string // for the schema
	must   bool
	read   func(r *reader, into *T)
	check  func(n *notes, of *T)
	given  func(of *T) bool
	schema func() members
}

// required is a name that must be there.
func required[T, V any](name, about string, x rule[V], at func(*T) *V) prop[T] {
	p := optional(name, about, x, at)
	p.must = true
	return p
}

// optional is a name that may be left out, which is then the same as its empty value.
func optional[T, V any](name, about string, x rule[V], at func(*T) *V) prop[T] {
	return prop[T]{
		name: name, about: about, schema: x.schema,
		read:  func(r *reader, into *T) { *at(into), _ = x.read(r) },
		check: func(n *notes, of *T) { x.check(n, *at(of)) },
		given: func(*T) bool { return true },
	}
}

// field is a name that may be left out, kept in a Field.
func field[T, V any](name, about string, x rule[V], at func(*T) *Field[V]) prop[T] {
	return prop[T]{
		name: name, about: about, schema: x.schema,
		read: func(r *reader, into *T) {
			f := at(into)
			f.Value, f.Set = x.read(r)
		},
		check: func(n *notes, of *T) { x.check(n, at(of).Value) },
		given: func(of *T) bool { return at(of).Set },
	}
}

// inner lifts the props of a part into the whole that holds it.
func inner[T, P any](props []prop[P], at func(*T) *P) []prop[T] {
	out := make([]prop[T], len(props))
	for i, p := range props {
		out[i] = prop[T]{
			name: p.name, about: p.about, must: p.must, schema: p.schema,
			read:  func(r *reader, into *T) { p.read(r, at(into)) },
			check: func(n *notes, of *T) { p.check(n, at(of)) },
			given: func(of *T) bool { return p.given(at(of)) },
		}
	}
	return out
}

// demand makes names of a list required.
func demand[T any](props []prop[T], names ...string) []prop[T] {
	out := slices.Clone(props)
	for i := range out {
		out[i].must = out[i].must || slices.Contains(names, out[i].name)
	}
	return out
}

func (x *object[T]) read(r *reader) (v T, ok bool) {
	if r.next() != '{' {
		r.misfit("an object")
		return v, false
	}
	before := r.count
	r.open()
	start := r.here
	var seen uint64 // by place in props
	guess := 0      // names mostly come in the declared order
	for r.more() {
		raw := r.raw()
		i := x.find(raw, guess)
		if i < 0 {
			x.unknown(r, raw)
			continue
		}
		guess = i + 1
		r.enter(x.props[i].name)
		if seen&(1<<i) != 0 {
			r.note("is given twice")
		}
		seen |= 1 << i
		x.props[i].read(r, &v)
		r.leave()
	}
	r.shut()
	if r.broken != nil {
		return v, false
	}
	r.here = start
	for i := range x.props {
		if x.props[i].must && seen&(1<<i) == 0 {
			r.enter(x.props[i].name)
			r.note("is required")
			r.leave()
		}
	}
	return v, r.count == before
}

// find gives the place of a quoted name in props, -1 where it is not declared.
func (x *object[T]) find(raw []byte, guess int) int {
	for k := range x.props {
		i := (guess + k) % len(x.props)
		if name := x.props[i].name; len(raw) == len(name)+2 && string(raw[1:len(raw)-1]) == name {
			return i
		}
	}
	if slices.Contains(raw, '\\') { // an escaped name is the name
		var r reader
		r.dirty = true
		if name, ok := r.unquote(raw); ok {
			return slices.IndexFunc(x.props, func(p prop[T]) bool { return p.name == name })
		}
	}
	return -1
}

// unknown notes a name that is not declared, and takes its value.
func (x *object[T]) unknown(r *reader, raw []byte) {
	name, ok := r.unquote(raw)
	if r.broken != nil {
		return
	}
	if ok {
		r.enter(name)
		if why := x.refused[name]; why != "" {
			r.note("%s", why)
		} else {
			r.note("unknown key; allowed: %s%s", strings.Join(x.names(), ", "), x.meant(name))
		}
		r.leave()
	}
	r.raw()
}

func (x *object[T]) names() []string {
	out := make([]string, len(x.props))
	for i, p := range x.props {
		out[i] = p.name
	}
	return out
}

func (x *object[T]) meant(name string) string {
	return words.Meant(name, x.names())
}

func (x *object[T]) check(n *notes, v T) bool { return x.checkAt(n, &v) }

func (x *object[T]) checkAt(n *notes, v *T) bool {
	before := n.count
	for _, p := range x.props {
		n.enter(p.name)
		switch {
		case p.given(v):
			p.check(n, v)
		case p.must:
			n.note("is required")
		}
		n.leave()
	}
	return n.count == before
}

func (x *object[T]) schema() members {
	var props members
	var must []any
	for _, p := range x.props {
		s := slices.Clone(p.schema())
		if p.about != "" {
			s = append(members{{"description", p.about}}, s...)
		}
		props = append(props, member{p.name, s})
		if p.must {
			must = append(must, p.name)
		}
	}
	m := members{{"type", "object"}, {"properties", props}}
	if must != nil {
		m = append(m, member{"required", must})
	}
	return append(m, member{"additionalProperties", false})
}
