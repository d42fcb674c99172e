package wire

import (
	"net/url"
	"reflect"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"

	"tasker/internal/fault"
	"tasker/internal/fault/hint"
)

// Request is an operation's input as an HTTP request.
type Request struct {
	Path  string // under /v1, escaped
	Query string // encoded, without the question mark
	Body  []byte // empty for a GET
}

// Encode writes a value of e.In as a request that Decode reads back unchanged.
func (e *Endpoint) Encode(in any) (Request, error) {
	b := e.bound()
	v := reflect.ValueOf(in)
	req := Request{Path: e.Path}
	for i := range b.path {
		p := &b.path[i]
		text, _ := p.text(v)
		if err := checkText("the "+p.name, text); err != nil {
			return Request{}, err
		}
		if text == "" {
			return Request{}, fault.Bad("the %s is empty", p.name).WithHint("name it as in: %s", hint.Command(e.Command))
		}
		req.Path = strings.Replace(req.Path, "{"+p.name+"}", escapeSegment(text), 1)
	}
	query := url.Values{}
	for i := range b.query {
		p := &b.query[i]
		text, given := p.text(v)
		if !given {
			continue
		}
		if err := checkText(p.name, text); err != nil {
			return Request{}, err
		}
		query.Set(p.name, text)
	}
	req.Query = query.Encode()
	if !e.takesBody() {
		return req, nil
	}
	var err error
	if w, ok := in.(bodyWriter); ok {
		req.Body, err = w.EncodeBody()
	} else {
		req.Body, err = json.Marshal(in, json.Deterministic(true))
	}
	if err != nil {
		return Request{}, fault.Bad("what is to be sent cannot be written as JSON: %v", err).WithHint("send valid UTF-8").WithCause(err)
	}
	return req, nil
}

// text returns the field as text, and whether it must be sent: in a query, a zero value without a pointer means the
// same as none.
func (p *param) text(v reflect.Value) (text string, given bool) {
	f := v.Field(p.field)
	given = !f.IsZero()
	if p.pointer {
		if !given {
			return "", false
		}
		f = f.Elem()
	}
	switch p.kind {
	case reflect.String:
		return f.String(), given
	case reflect.Bool:
		return strconv.FormatBool(f.Bool()), given
	default:
		return strconv.FormatInt(f.Int(), 10), given
	}
}

// escapeSegment writes a value as one segment of a path. A segment of dots would be resolved away on its way.
func escapeSegment(text string) string {
	if text == "." || text == ".." {
		return strings.ReplaceAll(text, ".", "%2E")
	}
	return url.PathEscape(text)
}
