package config

import (
	"bytes"
	"slices"

	"tasker/internal/fault"
	"tasker/internal/words"
)

// The db layer of a project is a JSON object with the keys of the file, except $schema, version and project. The
// functions here read and change it as text, so that the store keeps nothing but that text.

// CheckDB tells what is wrong with the db layer of a project; nil when all is well.
func CheckDB(db []byte) error {
	_, err := readDB(db)
	return err
}

func readDB(db []byte) (*node, error) {
	if len(bytes.TrimSpace(db)) == 0 {
		return emptyLayer(DBLayer), nil
	}
	tree, _, faults := readLayer(&source{layer: DBLayer, text: db}, nil)
	if err := refuse(faults); err != nil {
		return nil, fault.Of(err).WithHint("correct it with: tasker project set, or tasker project unset")
	}
	return tree, nil
}

// SetDB sets one key in a db layer and returns the new text. The value is typed as a person does: texts as they
// stand, everything else as JSON.
func SetDB(db []byte, key, value string) ([]byte, error) {
	tree, err := readDB(db)
	if err != nil {
		return nil, err
	}
	path, k, err := settable(key)
	if err != nil {
		return nil, err
	}
	val := fromText(tree.src, k, value)
	c := checker{src: tree.src}
	c.value(val, k, key)
	if err := refuse(c.faults); err != nil {
		return nil, err
	}
	return tidyDB(tree.put(path, val))
}

// UnsetDB takes one key out of a db layer and returns the new text. A key that is not set stays unset. Objects that
// hold nothing any more go too.
func UnsetDB(db []byte, key string) ([]byte, error) {
	tree, err := readDB(db)
	if err != nil {
		return nil, err
	}
	path, _, err := settable(key)
	if err != nil {
		return nil, err
	}
	if tree.find(path) == nil {
		return tree.append(nil), nil
	}
	return tidyDB(tree.remove(path))
}

// FromFile turns the text of a configuration file into a db layer: all of its policy, without $schema, version and
// project. name stands in refusals.
func FromFile(name string, text []byte) ([]byte, error) {
	tree, _, faults := readLayer(&source{layer: FileLayer, file: name, text: text}, nil)
	if err := refuse(faults); err != nil {
		return nil, err
	}
	return tidyDB(tree.only(func(name string) bool { return format.key(name).in(DBLayer) }))
}

// settable resolves a key that the db layer can hold: a path of names that ends at something declared.
func settable(key string) ([]step, *Key, error) {
	path, k, err := resolve(key)
	if err != nil {
		return nil, nil, err
	}
	if slices.ContainsFunc(path, func(s step) bool { return s.isIndex }) {
		return nil, nil, fault.Bad("%s is part of an array, and arrays are replaced whole", key).WithHint("set the array itself, as JSON")
	}
	if top := format.key(path[0].name); !top.in(DBLayer) {
		return nil, nil, fault.Bad("%s cannot be set in the db layer", key).
			WithHint("allowed: %s", words.List(format.names(DBLayer)))
	}
	return path, k, nil
}

// tidyDB checks a changed layer as a whole, so that nothing is stored that could not be read back.
func tidyDB(tree *node) ([]byte, error) {
	text := tree.append(nil)
	if err := CheckDB(text); err != nil {
		return nil, err
	}
	return text, nil
}

// remove returns a copy of the tree without the value at a path of names, and without objects left empty by it.
func (n *node) remove(path []step) *node {
	child := n.get(path[0].name)
	if child == nil {
		return n
	}
	if len(path) == 1 {
		return n.with(path[0].name, nil)
	}
	child = child.remove(path[1:])
	if len(child.members) == 0 {
		child = nil
	}
	return n.with(path[0].name, child)
}

// Difference is a key of the file's policy that the db layer does not hold in the same way.
type Difference struct {
	Key  string `json:"key"`
	File string `json:"file"` // as JSON; where the local file refines it, that value
	DB   string `json:"db"`   // as JSON; "" where the db layer does not set it
}

// Differences lists where the db layer of the file's own project comes to something else than the file and the local
// file: there a command elsewhere, or a server, decides otherwise than one beside the file. What describes the
// process is left out, but for what tasks are decided by: actors, and the rules of agentDefaults.
func (l *Loaded) Differences(db []byte) ([]Difference, error) {
	tree, err := readDB(db)
	if err != nil {
		return nil, err
	}
	var out []Difference
	unset := defaults()
	leaves(member{node: merge(l.file, l.local)}, &format, "", func(key string, m member) {
		path, k, err := resolve(key)
		if err != nil {
			return
		}
		top := format.key(path[0].name)
		switch {
		case !top.in(DBLayer), top.Process && !top.Decides && !k.Decides:
			return
		case k.Type == mapping && len(m.node.members) == 0: // it adds nothing to what the db layer has
			return
		}
		d := Difference{Key: key, File: string(m.node.value())}
		n := tree.find(path)
		if n != nil {
			d.DB = string(n.value())
		} else {
			n = unset.find(path)
		}
		if n == nil || !sameValue(n, m.node) {
			out = append(out, d)
		}
	})
	return out, nil
}

// sameValue compares what two values say; the order of names in an object says nothing.
func sameValue(a, b *node) bool {
	x, y := a.value(), b.value()
	return x.Canonicalize() == nil && y.Canonicalize() == nil && string(x) == string(y)
}
