package web

import (
	"cmp"
	"net/http"
	"net/url"
	"strconv"

	"tasker/internal/asof"
	"tasker/internal/core"
	"tasker/internal/fault"
	"tasker/internal/op"
	"tasker/internal/op/wire"
	"tasker/internal/task"
	"tasker/internal/views/reading"
)

// asker reads what a page needs: numbers from its address, and the answers of operations. It keeps the first error and asks
// nothing after it, so that a page can request everything and return the error once, at its end. Whatever is read after an
// error is empty.
type asker struct {
	s   *site
	r   *http.Request
	err error
}

// ask carries out an operation.
func ask[In, Out any](a *asker, o op.Of[In, Out], in In) (out Out) {
	if a.err == nil {
		out, a.err = o.Do(a.r.Context(), a.s.Ops, in)
	}
	return out
}

// askWith carries out an operation with query parameters, read as its route reads them.
func askWith[In, Out any](a *asker, o op.Of[In, Out], q url.Values) Out {
	in, err := o.Op.Decode(a.r.PathValue, q.Encode(), nil)
	a.err = cmp.Or(a.err, err)
	typed, _ := in.(In) // empty after an error
	return ask(a, o, typed)
}

// value returns a parameter of the address, or "".
func (a *asker) value(name string) string { return a.r.URL.Query().Get(name) }

// slug returns the project that the address names.
func (a *asker) slug() string { return a.r.PathValue("slug") }

// number reads a whole number from the address; nil if it has none.
func (a *asker) number(name string) *int {
	text := a.value(name)
	if text == "" || a.err != nil {
		return nil
	}
	n, err := strconv.Atoi(text)
	if err != nil {
		a.err = fault.Bad("%s is %q", name, text).WithHint("give a whole number").WithMissing(fault.Parameter(name))
		return nil
	}
	return &n
}

// long is number for an event.
func (a *asker) long(name string) *int64 {
	n := a.number(name)
	if n == nil {
		return nil
	}
	return new(int64(*n))
}

// flag reads true or false from the address; nil if it has neither: a form sends an empty field for that.
func (a *asker) flag(name string) *bool {
	text := a.value(name)
	yes, ok := wire.YesOrNo(text)
	if text == "" || !ok {
		return nil
	}
	return &yes
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
	return reading.ProjectIn{Slug: a.slug(), Limit: a.number("limit")}
}

// pardon forgets a refusal, so that the page goes on without what was asked for. An unexpected error stays.
func (a *asker) pardon() {
	if !fault.Is(a.err, fault.Internal) {
		a.err = nil
	}
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
