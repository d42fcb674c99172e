package config

import (
	"bytes"
	"io/fs"
	"slices"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"tasker/internal/config/format"
	"tasker/internal/fault"
	"tasker/internal/hint"
	"tasker/internal/strict"
	"tasker/internal/text/words"
)

// FileChange is a configuration file with one key set or removed.
type FileChange struct {
	Out      []byte         // the new text; the old one if nothing changes
	From, To jsontext.Value // of the key; nil if it is not set
	Was, Is  []byte         // the whole file before and after, each as one JSON object without spaces
}

// SetFile sets one key in the text of a file and leaves the rest as it is written: order, indentation and blank lines
// stay. value is what a person typed: JSON if it is JSON of the key's type, else a text. layer is FileLayer or
// LocalLayer, and name appears in refusals. It does not check the result as a whole: see CheckFile.
func SetFile(layer strict.Layer, name string, text []byte, key, value string) (FileChange, error) {
	root, path, k, err := inFile(layer, name, text, key)
	if err != nil {
		return FileChange{}, err
	}
	if plain, err := jsontext.AppendUnquote(nil, value); err == nil && k.Type == format.Text {
		value = string(plain)
	}
	node, faults := fromText(root.Src, k, key, value)
	if err := format.Refuse(faults); err != nil {
		return FileChange{}, err
	}
	out := FileChange{Out: text, To: node.Value(), Was: root.Append(nil), Is: root.Put(path, node).Append(nil)}
	if was := root.Find(path); was != nil {
		out.From = was.Value()
		if sameValue(slices.Clone(out.From), slices.Clone(out.To)) {
			return out, nil
		}
	}
	out.Out = put(root, text, path, node)
	return out, nil
}

// UnsetFile removes one key from the text of a file, and objects that become empty as a result. A key that is not set stays
// unset.
func UnsetFile(layer strict.Layer, name string, text []byte, key string) (FileChange, error) {
	root, path, _, err := inFile(layer, name, text, key)
	if err != nil {
		return FileChange{}, err
	}
	out := FileChange{Out: text, Was: root.Append(nil), Is: root.Append(nil)}
	was := root.Find(path)
	if was == nil {
		return out, nil
	}
	out.From, out.Is = was.Value(), root.Remove(path).Append(nil)
	for len(path) > 1 && len(root.Find(path[:len(path)-1]).Members) == 1 {
		path = path[:len(path)-1]
	}
	last := len(path) - 1
	out.Out = without(root.Find(path[:last]), text, path[last].Name)
	return out, nil
}

// CheckFile returns what is wrong with everything that is read here once a file has another text.
func CheckFile(o Options, path string, text []byte) error {
	o.Files = replaced{o.Files, path, text}
	r, err := Validate(o, path)
	if err == nil {
		err = r.Err()
	}
	if err == nil {
		_, err = Load(o)
	}
	return err
}

// named resolves a key that a layer can hold: a path of names that ends at a declared key. called is what a refusal calls
// the layer.
func named(layer strict.Layer, called, key string) ([]strict.Step, *format.Key, error) {
	path, k, err := format.Resolve(key)
	if err != nil {
		return nil, nil, err
	}
	if slices.ContainsFunc(path, func(s strict.Step) bool { return s.IsIndex }) {
		return nil, nil, fault.Bad("%s is part of an array, and arrays are replaced whole", key).WithHint("set the array itself, as JSON")
	}
	if top := format.Root.Key(path[0].Name); !top.In(layer) {
		return nil, nil, fault.Bad("%s cannot be set in %s", key, called).
			WithHint("allowed: %s", words.List(format.Root.Names(layer)))
	}
	return path, k, nil
}

// inFile reads the text of a file, and resolves a key that the file can hold.
func inFile(layer strict.Layer, name string, text []byte, key string) (root *strict.Node, path []strict.Step, k *format.Key, err error) {
	path, k, err = named(layer, words.Either(layer == format.LocalLayer, LocalName, FileName), key)
	if err != nil {
		return nil, nil, nil, err
	}
	root, faults := format.Parse(&strict.Source{Layer: layer, File: name, Text: text})
	err = format.Refuse(faults)
	if err == nil && layer == format.FileLayer && root.Get("version") == nil {
		err = fault.Decline("%s has no version, so most of its keys do not count", name).
			WithHint("bring it to version 1 first: %s", hint.Command("config migrate --write"))
	}
	return root, path, k, err
}

// put returns the text with the value of a key replaced, or with a new member at the end of its object.
func put(root *strict.Node, text []byte, path []strict.Step, value *strict.Node) []byte {
	at, indent := root, unitOf(root, text)
	for i, step := range path {
		next := at.Get(step.Name)
		if next == nil || i == len(path)-1 || next.Kind != '{' {
			for _, below := range slices.Backward(path[i+1:]) {
				value = &strict.Node{Kind: '{', Members: []strict.NodeMember{{Name: below.Name, Node: value}}}
			}
			if next != nil {
				return splice(text, next.At, next.End, laidOut(value, lineIndent(text, next.At), indent))
			}
			return splice(text, last(at), last(at), added(at, text, step.Name, value, indent))
		}
		at = next
	}
	return text
}

// last returns where the last member of an object ends; after the brace if it has none.
func last(n *strict.Node) int64 {
	if len(n.Members) == 0 {
		return n.At + 1
	}
	return n.Members[len(n.Members)-1].Node.End
}

// added returns the text of a new member at the end of an object, as its other members are written: each on a line of its
// own, or all on one.
func added(n *strict.Node, text []byte, name string, value *strict.Node, unit string) []byte {
	quoted := append(strict.Quote(nil, name), ": "...)
	if len(n.Members) == 0 {
		own := lineIndent(text, n.At)
		out := slices.Concat([]byte("\n"+own+unit), quoted, laidOut(value, own+unit, unit))
		if !bytes.Contains(text[n.At:n.End], []byte("\n")) {
			out = append(out, "\n"+own...)
		}
		return out
	}
	end := n.Members[len(n.Members)-1]
	gap := text[n.At+1 : n.Members[0].At]
	if !bytes.Contains(gap, []byte("\n")) {
		return slices.Concat([]byte(", "), quoted, oneLine(value))
	}
	own := lineIndent(text, end.At)
	return slices.Concat([]byte(",\n"+own), quoted, laidOut(value, own, unit))
}

// without returns the text without a member of an object, and without the comma and the space that belong to it.
func without(n *strict.Node, text []byte, name string) []byte {
	i := slices.IndexFunc(n.Members, func(m strict.NodeMember) bool { return m.Name == name })
	switch {
	case len(n.Members) == 1:
		return splice(text, n.At+1, n.End-1, nil)
	case i == 0:
		return splice(text, n.Members[0].At, n.Members[1].At, nil)
	}
	return splice(text, n.Members[i-1].Node.End, n.Members[i].Node.End, nil)
}

func splice(text []byte, from, to int64, with []byte) []byte {
	return slices.Concat(text[:from], with, text[to:])
}

// laidOut returns a value as people write it below a line with that indent: one member of an object per line, and a list on
// one line unless it has objects.
func laidOut(n *strict.Node, indent, unit string) []byte {
	pieces, ends := [][]byte{}, "[]"
	switch {
	case n.Kind == '{' && len(n.Members) > 0:
		ends = "{}"
		for _, m := range n.Members {
			pieces = append(pieces, slices.Concat(strict.Quote(nil, m.Name), []byte(": "), laidOut(m.Node, indent+unit, unit)))
		}
	case n.Kind == '[' && slices.ContainsFunc(n.Items, func(i *strict.Node) bool { return i.Kind == '{' || i.Kind == '[' }):
		for _, item := range n.Items {
			pieces = append(pieces, laidOut(item, indent+unit, unit))
		}
	default:
		return oneLine(n)
	}
	line := "\n" + indent
	return slices.Concat([]byte(ends[:1]+line+unit), bytes.Join(pieces, []byte(","+line+unit)), []byte(line+ends[1:]))
}

// oneLine returns a value on one line.
func oneLine(n *strict.Node) []byte {
	v := n.Value()
	_ = v.Format(jsontext.SpaceAfterColon(true), jsontext.SpaceAfterComma(true), jsontext.PreserveRawStrings(true)) // it was read from JSON
	return v
}

// lineIndent returns the space at the beginning of the line that has a position.
func lineIndent(text []byte, at int64) string {
	line := text[bytes.LastIndexByte(text[:at], '\n')+1 : at]
	return string(line[:len(line)-len(bytes.TrimLeft(line, " \t"))])
}

// unitOf returns how far the file indents a level: two spaces if nothing shows it.
func unitOf(root *strict.Node, text []byte) string {
	if len(root.Members) > 0 {
		if unit := lineIndent(text, root.Members[0].At); unit != "" {
			return unit
		}
	}
	return "  "
}

// replaced is a file system in which one file has another text.
type replaced struct {
	Files
	path string
	text []byte
}

// ReadFile returns the other text of that file.
func (r replaced) ReadFile(name string) ([]byte, error) {
	if name == r.path {
		return r.text, nil
	}
	return r.Files.ReadFile(name)
}

// Stat finds that file even if it does not exist yet.
func (r replaced) Stat(name string) (fs.FileInfo, error) {
	info, err := r.Files.Stat(name)
	if err != nil && name == r.path {
		return newFile{}, nil
	}
	return info, err
}

// newFile describes a file that does not exist yet, as far as a reader of the configuration asks.
type newFile struct{ fs.FileInfo }

// IsDir says that it is a file.
func (newFile) IsDir() bool { return false }

// ModTime returns no time.
func (newFile) ModTime() time.Time { return time.Time{} }
