// Package wire describes how operations are transmitted: as HTTP requests, as arguments of tools, and in documents that
// describe both to programs.
//
// An Endpoint is one operation as its callers see it: its names, its route and the Go types of its input and output.
// Everything else is derived from those types. Tags say where a field of an input goes: `path:"id"` and `query:"limit"`
// name a segment or a parameter, `required:"true"` refuses a request without it, and every other field is a member of
// the JSON body under its json name.
//
//   - Decode and DecodeArgs read a request or a tool's arguments into an input. Both are strict: anything unknown,
//     repeated, misspelled or of the wrong type is refused with its place and, if there is one, the nearest name. Only
//     who acts may be sent in vain: Read says that it was ignored.
//   - Encode writes an input as a request that Decode reads back unchanged.
//   - WriteJSON writes an answer, FailureOf turns an error into the one shape that every face sends.
//   - InSchema and OpenAPI describe all of it as JSON Schema and as an OpenAPI 3.1 document.
//
// The package knows the types of inputs and outputs, but neither the table of operations nor any face.
package wire

import "reflect"

// Endpoint is one operation as its callers see it.
type Endpoint struct {
	Name    string // unique
	Summary string // one line, for help, OpenAPI and tools
	Command string // how the command is called; empty if there is none
	Method  string // GET or POST; empty for an operation that has no route and no tool
	Path    string // under /v1, with {id} or {slug}
	Status  int    // of success
	In, Out reflect.Type
	MaxBody int64 // 0: the common bound
	Events  bool  // the answer is a stream of server-sent events
	Tells   bool  // a read whose answer includes news, as the answer of every write does

	// Document is set if the body is a plan or the definition of a task, which has no names but its own.
	Document bool

	Tag     string // the group that the operation is listed in
	Example string // of its body, as JSON; empty if there is none

	binding binding
}

// Text is the answer of an operation that does not return JSON: its route sends it as text/plain.
type Text string

// Plain reports whether the operation returns text.
func (e *Endpoint) Plain() bool { return e.Out == reflect.TypeFor[Text]() }
