package config

import (
	"tasker/internal/config/format"
	"tasker/internal/strict"
)

// readStored reads a layer from the database. A malformed value, which a file could not have, is removed and returned:
// it may be older than its rule, and must not block what does not use it. All other faults count.
func readStored(src *strict.Source) (layer *strict.Node, passed, faults []format.Fault) {
	layer, _, found := readLayer(src, nil)
	for _, f := range found {
		key, ok := format.FormAt(f.Path)
		if !ok || layer == nil {
			faults = append(faults, f)
			continue
		}
		passed = append(passed, f)
		if layer.Find(key) != nil {
			layer = layer.Remove(key)
		}
	}
	return layer, passed, faults
}

// Unusable warns of values in the database that are ignored because they do not have the form that their key requires.
func (e *Effective) Unusable() []Warning {
	out := make([]Warning, 0, len(e.passed))
	for _, f := range e.passed {
		out = append(out, Warning{Path: f.Path, Message: "the value in the database does not count: " + f.Message})
	}
	return out
}
