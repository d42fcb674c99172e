// Package strict reads JSON against a declaration and refuses whatever is not declared.
//
// A declaration is a Rule: Text, Enum, Whole, Flag, List, Table and Object, and Clearable and Maybe around them. Types
// derives one from a Go type. From the one declaration come
//
//   - the reading of a document into Go values (Decode, DecodeInto), value by value, without a tree in between, so that the memory
//     it takes stays in proportion to what the document holds;
//   - the check of values that Go built (Check);
//   - the JSON Schema (Render).
//
// ReadNode reads a document as Nodes instead, which know the line and column that they were written in. Merge lays one over
// another, and keys such as actors[0].name (ParsePath) lead to a value in it.
//
// Reading goes on past what does not fit, and every fault is collected in Notes with its path (tasks[3].deps[0]) and its
// line, and with the name that was probably meant. Only text that is no JSON at all ends it.
package strict

// Rule says what a value may be.
type Rule[V any] interface {
	// Read takes the next value. Where it does not fit, Read notes why and returns false.
	Read(r *Reader) (V, bool)
	// Check notes why a value that Go built does not fit, and reports whether it does.
	Check(n *Notes, v V) bool
	// Schema describes what fits.
	Schema() Members
}

// Decode reads a document. what names it in a refusal: the plan. The value is returned with the error as far as it
// could be read; whole reports whether the text was JSON to its end, so that the value holds all that fits. more is
// called before the faults are gathered, for checks over the value as a whole; it may be nil. Texts of the value are parts of
// src, which must not be written to any more: a copy would double the memory of a large document.
func Decode[V any](src []byte, what string, x Rule[V], more func(*Notes, *V)) (v V, whole bool, err error) {
	r := newReader(src)
	v, _ = x.Read(r)
	if more != nil {
		more(&r.Notes, &v)
	}
	return v, r.broken == nil, r.end(what)
}

// DecodeInto is Decode into a value that is there already.
func DecodeInto[T any](src []byte, what string, x *Object[T], into *T) error {
	r := newReader(src)
	x.ReadAt(r, into)
	return r.end(what)
}
