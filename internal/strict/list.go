package strict

import (
	"cmp"
	"maps"
	"slices"
	"strings"
)

// List is a list of Min to Max items. If Max is 0, the code that uses the list must bound it.
type List[V any] struct {
	Item     Rule[V]
	Min, Max int
	Bytes    int         // of all items together, measured by Size; 0: no limit
	Size     func(V) int // of an item; required with Bytes
	Mark     string      // occurs in the source about once per item, so that a long list is allocated at once
}

// Read reads every item. After Max it skips them, so that memory stays bounded.
func (x List[V]) Read(r *Reader) ([]V, bool) {
	var out []V
	if x.Mark != "" {
		out = make([]V, 0, min(x.Max, strings.Count(r.text, x.Mark)))
	}
	ok := r.items("", x.Min, x.Max, func() {
		v, _ := x.Item.Read(r)
		if len(out) == cap(out) {
			out = slices.Grow(out, max(4, len(out)))
		}
		out = append(out, v)
	})
	return out, x.fits(&r.Notes, out) && ok
}

// fits notes items that are too large together.
func (x List[V]) fits(n *Notes, items []V) bool {
	if x.Bytes == 0 {
		return true
	}
	bytes := 0
	for _, v := range items {
		bytes += x.Size(v)
	}
	if bytes > x.Bytes {
		n.Note("must take at most %d KiB in all, and takes %d", x.Bytes>>10, (bytes+1023)>>10)
	}
	return bytes <= x.Bytes
}

// items reads a list of least to limit items (0: no limit), each by take, and reports whether all of it fits. called is
// what a refusal calls the list.
func (r *Reader) items(called string, least, limit int, take func()) bool {
	if r.next() != '[' {
		r.misfit(cmp.Or(called, "a list"))
		return false
	}
	before := r.count
	r.open()
	start := r.here
	n := 0
	for ; r.more(); n++ {
		if limit > 0 && n >= limit {
			r.raw()
			if n == limit {
				r.Note("must have at most %d items", limit)
			}
			continue
		}
		r.EnterAt(n)
		take()
		r.Leave()
	}
	r.delimiter()
	if r.here = start; n < least {
		r.Note("must not be empty")
	}
	return r.broken == nil && r.count == before
}

// Check notes a list that is too long or too short, and items that do not fit.
func (x List[V]) Check(n *Notes, v []V) bool {
	before := n.count
	if x.Max > 0 && len(v) > x.Max {
		n.Note("must have at most %d items, and has %d", x.Max, len(v))
	}
	if len(v) < x.Min {
		n.Note("must not be empty")
	}
	for i := range v {
		if x.Max > 0 && i == x.Max {
			break
		}
		n.EnterAt(i)
		x.Item.Check(n, v[i])
		n.Leave()
	}
	x.fits(n, v)
	return n.count == before
}

// Schema describes the items and how many there may be.
func (x List[V]) Schema() Members { return listOf(x.Item.Schema(), x.Min, x.Max) }

// listOf describes a list of at least and at most so many items (0: no limit).
func listOf(item Members, least, most int) Members {
	m := Members{{"type", "array"}, {"items", item}}
	if least > 0 {
		m = append(m, Member{"minItems", least})
	}
	if most > 0 {
		m = append(m, Member{"maxItems", most})
	}
	return m
}

// Table is an object with up to Max names of the user's own.
type Table[V any] struct {
	Name  Text[string]
	Value Rule[V]
	Max   int
}

// Read reads every name and its value. After Max it skips them.
func (x Table[V]) Read(r *Reader) (map[string]V, bool) {
	out := map[string]V{}
	ok := r.members("", x.Max, func(name string, _ int64, _ bool) {
		x.Name.Check(&r.Notes, name)
		out[name], _ = x.Value.Read(r)
	})
	return out, ok
}

// members reads an object of up to limit names (0: no limit), each value by take, and reports whether all of it fits.
// called is what a refusal calls the object. at is the position of the name.
func (r *Reader) members(called string, limit int, take func(name string, at int64, twice bool)) bool {
	if r.next() != '{' {
		r.misfit(cmp.Or(called, "an object"))
		return false
	}
	before := r.count
	r.open()
	start := r.here
	seen := map[string]bool{}
	for r.more() {
		name, _ := r.unquote(r.raw())
		if r.broken != nil {
			break
		}
		r.Enter(name)
		if seen[name] {
			r.Note("is given twice")
		}
		take(name, r.here, seen[name])
		r.Leave()
		if seen[name] = true; limit > 0 && len(seen) > limit {
			r.Note("must have at most %d names", limit)
			for r.more() {
				r.raw()
				r.raw()
			}
		}
	}
	r.delimiter()
	r.here = start
	return r.broken == nil && r.count == before
}

// Check notes names and values that do not fit.
func (x Table[V]) Check(n *Notes, v map[string]V) bool {
	before := n.count
	if len(v) > x.Max {
		n.Note("must have at most %d names, and has %d", x.Max, len(v))
	}
	for _, name := range slices.Sorted(maps.Keys(v)) {
		n.Enter(name)
		x.Name.Check(n, name)
		x.Value.Check(n, v[name])
		n.Leave()
	}
	return n.count == before
}

// Schema describes the names and values.
func (x Table[V]) Schema() Members {
	return Members{
		{"type", "object"}, {"propertyNames", x.Name.Schema()},
		{"additionalProperties", x.Value.Schema()}, {"maxProperties", x.Max},
	}
}
