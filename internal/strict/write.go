package strict

import (
	"bytes"
	"cmp"
	"reflect"
	"strconv"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// JSONOptions are used for every answer: the same value always gives the same bytes. A text that was stored with invalid
// UTF-8 is answered with replacement characters rather than not at all. None of our structs or maps repeats a name, so
// the encoder need not check for that.
var JSONOptions = json.JoinOptions(json.Deterministic(true), jsontext.AllowInvalidUTF8(true), jsontext.AllowDuplicateNames(true))

// Record writes its members, in order. Types marked with //field:json implement it.
type Record interface{ Members(o *Writer) }

// Answered returns an answer as the record that writes it, or nil if reflection writes it. Types marked with
// //field:json answer qualify; a type that merely embeds one has its methods but does not.
func Answered(v any) Record {
	of := reflect.ValueOf(v)
	if of.Kind() == reflect.Pointer {
		if of.IsNil() {
			return nil
		}
		of = of.Elem()
	}
	a, ok := v.(interface{ Answer() Record })
	if !ok {
		return nil
	}
	r := a.Answer()
	if reflect.TypeOf(r).Elem() != of.Type() {
		return nil
	}
	return r
}

// AppendRecord appends a record to b.
func AppendRecord(b []byte, r Record) ([]byte, error) { return AppendRecordAs(b, r, JSONOptions) }

// AppendRecordAs appends a record to b; opts apply to the parts that reflection writes.
func AppendRecordAs(b []byte, r Record, opts json.Options) ([]byte, error) {
	o := Writer{b: b, opts: opts}
	o.record(r)
	return o.b, o.err
}

// EncodeRecord writes a record to an encoder, for records inside something that reflection writes.
func EncodeRecord(enc *jsontext.Encoder, r Record) error {
	opts := JSONOptions
	if own, ok := json.GetOption(enc.Options(), json.WithMarshalers); ok {
		opts = json.JoinOptions(JSONOptions, json.WithMarshalers(own))
	}
	b, err := AppendRecordAs(enc.AvailableBuffer(), r, opts)
	if err != nil {
		return err
	}
	return enc.WriteValue(b)
}

// Writer writes an object without reflection, for the few records that make up nearly every answer. Written by
// reflection they would cost more than reading them from the database: "POST /next" of make bench would take 9 % more
// processor time. The methods that define the output are generated from json tags: see tasker/internal/task/field. The
// output is the same as that of github.com/go-json-experiment/json, and tests compare the two.
type Writer struct {
	b    []byte
	opts json.Options
	err  error // of the first value that could not be written

	shared   any // the record that Shared wrote, and where
	from, to int
}

func (o *Writer) record(r Record) {
	o.b = append(o.b, '{')
	r.Members(o)
	o.b = append(o.b, '}')
}

// name writes the separator, the name and the colon before a value.
func (o *Writer) name(n string) {
	if o.b[len(o.b)-1] != '{' {
		o.b = append(o.b, ',')
	}
	o.b = append(append(append(o.b, '"'), n...), `":`...)
}

// Null writes null.
func (o *Writer) Null(n string) {
	o.name(n)
	o.b = append(o.b, "null"...)
}

// Text writes a text.
func (o *Writer) Text(n, v string) {
	o.name(n)
	o.quote(v)
}

// quote appends a text, with replacement characters for invalid UTF-8, which is all that the error would report.
func (o *Writer) quote(v string) { o.b, _ = jsontext.AppendQuote(o.b, v) }

// Opt writes a text, or null if it is empty.
func (o *Writer) Opt(n, v string) {
	if v == "" {
		o.Null(n)
		return
	}
	o.Text(n, v)
}

// Int writes a number.
func (o *Writer) Int(n string, v int64) {
	o.name(n)
	o.b = strconv.AppendInt(o.b, v, 10)
}

// OptInt writes a number, or null for 0.
func (o *Writer) OptInt(n string, v int64) {
	if v == 0 {
		o.Null(n)
		return
	}
	o.Int(n, v)
}

// Bool writes true or false.
func (o *Writer) Bool(n string, v bool) {
	o.name(n)
	o.b = strconv.AppendBool(o.b, v)
}

// Plain writes what fn appends as a text that needs no escaping.
func (o *Writer) Plain(n string, fn func([]byte) []byte) {
	o.name(n)
	o.b = append(fn(append(o.b, '"')), '"')
}

// Raw writes existing JSON on one line; nil is null.
func (o *Writer) Raw(n string, v []byte) {
	if v == nil {
		o.Null(n)
		return
	}
	if bytes.IndexByte(v, '\n') >= 0 || bytes.IndexByte(v, '\r') >= 0 { // inside a text they are escaped
		c := jsontext.Value(v).Clone()
		o.err = cmp.Or(o.err, c.Compact())
		v = c
	}
	o.name(n)
	o.b = append(o.b, v...)
}

// Record writes an object.
func (o *Writer) Record(n string, r Record) {
	o.name(n)
	o.record(r)
}

// WriteShared writes an object that may occur twice in the same answer: the second time, the first output is copied.
func WriteShared[T any, P interface {
	*T
	Record
}](o *Writer, n string, r P) {
	o.name(n)
	if o.shared == any(r) {
		o.b = append(o.b, o.b[o.from:o.to]...)
		return
	}
	o.shared, o.from = r, len(o.b)
	o.record(r)
	o.to = len(o.b)
}

// Value writes any value, by reflection.
func (o *Writer) Value(n string, v any) {
	b, err := json.Marshal(v, o.opts)
	if err != nil {
		o.err, b = cmp.Or(o.err, err), nil
	}
	o.Raw(n, b)
}

// WriteTexts writes a list of texts.
func WriteTexts[T ~string](o *Writer, n string, list []T) {
	o.list(n, len(list), func(i int) { o.quote(string(list[i])) })
}

// list writes a list of n elements.
func (o *Writer) list(name string, n int, each func(i int)) {
	o.name(name)
	o.b = append(o.b, '[')
	for i := range n {
		if i > 0 {
			o.b = append(o.b, ',')
		}
		each(i)
	}
	o.b = append(o.b, ']')
}

// WriteRecords writes a list of records; of returns the record of an element.
func WriteRecords[T any](o *Writer, n string, list []T, of func(*T) Record) {
	o.list(n, len(list), func(i int) { o.record(of(&list[i])) })
}

// WriteList writes a list that is usually empty; if it is not, by reflection.
func WriteList[T any](o *Writer, n string, list []T) {
	if len(list) == 0 {
		o.Raw(n, []byte("[]"))
		return
	}
	o.Value(n, list)
}
