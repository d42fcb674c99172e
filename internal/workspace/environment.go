package workspace

import "tasker/internal/workspace/env/envtext"

// At is a workspace as the providers of its environment see it.
type At struct {
	Root, Dir, Task string
	Env             []string
}

// Provided is what the providers give, in order, with the provider of each value.
type Provided struct {
	Values []envtext.Variable
	Files  []File
}

// File is a file to write into a workspace.
type File struct {
	Path string // relative to it
	Text []byte
}
