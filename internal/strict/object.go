package strict

import (
	"slices"

	"tasker/internal/text/words"
)

// Object is an object whose names are all declared. There are at most 64 of them.
type Object[T any] struct {
	Props   []Prop[T]
	Refused map[string]string              // names that do not belong here, and what to say about them
	Open    bool                           // other names are skipped
	Meant   func(path, name string) string // which name was meant by an unknown one in the object at the path; nil: the nearest
}

// Prop is one declared name of an object.
type Prop[T any] struct {
	Name   string
	About  string // for the schema
	Must   bool   // it is required
	Listed bool   // the schema requires it, and the code that uses the object says what is missing without it
	Read   func(r *Reader, into *T)
	Check  func(n *Notes, of *T)
	Given  func(of *T) bool
	Schema func() Members
}

// Required declares a name that must be there.
func Required[T, V any](name, about string, x Rule[V], at func(*T) *V) Prop[T] {
	p := Optional(name, about, x, at)
	p.Must = true
	return p
}

// Optional declares a name that may be left out, which then means the same as its empty value.
func Optional[T, V any](name, about string, x Rule[V], at func(*T) *V) Prop[T] {
	return Prop[T]{
		Name: name, About: about, Schema: x.Schema,
		Read:  func(r *Reader, into *T) { *at(into), _ = x.Read(r) },
		Check: func(n *Notes, of *T) { x.Check(n, *at(of)) },
		Given: func(*T) bool { return true },
	}
}

// Inner turns the names of an embedded part into names of the whole.
func Inner[T, P any](props []Prop[P], at func(*T) *P) []Prop[T] {
	out := make([]Prop[T], len(props))
	for i, p := range props {
		out[i] = Prop[T]{
			Name: p.Name, About: p.About, Must: p.Must, Listed: p.Listed, Schema: p.Schema,
			Read:  func(r *Reader, into *T) { p.Read(r, at(into)) },
			Check: func(n *Notes, of *T) { p.Check(n, at(of)) },
			Given: func(of *T) bool { return p.Given(at(of)) },
		}
	}
	return out
}

// Demand returns the props with some names required.
func Demand[T any](props []Prop[T], names ...string) []Prop[T] {
	out := slices.Clone(props)
	for i := range out {
		out[i].Must = out[i].Must || slices.Contains(names, out[i].Name)
	}
	return out
}

// Read reads an object: every declared name at most once, and no other.
func (x *Object[T]) Read(r *Reader) (v T, ok bool) {
	ok = x.ReadAt(r, &v)
	return v, ok
}

// ReadAt is Read into an existing value.
func (x *Object[T]) ReadAt(r *Reader, v *T) bool {
	if r.next() != '{' {
		r.misfit("an object")
		return false
	}
	before := r.count
	r.open()
	start := r.here
	var seen uint64 // by index in Props
	guess := 0      // names usually come in the declared order
	for r.more() {
		raw := r.raw()
		i := x.find(raw, guess)
		if i < 0 {
			x.unknown(r, raw)
			continue
		}
		guess = i + 1
		r.Enter(x.Props[i].Name)
		if seen&(1<<i) != 0 {
			r.Note("is given twice")
		}
		seen |= 1 << i
		x.Props[i].Read(r, v)
		r.Leave()
	}
	r.delimiter()
	if r.broken != nil {
		return false
	}
	r.here = start
	for i := range x.Props {
		if x.Props[i].Must && seen&(1<<i) == 0 {
			r.Enter(x.Props[i].Name)
			r.Note("is required")
			r.Leave()
		}
	}
	return r.count == before
}

// find returns the index of a quoted name in Props, or -1 if it is not declared.
func (x *Object[T]) find(raw []byte, guess int) int {
	for k := range x.Props {
		i := (guess + k) % len(x.Props)
		if name := x.Props[i].Name; len(raw) == len(name)+2 && string(raw[1:len(raw)-1]) == name {
			return i
		}
	}
	if slices.Contains(raw, '\\') { // an escaped name is the same name
		var r Reader
		r.dirty = true
		if name, ok := r.unquote(raw); ok {
			return slices.IndexFunc(x.Props, func(p Prop[T]) bool { return p.Name == name })
		}
	}
	return -1
}

// unknown notes a name that is not declared, and reads its value.
func (x *Object[T]) unknown(r *Reader, raw []byte) {
	name, ok := r.unquote(raw)
	if r.broken != nil {
		return
	}
	if ok && !x.Open {
		path := r.where()
		r.Enter(name)
		if why := x.Refused[name]; why != "" {
			r.Note("%s", why)
		} else {
			r.Add(x.strange(&r.Notes, path, name))
		}
		r.Leave()
	}
	r.raw()
}

// strange returns the fault for a name that is not declared in the object at the path.
func (x *Object[T]) strange(n *Notes, path, name string) Fault {
	f := Fault{Message: "unknown key"}
	if n.Full() { // it is counted, and not listed
		return f
	}
	f.Allowed = x.Names()
	if x.Meant != nil {
		f.Meant = x.Meant(path, name)
	} else {
		f.Meant = words.Nearest(name, f.Allowed)
	}
	return f
}

// Names lists the declared names.
func (x *Object[T]) Names() []string {
	return words.Each(x.Props, func(p Prop[T]) string { return p.Name })
}

// Check notes members that do not fit, and required ones that are not there.
func (x *Object[T]) Check(n *Notes, v T) bool { return x.CheckAt(n, &v) }

// CheckAt is Check without a copy of the value.
func (x *Object[T]) CheckAt(n *Notes, v *T) bool {
	before := n.count
	for _, p := range x.Props {
		n.Enter(p.Name)
		switch {
		case p.Given(v):
			p.Check(n, v)
		case p.Must:
			n.Note("is required")
		}
		n.Leave()
	}
	return n.count == before
}

// Schema describes the members, in the order of the declaration.
func (x *Object[T]) Schema() Members {
	var props Members
	var must []any
	for _, p := range x.Props {
		s := slices.Clone(p.Schema())
		if p.About != "" {
			s = append(Members{{"description", p.About}}, s...)
		}
		props = append(props, Member{p.Name, s})
		if p.Must || p.Listed {
			must = append(must, p.Name)
		}
	}
	m := Members{{"type", "object"}, {"properties", props}}
	if must != nil {
		m = append(m, Member{"required", must})
	}
	if x.Open {
		return m
	}
	return append(m, Member{"additionalProperties", false})
}
