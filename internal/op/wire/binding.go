package wire

import (
	"fmt"
	"net/http"
	"reflect"
	"sync"

	"tasker/internal/strict"
	"tasker/internal/text/words"
)

// binding says where the fields of an operation's input go. It is computed once, on first use, so that a command pays
// only for the operation it calls.
type binding struct {
	once   sync.Once
	path   []param
	query  []param
	own    bool                          // the input reads and writes its body itself
	body   *strict.Object[reflect.Value] // what the body contains otherwise; nil without one
	dryRun int                           // the field that turns a creation into a preview, -1 without one
}

// param is a field in the path or the query.
type param struct {
	name     string
	field    int
	kind     reflect.Kind // of the element, if it is a pointer
	pointer  bool
	required bool
	about    string // for the schema
}

// bodyReader is an input that reads its body itself.
type bodyReader interface{ DecodeBody(src []byte) error }

// bodyWriter is an input that writes its body itself.
type bodyWriter interface{ EncodeBody() ([]byte, error) }

// bodyDescriber is an input that describes its body itself, as JSON Schema.
type bodyDescriber interface{ BodySchema() strict.Members }

// chooser is an input that knows the allowed words of some of its fields, by their names. They inform callers: the
// operation itself checks them, with better messages.
type chooser interface{ Choices() map[string][]string }

// bound returns the operation's binding. A wrong tag is a bug in the program, and the first test that uses it finds it.
func (e *Endpoint) bound() *binding {
	e.binding.once.Do(func() {
		e.binding.read(e.In)
		if e.takesBody() && !e.binding.own {
			e.binding.body = strict.Types{}.Object(e.In)
		}
	})
	return &e.binding
}

func (b *binding) read(in reflect.Type) {
	b.dryRun = -1
	b.own = reflect.PointerTo(in).Implements(reflect.TypeFor[bodyReader]())
	for i := range in.NumField() {
		f := in.Field(i)
		if name, ok := f.Tag.Lookup("path"); ok {
			p := paramOf(in, i, name)
			p.required = true
			b.path = append(b.path, p)
		}
		if name, ok := f.Tag.Lookup("query"); ok {
			b.query = append(b.query, paramOf(in, i, name))
			if name == "dryRun" {
				b.dryRun = i
			}
		}
	}
}

func paramOf(in reflect.Type, i int, name string) param {
	f := in.Field(i)
	p := param{name: name, field: i, kind: f.Type.Kind(), required: f.Tag.Get("required") == "true", about: f.Tag.Get("about")}
	if p.kind == reflect.Pointer {
		p.kind, p.pointer = f.Type.Elem().Kind(), true
	}
	switch p.kind {
	case reflect.String, reflect.Bool, reflect.Int, reflect.Int64:
		return p
	default:
		panic(fmt.Sprintf("%s.%s cannot travel in a path or query", in, f.Name))
	}
}

// takesBody reports whether a request of the operation has a body.
func (e *Endpoint) takesBody() bool { return e.Method == http.MethodPost }

// SuccessOf returns the status of a success for this input: 200 for a preview, which creates nothing.
func (e *Endpoint) SuccessOf(in any) int {
	if e.previews(in) {
		return 200
	}
	return e.Status
}

// Writes reports whether this input asks for a change: a preview does not.
func (e *Endpoint) Writes(in any) bool {
	return e.Method == http.MethodPost && !e.previews(in)
}

// previews reports whether an input only asks what a change would do.
func (e *Endpoint) previews(in any) bool {
	i := e.bound().dryRun
	return i >= 0 && reflect.ValueOf(in).Field(i).Bool()
}

// QueryNames lists the operation's query parameters, in the order of its input.
func (e *Endpoint) QueryNames() []string { return names(e.bound().query) }

func names(params []param) []string {
	return words.Each(params, func(p param) string { return p.name })
}
