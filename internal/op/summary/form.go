package summary

import (
	"reflect"
	"slices"
	"strings"
	"sync"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// form defines the short form of a record: which of its members it has, by their JSON names. It holds no map, so that
// forms cost nothing when the program starts.
type form struct {
	only string // these members in this order; a member with a ! is written even if it is empty
	but  string // without only: all except these, in the order of the record
	with []part // further rules for members
}

// part is a rule for one member of a form.
type part struct {
	name   string
	form   *form                // how the member is shortened if it is a record itself, or a list of records
	unless any                  // the member is left out if it has this value, instead of an empty one
	made   func(record any) any // computes a member that is not a field of the record, from a pointer to the record
}

// short is a record, given by pointer, that is written in a form.
type short struct {
	record any
	form   *form
}

// MarshalJSONTo writes the members that the form chooses.
func (s short) MarshalJSONTo(enc *jsontext.Encoder) error {
	return s.form.write(enc, reflect.ValueOf(s.record))
}

func (f *form) write(enc *jsontext.Encoder, v reflect.Value) error {
	switch v.Kind() {
	case reflect.Pointer:
		if v.IsNil() {
			return enc.WriteToken(jsontext.Null)
		}
		return f.write(enc, v.Elem())
	case reflect.Slice:
		if err := enc.WriteToken(jsontext.BeginArray); err != nil {
			return err
		}
		for i := range v.Len() {
			if err := f.write(enc, v.Index(i)); err != nil {
				return err
			}
		}
		return enc.WriteToken(jsontext.EndArray)
	default:
		return f.writeRecord(enc, v)
	}
}

func (f *form) writeRecord(enc *jsontext.Encoder, v reflect.Value) error {
	if err := enc.WriteToken(jsontext.BeginObject); err != nil {
		return err
	}
	for _, m := range f.members(v.Type()) {
		value := m.of(v)
		if m.silent(value) {
			continue
		}
		if err := enc.WriteToken(jsontext.String(m.name)); err != nil {
			return err
		}
		if err := m.write(enc, value); err != nil {
			return err
		}
	}
	return enc.WriteToken(jsontext.EndObject)
}

// member is a member of a record type that a form chooses.
type member struct {
	part
	index  []int // of its field
	always bool
}

// of returns the value of the member in a record.
func (m *member) of(record reflect.Value) reflect.Value {
	if m.made != nil {
		return reflect.ValueOf(m.made(record.Addr().Interface()))
	}
	return record.FieldByIndex(m.index)
}

// silent reports whether a member's value is left out.
func (m *member) silent(value reflect.Value) bool {
	switch kind := value.Kind(); {
	case m.always:
		return false
	case m.unless != nil:
		return value.Interface() == m.unless
	case kind == reflect.Slice:
		return value.Len() == 0
	case kind == reflect.Pointer && m.form != nil && !value.IsNil() && value.Elem().Kind() == reflect.Struct:
		return m.silent(value.Elem())
	case kind == reflect.Struct && m.form != nil:
		return !slices.ContainsFunc(m.form.members(value.Type()), func(below member) bool { return !below.silent(below.of(value)) })
	}
	return value.IsZero()
}

func (m *member) write(enc *jsontext.Encoder, value reflect.Value) error {
	if m.form != nil {
		return m.form.write(enc, value)
	}
	if value.CanAddr() { // pass a pointer on without a copy
		value = value.Addr()
	}
	return json.MarshalEncode(enc, value.Interface())
}

// chosen caches the members of each form and type that was written: finding them takes longer than writing them.
var chosen sync.Map // choice -> []member

type choice struct {
	form *form
	of   reflect.Type
}

// members returns the members that a form chooses from a record type.
func (f *form) members(t reflect.Type) []member {
	if known, ok := chosen.Load(choice{f, t}); ok {
		return known.([]member)
	}
	var all []string
	index := map[string][]int{}
	for _, field := range reflect.VisibleFields(t) {
		if name, _, _ := strings.Cut(field.Tag.Get("json"), ","); name != "" && name != "-" {
			all, index[name] = append(all, name), field.Index
		}
	}
	if f.only != "" {
		all = strings.Fields(f.only)
	}
	var out []member
	for _, name := range all {
		name, always := strings.CutSuffix(name, "!")
		if !slices.Contains(strings.Fields(f.but), name) {
			m := member{part: part{name: name}, index: index[name], always: always}
			if at := slices.IndexFunc(f.with, func(p part) bool { return p.name == name }); at >= 0 {
				m.part = f.with[at]
			}
			out = append(out, m)
		}
	}
	chosen.Store(choice{f, t}, out)
	return out
}
