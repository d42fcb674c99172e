package format

import (
	"bytes"

	"tasker/internal/strict"
)

// MaxSize bounds a configuration file.
const MaxSize = 1 << 20

// MaxEntries bounds each map and each list in it. Some rules compare one list with another, and a server reads its files
// again while it answers.
const MaxEntries = 1000

// Parse reads the one JSON value of a source, whatever it is, into a tree with positions.
func Parse(src *strict.Source) (*strict.Node, []Fault) { return read(src, "", strict.Anything{}) }

// read reads a source by a declaration into a tree with positions. path is where the value is in the configuration. The
// tree is nil if the text is not JSON at all; faults that leave it readable are returned along with it.
func read(src *strict.Source, path string, declared strict.Located) (*strict.Node, []Fault) {
	switch text := src.Text; {
	case len(text) > MaxSize:
		return nil, []Fault{NewFault(src, MaxSize, "", "the file is larger than 1 MiB")}
	case bytes.HasPrefix(text, []byte("\xef\xbb\xbf")):
		return nil, []Fault{NewFault(src, 0, "", "the file starts with a byte order mark; save it as UTF-8 without one")}
	case len(bytes.TrimSpace(text)) == 0:
		return nil, []Fault{NewFault(src, 0, "", `the file is empty; the smallest one is {"version": 1, "project": "…"}`)}
	}
	root, found, whole := strict.ReadNode(src, path, declared)
	var faults []Fault
	for _, f := range found {
		faults = append(faults, faultOf(src, f))
	}
	if !whole {
		return nil, faults
	}
	return root, faults
}
