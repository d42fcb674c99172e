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

// open and shut read the delimiters of an object or list.
func (r *Reader) open() {
	r.delimiter()
	r.here = r.dec.InputOffset() - 1
}

func (r *Reader) shut() { r.delimiter() }

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
	r.rest()
	return r.refuse(what, r.src)
}

// rest notes text after the document.
func (r *Reader) rest() {
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
