package op

import (
	"reflect"

	"tasker/internal/op/wire"
	"tasker/internal/task"
)

// StreamIn filters a stream of events; paging has no place in one.
type StreamIn struct {
	Project string `query:"project"`
	Task    string `query:"task" about:"only events of this task"`
	SinceID *int64 `query:"since_id" about:"events after this id"`
	Kind    string `query:"kind" about:"only events of this kind"`
	By      string `query:"by" about:"only events of this actor"`
}

// Stream describes the route that answers events as they happen. It is no operation: it has no single answer, so
// the HTTP face and the client each carry it out in their own way.
var Stream = &wire.Endpoint{
	Name: "events-stream", Summary: "Follow the log as it grows, as server-sent events",
	Command: "events --follow", Method: "GET", Path: "/events/stream", Status: 200,
	In: reflect.TypeFor[StreamIn](), Out: reflect.TypeFor[task.Event](), Events: true, Tag: "reading",
}

// tags are what operations are listed under: see tagOf.
var tags = []wire.Tag{
	{Name: "work", Description: "A worker's loop: claim the next task, tick, note, prove and ask along the way, move it on, and give it back"},
	{Name: "planning", Description: "What there is to do: apply a plan, create a task, edit one"},
	{Name: "reading", Description: "Tasks and projects as they stand: lists, boards, explanations, search, the log"},
	{Name: "people", Description: "What waits for people, and what happened since they last looked"},
	{Name: "linking", Description: "Links to other systems"},
	{Name: "picture", Description: "What lies around and below a task"},
}

// tagOf returns what the operations of a feature are listed under. Two features have other names than when clients were first
// generated from the document, and generated code names its files and types after the tags.
func tagOf(feature string) string {
	switch feature {
	case "inbox":
		return "people"
	case "links":
		return "linking"
	}
	return feature
}

// OpenAPI returns the OpenAPI 3.1 document of every route, the stream of events included.
func OpenAPI(version string) ([]byte, error) {
	var routes []*wire.Endpoint
	for _, o := range Table {
		if o.Method != "" {
			routes = append(routes, &o.Endpoint)
		}
	}
	return wire.OpenAPI(version, tags, append(routes, Stream))
}
