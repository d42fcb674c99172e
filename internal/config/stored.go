package config

import (
	"tasker/internal/config/format"
	"tasker/internal/strict"
)

// readStored reads a layer that the database keeps. A value of a wrong form, which a file could not have, is taken out and
// returned: it may be older than its rule, and must not stop what does not use it. Every other fault is one.
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

// Unusable warns of values in the database that are passed over, because they are not of the form that their key asks for.
func (e *Effective) Unusable() []Warning {
	out := make([]Warning, 0, len(e.passed))
	for _, f := range e.passed {
		out = append(out, Warning{Path: f.Path, Message: "the value in the database does not count: " + f.Message})
	}
	return out
}
