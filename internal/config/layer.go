package config

import (
	"fmt"
	"strings"

	"tasker/internal/words"
)

// readLayer parses and checks the text of one layer. below is the tree that a local layer refines, so that keys
// required within an object may come from it.
func readLayer(src *source, below *node) (tree *node, old bool, faults []Fault) {
	root, faults := parse(src)
	if root == nil {
		return nil, false, faults
	}
	if f := otherVersion(root); f != nil {
		return nil, false, []Fault{*f}
	}
	c := checker{src: src, faults: faults}
	if src.layer == FileLayer && root.kind == kObject && root.get("version") == nil {
		old = true
		root = root.only(readFromOld)
	}
	c.root(root)
	if root.kind != kObject {
		return nil, old, c.faults
	}
	c.required(merge(below, root), &format, "")
	root = root.only(func(name string) bool { k := format.key(name); return k == nil || !k.Ignored })
	return root, old, c.faults
}

// readFromOld tells which keys count in a file without a version.
func readFromOld(name string) bool {
	k := format.key(name)
	return k != nil && k.Old
}

// otherVersion refuses a file of a version that we do not speak, before anything else of it is looked at.
func otherVersion(root *node) *Fault {
	v := root.get("version")
	if v == nil || v.kind != kNumber {
		return nil
	}
	if n, ok := v.whole(); ok && n == FormatVersion {
		return nil
	}
	f := newFault(v.src, v.at, "version", "the file is of version %s, this tasker speaks version %d, and nothing of the file was applied", v.text, FormatVersion)
	f.Allowed = []string{"1"}
	f.hint = "tasker upgrade prints how to get a tasker that reads it"
	return &f
}

// oldNotice is what is printed about a file without a version.
func oldNotice(src *source) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s has no version and is read as the pre-versioned shape: only %s count",
		src.file, words.And(topNames(func(k *Key) bool { return k.Old })))
	if ignored := ignoredKeys(src); len(ignored) > 0 {
		fmt.Fprintf(&b, "; ignored: %s", words.List(ignored))
	}
	b.WriteString("; bring it to version 1 with: tasker config migrate --write")
	return b.String()
}

// ignoredKeys lists the names at the top of a pre-versioned file that are not read, in the order of the file.
func ignoredKeys(src *source) []string {
	root, _ := parse(src)
	var out []string
	if root != nil {
		for _, m := range root.members {
			if k := format.key(m.name); k == nil || !k.Old && !k.Ignored {
				name := join("", m.name)
				if words.Nearest(m.name, []string{"version"}) != "" {
					name += " (did you mean version?)"
				}
				out = append(out, name)
			}
		}
	}
	return out
}
