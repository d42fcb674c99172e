package strict

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// Form is a Rule for values whose type is known only at run time, such as a field of a struct.
type Form interface {
	// ReadInto reads the next value into v. If it does not fit, ReadInto notes why and returns false.
	ReadInto(r *Reader, v reflect.Value) bool
	// Schema describes what fits.
	Schema() Members
}

// Formed is a type that defines the JSON form of its values.
type Formed interface{ Form() Form }

// FormOf returns the form of the values that a rule describes.
func FormOf[V any](x Rule[V]) Form { return typed[V]{x} }

type typed[V any] struct{ Rule[V] }

func (f typed[V]) ReadInto(r *Reader, v reflect.Value) bool {
	at, ok := v.Addr().Interface().(*V)
	if !ok {
		panic(fmt.Sprintf("strict: a rule of %s cannot fill a %s", reflect.TypeFor[V](), v.Type()))
	}
	*at, ok = f.Read(r)
	return ok
}

// Described returns the form of a value that is written and never read.
func Described(schema Members) Form { return described{schema} }

type described struct{ schema Members }

func (d described) Schema() Members { return d.schema }

func (d described) ReadInto(_ *Reader, v reflect.Value) bool {
	panic(fmt.Sprintf("strict: a %s is written, and never read", v.Type()))
}

// Types derives forms from Go types and their json tags. A tag `about:"…"` describes a field in the schema, and
// `required:"true"` makes the schema require a field that the type would make optional. Null means the same as leaving
// a member out.
type Types struct {
	Open bool                      // objects may have names that are not declared: answers may grow
	Ref  func(reflect.Type) string // the address of a struct's schema, "" for one that is written inline; nil for none
}

// Of returns the form of a type. It panics for a type without one; the first test that uses the type finds out.
func (x Types) Of(t reflect.Type) Form {
	if f, ok := reflect.Zero(t).Interface().(Formed); ok && t.Kind() != reflect.Pointer {
		return f.Form()
	}
	if t == reflect.TypeFor[jsontext.Value]() {
		return Described(Members{{"type", "object"}})
	}
	switch t.Kind() {
	case reflect.String:
		return plainText{}
	case reflect.Bool:
		return FormOf(Flag{})
	case reflect.Int:
		return FormOf(Whole[int]{})
	case reflect.Int64:
		return FormOf(Whole[int64]{})
	case reflect.Float64:
		return Described(Members{{"type", "number"}})
	case reflect.Pointer:
		return pointer{x.Of(t.Elem())}
	case reflect.Slice:
		return slice{x.Of(t.Elem())}
	case reflect.Map:
		return Described(Members{{"type", "object"}, {"additionalProperties", x.Of(t.Elem()).Schema()}})
	case reflect.Interface:
		return Described(Members{})
	case reflect.Struct:
		if x.Ref != nil {
			if at := x.Ref(t); at != "" {
				return Described(Members{{"$ref", at}})
			}
		}
		return structure{x.Object(t)}
	default:
		panic(fmt.Sprintf("strict: a %s has no form in JSON", t))
	}
}

// Object declares the fields of a struct that have a name in JSON.
func (x Types) Object(t reflect.Type) *Object[reflect.Value] {
	object := &Object[reflect.Value]{Open: x.Open}
	for _, f := range reflect.VisibleFields(t) {
		name, optional := NameOf(f)
		if name == "" || f.Anonymous {
			continue
		}
		form, must := x.Of(f.Type), f.Tag.Get("required") == "true"
		schema := form.Schema
		if p, ok := form.(pointer); ok && must {
			optional, schema = false, p.elem.Schema
		}
		object.Props = append(object.Props, Prop[reflect.Value]{
			Name: name, About: f.Tag.Get("about"), Must: must, Listed: !optional, Schema: schema,
			Read: func(r *Reader, into *reflect.Value) {
				at := into.FieldByIndex(f.Index)
				if before := r.Count(); r.next() == 'n' {
					r.raw()
				} else if form.ReadInto(r, at); r.Count() > before {
					return
				}
				if must && at.IsZero() {
					r.Note("is required")
				}
			},
		})
	}
	return object
}

// NameOf returns the name of a field in JSON, "" if it has none, and whether it may be left out.
func NameOf(f reflect.StructField) (name string, optional bool) {
	name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
	switch {
	case name == "-" || !f.IsExported():
		return "", false
	case name == "":
		name = f.Name
	}
	return name, slices.Contains(strings.Split(options, ","), "omitzero")
}

// plainText is a text of any type whose kind is string.
type plainText struct{ text Text[string] }

func (f plainText) Schema() Members { return f.text.Schema() }

func (f plainText) ReadInto(r *Reader, v reflect.Value) bool {
	s, ok := f.text.Read(r)
	v.SetString(s)
	return ok
}

// pointer is the form of its element, or null.
type pointer struct{ elem Form }

func (f pointer) ReadInto(r *Reader, v reflect.Value) bool {
	v.Set(reflect.New(v.Type().Elem()))
	return f.elem.ReadInto(r, v.Elem())
}

func (f pointer) Schema() Members { return nullable(f.elem.Schema()) }

type slice struct{ item Form }

func (f slice) ReadInto(r *Reader, v reflect.Value) bool {
	v.Set(reflect.MakeSlice(v.Type(), 0, 0))
	return r.items("", 0, 0, func() {
		item := reflect.New(v.Type().Elem()).Elem()
		f.item.ReadInto(r, item)
		v.Set(reflect.Append(v, item))
	})
}

// Schema describes the items: our lists never contain null.
func (f slice) Schema() Members {
	item := f.item
	if p, ok := item.(pointer); ok {
		item = p.elem
	}
	return Members{{"type", "array"}, {"items", item.Schema()}}
}

type structure struct{ *Object[reflect.Value] }

func (f structure) ReadInto(r *Reader, v reflect.Value) bool { return f.ReadAt(r, &v) }
