package core

// What operations take and return. Fields tagged `path` come from the route's path, `query` from its query, the rest
// from the body; a type with DecodeBody reads its body itself.

// None is the input of an operation that takes nothing.
type None struct{}

// ProjectIn names a project.
type ProjectIn struct {
	Slug string `path:"slug"`
}

// TaskIn names a task: by id, or by key in the caller's project.
type TaskIn struct {
	Task string `path:"id"`
}
