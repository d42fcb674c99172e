package config

import (
	"path/filepath"
	"slices"

	"tasker/internal/config/tree"
	"tasker/internal/fault"
)

// Report is what validation found: faults, warnings, notices. It is valid when there are no faults.
type Report struct {
	File     string       `json:"file"`
	Valid    bool         `json:"valid"`
	Faults   []tree.Fault `json:"faults"`
	Warnings []Warning    `json:"warnings"`
	Notices  []string     `json:"notices"`

	effective *Effective // what counts by this file alone; nil where it is not valid
}

// Err is the faults as one error; nil when valid.
func (r *Report) Err() error { return tree.Refuse(r.Faults) }

// Validate checks one file by itself. A file named .tasker.local.json is checked as a local layer over the
// configuration file beside it, any other as a configuration file. The error is for a file that cannot be read.
func Validate(o Options, path string) (*Report, error) {
	path = o.abs(path)
	if _, err := o.Files.Stat(path); err != nil {
		return nil, fault.Bad("there is no file %s", path).WithHint("name a file that exists, or none for the one that counts here")
	}
	r := &Report{File: path, Faults: []tree.Fault{}, Warnings: []Warning{}, Notices: []string{}}
	src := &tree.Source{Layer: tree.FileLayer, File: path}
	loaded := &Loaded{
		File: path, file: emptyLayer(tree.FileLayer), local: emptyLayer(tree.LocalLayer),
		env: emptyLayer(tree.EnvLayer), flags: emptyLayer(tree.FlagsLayer),
	}
	var below *tree.Node
	if filepath.Base(path) == LocalName {
		src.Layer = tree.LocalLayer
		beside := &tree.Source{Layer: tree.FileLayer, File: filepath.Join(filepath.Dir(path), FileName)}
		if o.fill(beside) == nil {
			if layer, _, faults := readLayer(beside, nil); layer != nil && len(faults) == 0 {
				below, loaded.file = layer, layer
			}
		}
	}
	if err := o.fill(src); err != nil {
		return nil, err
	}
	layer, old, faults := readLayer(src, below)
	r.Faults = append(r.Faults, faults...)
	if r.Valid = len(r.Faults) == 0; !r.Valid {
		return r, nil
	}
	if src.Layer == tree.LocalLayer {
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

// CheckProviders asks a rule about the providers of the file, or of what counts by all layers where e is given. What it
// refuses is a fault where a workspace would ask the provider, and else a warning: nobody is stopped by it yet.
func (r *Report) CheckProviders(e *Effective, check func(NamedProvider) (warnings []string, err error)) {
	if e == nil {
		e = r.effective
	}
	if e == nil || !r.Valid {
		return
	}
	for _, m := range e.merged.Get("providers").All() {
		warnings, err := check(NamedProvider{m.Name, e.Providers[m.Name]})
		at := tree.Join("providers", m.Name)
		for _, text := range warnings {
			f := tree.NewFault(m.Node.Src, m.At, at, "%s", text)
			r.Warnings = append(r.Warnings, Warning{File: f.File, Line: f.Line, Path: f.Path, Message: f.Message})
		}
		if err == nil {
			continue
		}
		f := tree.NewFault(m.Node.Src, m.At, at, "%s", fault.Of(err).Message)
		f.Hint = fault.Of(err).HintParts()
		if slices.Contains(e.Workspace.Providers, m.Name) {
			r.Faults, r.Valid = append(r.Faults, f), false
			continue
		}
		if w := (Warning{File: f.File, Line: f.Line, Path: f.Path, Message: f.Message}); !warnedOf(r.Warnings, w.Path) {
			r.Warnings = append(r.Warnings, w)
		}
	}
}

func warnedOf(warnings []Warning, path string) bool {
	return slices.ContainsFunc(warnings, func(w Warning) bool { return w.Path == path })
}
