package wire

import (
	"bytes"
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"tasker/internal/fault"
)

// WarningHeader is the header of an answer that says what of the request was ignored.
const WarningHeader = "Tasker-Warning"

// actor is the name under which callers send who acts.
const actor = "actor"

// ActorIgnored says why what names who acts is ignored.
func ActorIgnored(what string) string {
	return what + " is ignored: who acts follows from the server's process or from the session, never from a request"
}

// Given is a request as Read reads it.
type Given struct {
	In      any
	Ignored string // what was ignored, and why; empty if nothing was
}

// Read is Decode, and also says what it ignored. Who acts never comes from a request, so a parameter or a member `actor`
// that the operation does not have is ignored: a caller that sends it is no worse off than one that does not. In a
// document it is an unknown name, and refused as every other.
func (e *Endpoint) Read(path func(name string) string, query string, body []byte) (Given, error) {
	var ignored string
	if rest, found := e.withoutActor(body); found {
		body, ignored = rest, ActorIgnored("the member actor of the body")
	}
	in, asked, err := e.decode(path, query, body)
	if asked {
		ignored = ActorIgnored(fault.Parameter(actor))
	}
	return Given{in, ignored}, err
}

// IgnoresActor reports whether a member `actor` of what the operation takes is ignored.
func (e *Endpoint) IgnoresActor() bool {
	b := e.bound()
	if e.Document || slices.ContainsFunc(b.params(), func(p param) bool { return p.name == actor }) {
		return false
	}
	return b.body == nil || !slices.Contains(b.body.Names(), actor)
}

// withoutActor returns a body without its member `actor`, if that is ignored and there is one.
func (e *Endpoint) withoutActor(body []byte) (rest []byte, found bool) {
	if !bytes.Contains(body, []byte(`"`+actor+`"`)) || !e.IgnoresActor() {
		return body, false
	}
	return blank(body, actor)
}

// blank returns an object with every member of a name overwritten by spaces, so that what else is wrong with it keeps its
// line. Text that is no object, or no JSON up to there, is returned as it is.
func blank(src []byte, name string) (out []byte, found bool) {
	src = bytes.TrimPrefix(src, []byte("\ufeff"))
	dec := jsontext.NewDecoder(bytes.NewReader(src), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	if start, err := dec.ReadToken(); err != nil || start.Kind() != '{' {
		return src, false
	}
	out = src
	for dec.PeekKind() == '"' {
		key, err := dec.ReadValue()
		if err != nil {
			return out, found
		}
		from, hit := int(dec.InputOffset())-len(key), string(key) == `"`+name+`"`
		if _, err := dec.ReadValue(); err != nil {
			return out, found
		}
		if hit {
			if !found {
				out, found = bytes.Clone(src), true
			}
			blankMember(out, from, int(dec.InputOffset()))
		}
	}
	return out, found
}

// blankMember overwrites a member with spaces, and the comma after it, or before it if it is the last.
func blankMember(object []byte, from, to int) {
	const white = " \t\r\n"
	for i := from; i < to; i++ {
		if object[i] != '\n' {
			object[i] = ' '
		}
	}
	if after := bytes.TrimLeft(object[to:], white); len(after) > 0 && after[0] == ',' {
		object[len(object)-len(after)] = ' '
		return
	}
	if before := bytes.TrimRight(object[:from], white); len(before) > 0 && before[len(before)-1] == ',' {
		object[len(before)-1] = ' '
	}
}
