package config

import (
	"path/filepath"
	"slices"

	"tasker/internal/config/format"
	"tasker/internal/fault"
	"tasker/internal/strict"
)

// Report is the result of a validation: faults, warnings, notices. The file is valid if there are no faults.
type Report struct {
	File     string         `json:"file"`
	Valid    bool           `json:"valid"`
	Faults   []format.Fault `json:"faults"`
	Warnings []Warning      `json:"warnings"`
	Notices  []string       `json:"notices"`

	effective *Effective // the effective configuration of this file only; nil if it is not valid
}

// Err returns the faults as one error, or nil if the file is valid.
func (r *Report) Err() error { return format.Refuse(r.Faults) }

// Validate checks one file by itself. A file named .tasker.local.json is checked as a local layer over the
// configuration file next to it, any other as a configuration file. The error is for a file that cannot be read.
func Validate(o Options, path string) (*Report, error) {
	path = o.abs(path)
	if _, err := o.Files.Stat(path); err != nil {
		return nil, fault.Bad("there is no file %s", path).WithHint("name a file that exists, or none for the one that counts here")
	}
	r := &Report{File: path, Faults: []format.Fault{}, Warnings: []Warning{}, Notices: []string{}}
	of := format.FileLayer
	loaded := Nothing()
	loaded.File = path
	var below *strict.Node
	if filepath.Base(path) == LocalName {
		of = format.LocalLayer
		neighbour := filepath.Join(filepath.Dir(path), FileName)
		if layer, _, faults, err := o.layer(format.FileLayer, neighbour, nil); err == nil && len(faults) == 0 {
			below, loaded.file = layer, layer
		}
	}
	layer, old, faults, err := o.layer(of, path, below)
	if err != nil {
		return nil, err
	}
	r.Faults = append(r.Faults, faults...)
	if r.Valid = len(r.Faults) == 0; !r.Valid {
		return r, nil
	}
	if of == format.LocalLayer {
		loaded.local = layer
	} else {
		loaded.file, loaded.old = layer, old
	}
	e, err := loaded.For(loaded.Project(), nil)
	if err != nil {
		return nil, err
	}
	r.effective = e
	r.Warnings = append(r.Warnings, e.Warnings...)
	r.Notices = append(r.Notices, e.Notices...)
	return r, nil
}

// CheckProviders applies a check to the providers of the file, or of all layers if e is given. A refused provider is a
// fault if a workspace would use it, and otherwise a warning, because it does not block anybody yet.
func (r *Report) CheckProviders(e *Effective, check func(NamedProvider) (warnings []string, err error)) {
	if e == nil {
		e = r.effective
	}
	if e == nil || !r.Valid {
		return
	}
	for _, m := range e.merged.Get("providers").All() {
		warnings, err := check(NamedProvider{m.Name, e.Providers[m.Name]})
		at := strict.Join("providers", m.Name)
		known := slices.ContainsFunc(r.Warnings, func(w Warning) bool { return w.Path == at }) // the other layers' checks say it too
		for _, text := range warnings {
			r.Warnings = append(r.Warnings, warningOf(format.NewFault(m.Node.Src, m.At, at, "%s", text)))
		}
		if err == nil {
			continue
		}
		f := format.NewFault(m.Node.Src, m.At, at, "%s", fault.Of(err).Message)
		f.Hint = fault.Of(err).HintParts()
		if slices.Contains(e.Workspace.Providers, m.Name) {
			r.Faults, r.Valid = append(r.Faults, f), false
		} else if !known {
			r.Warnings = append(r.Warnings, warningOf(f))
		}
	}
}

// warningOf returns a fault as a warning.
func warningOf(f format.Fault) Warning {
	return Warning{File: f.File, Line: f.Line, Path: f.Path, Message: f.Message}
}
