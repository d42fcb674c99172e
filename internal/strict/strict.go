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

import (
	"bytes"
	"cmp"
	"strconv"
	"strings"
	"unicode/utf8"
	"unsafe"

	"github.com/go-json-experiment/json/jsontext"

	"tasker/internal/fault"
	"tasker/internal/text/words"
)

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

// Reader reads JSON value by value and continues after values that do not fit. Only a syntax error stops it.
//
// Strings without escapes are slices of the source, which nobody writes to. This is an optimisation: with copies,
// "applying it again unchanged" of make bench allocates 36 % more, and a large document would be in memory twice.
type Reader struct {
	Notes
	src    []byte
	text   string // src as a text: strings without escapes are slices of it
	dec    *jsontext.Decoder
	dirty  bool    // src is not valid UTF-8 throughout
	broken error   // the syntax error
	source *Source // of the nodes that are read; nil when reading values
}

func newReader(src []byte) *Reader {
	src = bytes.TrimPrefix(src, []byte("\ufeff"))
	return &Reader{
		Notes: Notes{sourced: true},
		src:   src, text: unsafe.String(unsafe.SliceData(src), len(src)), dirty: !utf8.Valid(src), //nolint:gosec // nobody writes to src: see Decode
		// We report both as faults with a path, instead of stopping.
		dec: jsontext.NewDecoder(bytes.NewBuffer(src), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true)),
	}
}

// next returns the kind of the next value: n t f " 0 { [, or } and ] at an end; 0 if the text is broken.
func (r *Reader) next() jsontext.Kind {
	if r.broken != nil {
		return 0
	}
	k := r.dec.PeekKind()
	r.here = r.dec.InputOffset()
	return k
}

// raw reads the next value as a whole, or the next name. The bytes are valid until the next call.
func (r *Reader) raw() []byte {
	if r.broken != nil {
		return nil
	}
	v, err := r.dec.ReadValue()
	if err != nil {
		r.broken = err
		return nil
	}
	r.here = r.dec.InputOffset() - int64(len(v))
	return v
}

// open reads the delimiter that an object or list begins with.
func (r *Reader) open() {
	r.delimiter()
	r.here = r.dec.InputOffset() - 1
}

func (r *Reader) delimiter() {
	if r.broken != nil {
		return
	}
	if _, err := r.dec.ReadToken(); err != nil {
		r.broken = err
	}
}

// more reports whether the object or list has another member.
func (r *Reader) more() bool {
	switch r.next() {
	case 0, '}', ']':
		if r.broken == nil && r.dec.PeekKind() == 0 {
			r.delimiter() // to find out what is wrong
		}
		return false
	}
	return true
}

// str reads the next value, which must be a string; called is what a refusal calls it.
func (r *Reader) str(called string) (string, bool) {
	if r.next() != '"' {
		r.misfit(cmp.Or(called, "a string"))
		return "", false
	}
	return r.unquote(r.raw())
}

// unquote returns the text of a string that raw has just read.
func (r *Reader) unquote(raw []byte) (string, bool) {
	if r.broken != nil {
		return "", false
	}
	if !r.dirty && bytes.IndexByte(raw, '\\') < 0 {
		return r.text[r.here+1 : r.here+int64(len(raw))-1], true
	}
	text, err := jsontext.AppendUnquote(nil, raw)
	if err != nil {
		r.Note("holds text that is not valid UTF-8")
		return "", false
	}
	return string(text), true
}

// misfit reads the next value and notes that it is not what it must be.
func (r *Reader) misfit(want string) {
	if r.next() == 0 {
		r.delimiter() // to find out what is wrong
		return
	}
	v := r.raw()
	if r.broken == nil {
		r.Note("must be %s, not %s", want, shown(v))
	}
}

// end notes text after the document, and combines all faults into one error.
func (r *Reader) end(what string) error {
	if r.broken != nil {
		return r.syntax(what)
	}
	r.tail()
	return r.refuse(what, r.src)
}

// tail notes text after the document.
func (r *Reader) tail() {
	offset := r.dec.InputOffset()
	if rest := bytes.TrimLeft(r.src[offset:], " \t\r\n"); len(rest) > 0 {
		r.here = int64(len(r.src) - len(rest))
		r.Note("there is text after the document: %s", words.Quoted(strings.ToValidUTF8(string(rest[:min(len(rest), 200)]), "\ufffd")))
	}
}

// syntax returns the error for a text that is not JSON: the position, and the faults found before it.
func (r *Reader) syntax(what string) error {
	at, why := broken(r.src, r.broken)
	line, column := Place(r.src, at)
	place := "line " + strconv.Itoa(line) + ", column " + strconv.Itoa(column) + ": " + why
	e := fault.Bad("%s is not valid JSON: %s", what, place).WithMissing(r.texts(r.src)...)
	if more := r.count - len(r.faults); more > 0 {
		e.WithMissing("and " + strconv.Itoa(more) + " more before it")
	}
	return e.WithMissing(place).WithHint("correct the text there; nothing was written").WithCause(r.broken)
}
