package config

import (
	"fmt"
	"strconv"
	"strings"

	"tasker/internal/config/format"
	"tasker/internal/fault"
	"tasker/internal/hint"
	"tasker/internal/strict"
	"tasker/internal/text/words"
)

// readLayer parses and checks the text of one layer. below is the tree that a local layer refines, so that required
// keys of an object may come from it.
func readLayer(src *strict.Source, below *strict.Node) (layer *strict.Node, old bool, faults []format.Fault) {
	// The version decides how it is read.
	if first, _ := format.ReadKnown(src, func(k *format.Key) bool { return k.Name == "version" }); first != nil && first.Kind == '{' {
		if f := otherVersion(first); f != nil {
			return nil, false, []format.Fault{*f}
		}
		old = src.Layer == format.FileLayer && first.Get("version") == nil
	}
	if old {
		layer, faults = format.ReadKnown(src, func(k *format.Key) bool { return k.Old })
	} else {
		layer, faults = format.Read(src)
	}
	if layer == nil || layer.Kind != '{' {
		return nil, old, faults
	}
	faults = append(faults, format.Required(src, strict.Merge(below, layer))...)
	layer = layer.Only(func(name string) bool { return !format.Root.Key(name).Ignored })
	return layer, old, faults
}

// otherVersion refuses a file of a version that we do not support, before anything else in it is checked.
func otherVersion(root *strict.Node) *format.Fault {
	v := root.Get("version")
	if v == nil || v.Kind != '0' {
		return nil
	}
	if n, ok := v.Whole(); ok && n == format.Version {
		return nil
	}
	f := format.NewFault(v.Src, v.At, "version",
		"the file has version %s, this tasker speaks version %d, and nothing in the file was applied", v.Text, format.Version)
	f.Allowed = []string{strconv.Itoa(format.Version)}
	f.Hint = fault.Parts("%s prints how to get a tasker that reads it", hint.Command("upgrade"))
	return &f
}

// oldNotice returns the notice about a file without a version.
func oldNotice(src *strict.Source) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s has no version and is read as the pre-versioned shape: only %s count",
		src.File, words.And(format.TopNames(func(k *format.Key) bool { return k.Old })))
	if ignored, more := ignoredKeys(src); len(ignored) > 0 {
		fmt.Fprintf(&b, "; ignored: %s%s", words.List(ignored), words.When(more > 0, fmt.Sprintf(" and %d more", more)))
	}
	b.WriteString("; bring it to version 1 with: " + hint.Command("config migrate --write").String())
	return b.String()
}

// ignoredKeys lists the first top-level names of a pre-versioned file that are not read, in the order of the file, and
// counts the others.
func ignoredKeys(src *strict.Source) (out []string, more int) {
	const listed = 50
	root, _ := format.Parse(src)
	for _, m := range root.All() {
		if k := format.Root.Key(m.Name); k == nil || !k.Old && !k.Ignored {
			if len(out) == listed {
				more++
				continue
			}
			meant := words.When(words.Nearest(m.Name, []string{"version"}) != "", " (did you mean version?)")
			out = append(out, strict.Join("", m.Name)+meant)
		}
	}
	return out, more
}
