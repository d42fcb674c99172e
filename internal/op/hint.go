package op

import (
	"net/url"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"tasker/internal/fault"
)

// AsRoute words a call of a hint as a request: `POST /v1/tasks/demo-1/release {"note": "TEXT"}`. An operation without a
// route is shown as its command; so is a call that somebody else must make, who need not use this server.
func AsRoute(c fault.Call) string {
	switch {
	case c.Header != "":
		return "the header " + c.Header
	case c.Field != "":
		return c.Field + ", in the query or in the body"
	}
	o := named(c.Op)
	if o == nil || o.Method == "" || c.ByOther {
		return asCommand(c)
	}
	path, query := o.Path, url.Values{}
	var body []fault.Arg
	for _, a := range c.Args {
		hole := "{" + a.Name + "}"
		switch {
		case strings.Contains(path, hole):
			path = strings.Replace(path, hole, url.PathEscape(text(a.Value)), 1)
		case slices.Contains(o.QueryNames(), a.Name):
			query.Set(a.Name, text(a.Value))
		default:
			body = append(body, a)
		}
	}
	out := o.Method + " /v1" + path
	if len(query) > 0 {
		out += "?" + query.Encode()
	}
	if len(body) > 0 {
		out += " " + object(body)
	}
	return before(c) + out
}

// AsTool words a call of a hint as a tool with its arguments: `tasker_release {"id": "demo-1"}`. A call for which the
// caller has no tool or argument, or that somebody else must make, is shown as its command. Tools send the fence
// automatically.
func AsTool(c fault.Call, offered func(*Op) bool) string {
	switch {
	case c.Header != "":
		return "the header " + c.Header
	case c.Field != "":
		return "the argument " + c.Field
	}
	o := named(c.Op)
	forces := slices.ContainsFunc(c.Args, func(a fault.Arg) bool { return a.Name == "force" })
	if o == nil || o.Method == "" || forces || c.ByOther || !offered(o) {
		return asCommand(c)
	}
	args := slices.DeleteFunc(slices.Clone(c.Args), func(a fault.Arg) bool { return a.Name == "fence" })
	for _, hole := range holes().FindAllStringSubmatch(o.Path, -1) {
		if name := hole[1]; !slices.ContainsFunc(args, func(a fault.Arg) bool { return a.Name == name }) {
			args = append(args, fault.Arg{Name: name, Value: strings.ToUpper(name)})
		}
	}
	if len(args) == 0 {
		return before(c) + o.Tool.Name
	}
	return before(c) + o.Tool.Name + " " + object(args)
}

// before words the command that has to run before a route or a tool is called.
func before(c fault.Call) string {
	if c.Before == "" {
		return ""
	}
	return "`" + fault.Call{Command: c.Before}.String() + "`, then "
}

// holes matches the parameters in a route's path.
var holes = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\{([a-z]+)\}`) })

func asCommand(c fault.Call) string { return "the command `" + c.String() + "`" }

func named(name string) *Op {
	for _, o := range Table {
		if o.Name == name {
			return o
		}
	}
	return nil
}

// object writes arguments as a JSON object, in order.
func object(args []fault.Arg) string {
	out := []byte{'{'}
	for i, a := range args {
		if i > 0 {
			out = append(out, ',')
		}
		out, _ = jsontext.AppendQuote(out, a.Name) // our own names are plain
		out = append(append(out, ':'), value(a.Value)...)
	}
	return string(append(out, '}'))
}

// text returns a value as it appears in a path or a query.
func text(v any) string {
	if s, ok := v.(string); ok {
		return s
	}
	return string(value(v))
}

func value(v any) []byte {
	src, err := json.Marshal(v, json.Deterministic(true))
	if err != nil { // a text that is not UTF-8: the caller knows it better
		return []byte(`"TEXT"`)
	}
	return src
}
