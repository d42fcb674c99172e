package web

import (
	"fmt"
	"net/http"
	"net/url"
	"strconv"

	"tasker/internal/asof"
	"tasker/internal/core"
	"tasker/internal/fault"
	"tasker/internal/op"
	"tasker/internal/reading"
	"tasker/internal/task"
)

// asker reads what a page needs: numbers from its address, and the answers of operations. It keeps the first error and asks
// nothing after it, so that a page can request everything and return the error once, at its end. Whatever is read after an
// error is empty.
type asker struct {
	s   *site
	r   *http.Request
	err error
}

func (s *site) asker(r *http.Request) *asker { return &asker{s: s, r: r} }

// ask carries out an operation.
func ask[In, Out any](a *asker, o op.Of[In, Out], in In) (out Out) {
	if a.err == nil {
		out, a.err = o.Do(a.r.Context(), a.s.Ops, in)
	}
	return out
}

// askWith carries out an operation with query parameters, read as its route reads them.
func askWith[In, Out any](a *asker, o op.Of[In, Out], q url.Values) (out Out) {
	in, err := o.Op.Decode(a.r.PathValue, q.Encode(), nil)
	typed, ok := in.(In)
	switch {
	case a.err != nil:
	case err != nil:
		a.err = err
	case !ok:
		a.err = fmt.Errorf("operation %s takes a %T", o.Op.Name, in)
	default:
		out = ask(a, o, typed)
	}
	return out
}

// history adds the history bar to a page that can show a moment.
func (a *asker) history(p *shown, was *asof.Was) {
	if a.err == nil {
		a.err = a.s.history(a.r, p, was)
	}
}

// number reads a whole number from the address; nil if it has none.
func (a *asker) number(name string) (n *int) {
	if a.err == nil {
		n, a.err = number(a.r.URL.Query(), name)
	}
	return n
}

// long is number for an event.
func (a *asker) long(name string) *int64 {
	n := a.number(name)
	if n == nil {
		return nil
	}
	return new(int64(*n))
}

// flag reads true or false from the address; nil if it has neither.
func (a *asker) flag(name string) *bool {
	switch a.r.URL.Query().Get(name) {
	case "true":
		return new(true)
	case "false":
		return new(false)
	}
	return nil
}

// troubles returns why tasks of a project are stuck; of an earlier moment it is not known.
func (a *asker) troubles(slug string, was *asof.Was) map[task.ID]task.Trouble {
	if was != nil {
		return nil
	}
	return ask(a, op.Stuck, core.ProjectIn{Slug: slug})
}

// at reads the event that a page is requested for; nil means now.
func (a *asker) at() *int64 { return a.long("at") }

// project returns the input for a read of a project that takes a limit.
func (a *asker) project() reading.ProjectIn {
	return reading.ProjectIn{Slug: a.r.PathValue("slug"), Limit: a.number("limit")}
}

// only returns the named parameters that are not empty.
func only(q url.Values, names ...string) url.Values {
	out := url.Values{}
	for _, name := range names {
		if v := q.Get(name); v != "" {
			out.Set(name, v)
		}
	}
	return out
}

// number reads a whole number from the address; nil if it has none.
func number(q url.Values, name string) (*int, error) {
	text := q.Get(name)
	if text == "" {
		return nil, nil
	}
	n, err := strconv.Atoi(text)
	if err != nil {
		return nil, fault.Bad("%s is %q", name, text).WithHint("give a whole number").WithMissing(fault.Parameter(name))
	}
	return &n, nil
}
