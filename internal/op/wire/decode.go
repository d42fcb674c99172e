package wire

import (
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"

	"tasker/internal/fault"
	"tasker/internal/strict"
	"tasker/internal/text/words"
)

// Decode reads a request into a value of e.In: the path's values by name, the raw query, and the body; an empty body
// stands for {}. It is strict, and a fault names its place. The texts that it returns are slices of the body, which
// must not be modified afterwards.
func (e *Endpoint) Decode(path func(name string) string, query string, body []byte) (any, error) {
	r, err := e.Read(path, query, body)
	return r.In, err
}

// decode reads a request whose body has no `actor`, and reports whether the query has one that is ignored.
func (e *Endpoint) decode(path func(name string) string, query string, body []byte) (out any, ignored bool, err error) {
	b := e.bound()
	in := reflect.New(e.In)
	v := in.Elem()
	for _, p := range b.path {
		if err := p.take(v, "the "+p.name+" in the path", path(p.name)); err != nil {
			return nil, false, err
		}
	}
	if query != "" || len(b.query) > 0 {
		if ignored, err = b.readQuery(v, query); err != nil {
			return nil, ignored, err
		}
	}
	if !e.takesBody() {
		return v.Interface(), ignored, nil
	}
	if len(body) == 0 {
		body = []byte("{}")
	}
	if b.own {
		err = in.Interface().(bodyReader).DecodeBody(body)
	} else {
		err = strict.DecodeInto(body, "the body", b.body, &v)
	}
	if err != nil {
		return nil, ignored, err
	}
	return v.Interface(), ignored, nil
}

// readQuery reads every parameter of the query, each of which may occur once, and reports whether one is ignored.
func (b *binding) readQuery(v reflect.Value, query string) (ignored bool, err error) {
	given, err := url.ParseQuery(query)
	if err != nil {
		return false, fault.Bad("the query is malformed: %s", strings.TrimPrefix(err.Error(), "invalid ")).
			WithHint("write it as name=value&name=value, with percent escapes for everything else").WithCause(err)
	}
	for _, p := range b.query {
		values, ok := given[p.name]
		switch {
		case len(values) > 1:
			return false, fault.Bad("query parameter %s is given %d times", p.name, len(values)).WithMissing(fault.Parameter(p.name)).WithHint("give it once")
		case p.required && (!ok || strings.TrimSpace(values[0]) == ""):
			return false, fault.Bad("query parameter %s is required", p.name).WithMissing(fault.Parameter(p.name)).WithHint("add ?%s=… to the address", p.name)
		case ok:
			if err := p.take(v, fault.Parameter(p.name), values[0]); err != nil {
				return false, err
			}
		}
		delete(given, p.name)
	}
	_, ignored = given[actor]
	delete(given, actor)
	if len(given) > 0 {
		return ignored, b.unknownQuery(given)
	}
	return ignored, nil
}

// unknownQuery refuses the alphabetically first unknown parameter.
func (b *binding) unknownQuery(given url.Values) error {
	first := slices.Min(slices.Collect(maps.Keys(given)))
	allowed := names(b.query)
	e := fault.Bad("unknown query parameter %s", words.Quoted(first)).WithMissing(fault.Parameter(words.Quoted(first)))
	if len(allowed) == 0 {
		return e.WithHint("this route takes no query parameters")
	}
	return e.WithHint("%s", strict.Allowed(first, allowed))
}

// take reads one value, and refuses one that does not fit.
func (p *param) take(v reflect.Value, place, text string) error {
	why, hint := p.set(v, text)
	return misfit(place, why, hint)
}

// set reads one value, or returns why it does not fit. For an optional text, the empty text means the same as leaving
// it out.
func (p *param) set(v reflect.Value, text string) (why, hint string) {
	f := v.Field(p.field)
	if p.pointer {
		f.Set(reflect.New(f.Type().Elem()))
		f = f.Elem()
	}
	switch p.kind {
	case reflect.String:
		if why, hint = unfit(text); why == "" {
			f.SetString(text)
		}
		return why, hint
	case reflect.Bool:
		yes, ok := YesOrNo(text)
		if !ok {
			return "must be true or false, not " + words.Quoted(text), "write true or false"
		}
		f.SetBool(yes)
	default:
		n, ok := whole(text)
		if !ok {
			return "must be a whole number, not " + words.Quoted(text), "write digits only"
		}
		f.SetInt(n)
	}
	return "", ""
}

// YesOrNo reads a parameter that is true or false: 1 and 0 mean the same, and a parameter without a value is true.
func YesOrNo(text string) (yes, ok bool) {
	switch text {
	case "true", "1", "":
		return true, true
	case "false", "0":
		return false, true
	default:
		return false, false
	}
}

// whole reads a whole number in digits. A number out of range becomes the nearest end of the range: the operation
// checks bounds.
func whole(text string) (int64, bool) {
	digits := strings.TrimPrefix(text, "-")
	if digits == "" || strings.Trim(digits, "0123456789") != "" {
		return 0, false
	}
	n, _ := strconv.ParseInt(text, 10, 64) // the nearest end, if it is out of range
	return n, true
}

// checkText refuses characters that no text may contain.
func checkText(place, text string) error {
	why, hint := unfit(text)
	return misfit(place, why, hint)
}

// misfit refuses the value at a place, or returns nil if why is empty.
func misfit(place, why, hint string) error {
	if why == "" {
		return nil
	}
	return fault.Bad("%s %s", place, why).WithMissing(place).WithHint("%s", hint)
}

// unfit returns what a text contains that no text may.
func unfit(text string) (why, hint string) {
	switch {
	case !utf8.ValidString(text):
		return "is not valid UTF-8", "send it as UTF-8"
	case strings.IndexByte(text, 0) >= 0:
		return "holds U+0000", "no text may hold that character: remove it"
	}
	return "", ""
}

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
		panic(fmt.Sprintf("%s.%s cannot be sent in a path or query", in, f.Name))
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
