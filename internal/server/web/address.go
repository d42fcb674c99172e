package web

import (
	"fmt"
	"net/http"
	"net/url"
	"strconv"

	"tasker/internal/fault"
	"tasker/internal/op"
	"tasker/internal/reading"
)

// answered carries out an operation with the parameters of a page's address that the page and the operation's route
// share, read as the route reads them.
func answered[In, Out any](s *site, r *http.Request, o op.Of[In, Out], names ...string) (Out, error) {
	return answeredWith(s, r, o, only(r.URL.Query(), names...))
}

// answeredWith carries out an operation with parameters that are read as its route reads them.
func answeredWith[In, Out any](s *site, r *http.Request, o op.Of[In, Out], q url.Values) (out Out, err error) {
	in, err := o.Decode(r.PathValue, q.Encode(), nil)
	if err != nil {
		return out, err
	}
	typed, ok := in.(In)
	if !ok {
		return out, fmt.Errorf("operation %s takes a %T", o.Name, in)
	}
	return o.Do(r.Context(), s.Ops, typed)
}

// only returns the parameters of these names that are not empty.
func only(q url.Values, names ...string) url.Values {
	out := url.Values{}
	for _, name := range names {
		if v := q.Get(name); v != "" {
			out.Set(name, v)
		}
	}
	return out
}

// number reads a whole number out of the address; nil where there is none.
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

func (s *site) projectIn(r *http.Request) (reading.ProjectIn, error) {
	limit, err := number(r.URL.Query(), "limit")
	return reading.ProjectIn{Slug: r.PathValue("slug"), Limit: limit}, err
}
