// Package strict reads JSON against a declaration and refuses everything that is not declared.
//
// A declaration is a Rule: Text, Enum, Whole, Flag, List, Table and Object, and Clearable and Maybe around them. Types
// derives one from a Go type. The declaration is used for
//
//   - the reading of a document into Go values (Decode, DecodeInto), value by value, without a tree in between, so that the memory
//     it takes stays in proportion to what the document holds;
//   - the check of values that Go built (Check);
//   - the JSON Schema (Render).
//
// ReadNode instead reads a document as Nodes, which know their line and column. Merge merges one into another, and keys
// such as actors[0].name (ParsePath) lead to a value in it.
//
// Reading continues after values that do not fit, and Notes collects every fault with its path (tasks[3].deps[0]) and
// its line, and with the name that was probably meant. Only text that is not JSON at all ends it.
//
// The other way, a Writer writes the members that a Record lists.
package strict

// Rule says what a value may be.
type Rule[V any] interface {
	// Read reads the next value. If it does not fit, Read notes why and returns false.
	Read(r *Reader) (V, bool)
	// Check notes why a value built in Go does not fit, and reports whether it does.
	Check(n *Notes, v V) bool
	// Schema describes what fits.
	Schema() Members
}

// Decode reads a document. what names it in a refusal: the plan. The value is returned with the error as far as it
// could be read; whole reports whether the text was JSON to its end, so that the value has everything that fits. more
// is called before the faults are collected, for checks of the value as a whole; it may be nil. Texts of the value are
// slices of src, which must not be modified afterwards: a copy would double the memory of a large document.
func Decode[V any](src []byte, what string, x Rule[V], more func(*Notes, *V)) (v V, whole bool, err error) {
	r := newReader(src)
	v, _ = x.Read(r)
	if more != nil {
		more(&r.Notes, &v)
	}
	return v, r.broken == nil, r.end(what)
}

// DecodeInto is Decode into an existing value.
func DecodeInto[T any](src []byte, what string, x *Object[T], into *T) error {
	r := newReader(src)
	x.ReadAt(r, into)
	return r.end(what)
}
