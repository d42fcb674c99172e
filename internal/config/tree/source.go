// Package tree is a JSON file as a tree of values that know where they were written: in which layer and file, in which
// line and column. Parse reads one strictly and returns every fault with its place; Merge lays one tree over another;
// paths such as actors[0].name lead to a value.
//
// It knows nothing of what a configuration may hold: the declaration is in config/format.
package tree

import "tasker/internal/strict"

// Layer names where a value comes from. Later ones win.
type Layer string

// The layers, lowest first.
const (
	DefaultsLayer Layer = "defaults"
	DBLayer       Layer = "db"
	FileLayer     Layer = "file"
	LocalLayer    Layer = "local"
	EnvLayer      Layer = "env"
	FlagsLayer    Layer = "flags"
)

// Source is a text that values were read from: a file, or with no file name another layer.
type Source struct {
	Layer Layer
	File  string
	Text  []byte
	// Recorded is when the text was recorded from the file; empty where it is the file's own.
	Recorded string
}

// Place counts the line and column (in characters) of a byte offset, both from 1.
func (s *Source) Place(offset int) (line, column int) {
	return strict.Place(s.Text, int64(offset))
}
