package config

import (
	"path/filepath"

	"tasker/internal/fault"
)

// Report is what validation found: faults, warnings, notices. It is valid when there are no faults.
type Report struct {
	File     string    `json:"file"`
	Valid    bool      `json:"valid"`
	Faults   []Fault   `json:"faults"`
	Warnings []Warning `json:"warnings"`
	Notices  []string  `json:"notices"`
}

// Err is the faults as one error; nil when valid.
func (r *Report) Err() error { return refuse(r.Faults) }

// Validate checks one file by itself. A file named .tasker.local.json is checked as a local layer over the
// configuration file beside it, any other as a configuration file. The error is for a file that cannot be read.
func Validate(o Options, path string) (*Report, error) {
	path = o.abs(path)
	if _, err := o.Files.Stat(path); err != nil {
		return nil, fault.Bad("there is no file %s", path).WithHint("name a file that exists, or none for the one that counts here")
	}
	r := &Report{File: path, Faults: []Fault{}, Warnings: []Warning{}, Notices: []string{}}
	src := &source{layer: FileLayer, file: path}
	loaded := &Loaded{
		File: path, file: emptyLayer(FileLayer), local: emptyLayer(LocalLayer),
		env: emptyLayer(EnvLayer), flags: emptyLayer(FlagsLayer),
	}
	var below *node
	if filepath.Base(path) == LocalName {
		src.layer = LocalLayer
		beside := &source{layer: FileLayer, file: filepath.Join(filepath.Dir(path), FileName)}
		if o.fill(beside) == nil {
			if tree, _, faults := readLayer(beside, nil); tree != nil && len(faults) == 0 {
				below, loaded.file = tree, tree
			}
		}
	}
	if err := o.fill(src); err != nil {
		return nil, err
	}
	tree, old, faults := readLayer(src, below)
	r.Faults = append(r.Faults, faults...)
	if r.Valid = len(r.Faults) == 0; !r.Valid {
		return r, nil
	}
	if src.layer == LocalLayer {
		loaded.local = tree
	} else {
		loaded.file, loaded.old = tree, old
	}
	e, err := loaded.For(loaded.Project(), nil)
	if err != nil {
		return nil, err
	}
	r.Warnings = append(r.Warnings, e.Warnings...)
	r.Notices = append(r.Notices, e.Notices...)
	return r, nil
}
