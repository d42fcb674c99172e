package web

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"net/url"

	"github.com/go-json-experiment/json"

	"tasker/internal/op"
	"tasker/internal/op/wire"
)

// answered is what an operation answers to a page's own address: the parameters that both know are read as its route
// reads them.
func answered[In, Out any](s *site, r *http.Request, o op.Of[In, Out], names ...string) (out Out, err error) {
	in, err := o.Decode(r.PathValue, only(r.URL.Query(), names...).Encode(), nil)
	if err != nil {
		return out, err
	}
	typed, ok := in.(In)
	if !ok {
		return out, fmt.Errorf("operation %s takes a %T", o.Name, in)
	}
	return o.Do(r.Context(), s.Ops, typed)
}

// ask calls an operation by its name and gives its answer as the route would: decoded JSON. ok is false where this
// binary has no such operation.
func (s *site) ask(ctx context.Context, name string, path map[string]string, query url.Values) (answer any, ok bool, err error) {
	for _, o := range op.Table {
		if o.Name != name {
			continue
		}
		in, err := o.Decode(func(name string) string { return path[name] }, query.Encode(), nil)
		if err != nil {
			return nil, true, err
		}
		out, err := s.Ops.Call(ctx, o, in)
		if err != nil {
			return nil, true, err
		}
		answer, err = plainly(out)
		return answer, true, err
	}
	return nil, false, nil
}

// plainly is a value as a client sees it.
func plainly(v any) (out any, err error) {
	var buf bytes.Buffer
	if err := wire.WriteJSON(&buf, v); err != nil {
		return nil, err
	}
	err = json.Unmarshal(buf.Bytes(), &out)
	return out, err
}

// only gives the parameters of a page's address that the operation takes too.
func only(q url.Values, names ...string) url.Values {
	out := url.Values{}
	for _, name := range names {
		if v := q.Get(name); v != "" {
			out.Set(name, v)
		}
	}
	return out
}
