package op

import (
	"reflect"

	"tasker/internal/op/wire"
	"tasker/internal/task"
)

// StreamIn filters a stream of events; a stream has no pages.
type StreamIn struct {
	Project string `query:"project"`
	Task    string `query:"task" about:"only events of this task"`
	SinceID *int64 `query:"since_id" about:"events after this id"`
	Kind    string `query:"kind" about:"only events of this kind"`
	By      string `query:"by" about:"only events of this actor"`
}

// Stream describes the route that sends events as they happen. It is not an operation: it has no single answer, so the
// HTTP face and the client each implement it in their own way.
var Stream = &wire.Endpoint{
	Name: "events-stream", Summary: "Follow the log as it grows, as server-sent events",
	Command: "events --follow", Method: "GET", Path: "/events/stream", Status: 200,
	In: reflect.TypeFor[StreamIn](), Out: reflect.TypeFor[task.Event](), Events: true, Tag: "reading",
}

// tags are the groups that operations are listed in: see tagOf.
var tags = []wire.Tag{
	{Name: "work", Description: "A worker's loop: claim the next task, tick, note, prove and ask along the way, move it on, and give it back"},
	{Name: "planning", Description: "What there is to do: apply a plan, create a task, edit one"},
	{Name: "reading", Description: "Tasks and projects as they stand: lists, boards, explanations, search, the log"},
	{Name: "people", Description: "What waits for people, and what happened since they last looked"},
	{Name: "linking", Description: "Links to other systems"},
	{Name: "picture", Description: "What lies around and below a task"},
}

// tagOf returns the tag of a feature's operations. Two features have been renamed since clients were first generated
// from the document, and generated code names its files and types after the tags.
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
