package config

import (
	"bytes"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"tasker/internal/config/format"
	"tasker/internal/fault"
	"tasker/internal/hint"
	"tasker/internal/strict"
)

// The db layer of a project is a JSON object with the keys of the file, except $schema, version and project. The
// functions here read and change it as text, so that the store keeps nothing but that text.

// CheckDB returns what is wrong with the db layer of a project, or nil.
func CheckDB(db []byte) error {
	_, _, err := readDB(db)
	return err
}

// readDB reads a db layer, without the values that readStored skips.
func readDB(db []byte) (layer *strict.Node, passed []format.Fault, err error) {
	if len(bytes.TrimSpace(db)) == 0 {
		return emptyLayer(format.DBLayer), nil, nil
	}
	layer, passed, faults := readStored(&strict.Source{Layer: format.DBLayer, Text: db})
	if err := format.Refuse(faults); err != nil {
		return nil, nil, fault.Of(err).WithHint("correct it with: %s, or %s", hint.Command("project set SLUG KEY VALUE"), hint.Command("project unset SLUG KEY"))
	}
	layer, _ = dropNeverStored(layer) // stored before these keys were refused
	return layer, passed, nil
}

// neverStored are the keys that name commands, environments and addresses. They count only from the file and the local
// file of the machine that uses them, so that nobody who can write to the database can run something elsewhere.
var neverStored = []string{"workspace.setup", "workspace.teardown", "workspace.providers", "providers", "notifications.channels"}

// dropNeverStored returns a layer without neverStored, and which of these keys it had.
func dropNeverStored(layer *strict.Node) (rest *strict.Node, had []string) {
	for _, key := range neverStored {
		if path, _, err := format.Resolve(key); err == nil && layer.Find(path) != nil {
			layer, had = layer.Remove(path), append(had, key)
		}
	}
	return layer, had
}

// SetDB sets one key in a db layer and returns the new text. The value is written as a person types it: texts verbatim,
// everything else as JSON.
func SetDB(db []byte, key, value string) ([]byte, error) {
	layer, _, err := readDB(db)
	if err != nil {
		return nil, err
	}
	path, k, err := settable(key)
	if err != nil {
		return nil, err
	}
	val, faults := fromText(layer.Src, k, key, value)
	if err := format.Refuse(faults); err != nil {
		return nil, err
	}
	layer = layer.Put(path, val)
	if _, had := dropNeverStored(layer); len(had) > 0 {
		return nil, notStored(had[0])
	}
	return tidyDB(layer)
}

// UnsetDB removes one key from a db layer and returns the new text. A key that is not set stays unset. Objects that
// become empty are removed too.
func UnsetDB(db []byte, key string) ([]byte, error) {
	layer, _, err := readDB(db)
	if err != nil {
		return unsetBroken(db, key, err)
	}
	path, _, err := settable(key)
	if err != nil {
		return nil, err
	}
	if layer.Find(path) == nil {
		return layer.Append(nil), nil
	}
	return tidyDB(layer.Remove(path))
}

// unsetBroken removes a key from a layer that cannot be read, whatever the key is called: this is how to repair it.
// Other faults stay, and the next reader reports them. It returns faults if the key is not there.
func unsetBroken(db []byte, key string, faults error) ([]byte, error) {
	layer, bad := format.Parse(&strict.Source{Layer: format.DBLayer, Text: db})
	var path []strict.Step
	for name := range strings.SplitSeq(key, ".") {
		path = append(path, strict.Step{Name: name})
	}
	if len(bad) > 0 || layer.Find(path) == nil {
		return nil, faults
	}
	return layer.Remove(path).Append(nil), nil
}

// FromFile turns the text of a configuration file into a db layer: all of its policy, without $schema, version and
// project. It also returns the keys that it left out because they are never read from the database. name appears in
// refusals.
func FromFile(name string, text []byte) (db []byte, leftOut []string, err error) {
	layer, _, faults := readLayer(&strict.Source{Layer: format.FileLayer, File: name, Text: text}, nil)
	if err := format.Refuse(faults); err != nil {
		return nil, nil, err
	}
	layer = layer.Only(func(name string) bool { return format.Root.Key(name).In(format.DBLayer) })
	layer, leftOut = dropNeverStored(layer)
	db, err = tidyDB(layer)
	return db, leftOut, err
}

// settable resolves a key that the db layer can hold: a path of names that ends at a declared key.
func settable(key string) ([]strict.Step, *format.Key, error) {
	path, k, err := named(format.DBLayer, "the db layer", key)
	if err == nil && slices.ContainsFunc(neverStored, within(key)) {
		err = notStored(key)
	}
	return path, k, err
}

// within returns a function that reports whether a key is this one or below it.
func within(key string) func(string) bool {
	return func(other string) bool { return key == other || strings.HasPrefix(key, other+".") }
}

// notStored refuses a key that is never read from the database.
func notStored(key string) error {
	return fault.Bad("%s cannot be set in the db layer: steps, providers and channels count from the file of the machine that runs them", key).
		WithHint("set it in .tasker.json, or in .tasker.local.json for this machine alone")
}

// tidyDB checks a changed layer as a whole, so that everything stored can be read back.
func tidyDB(layer *strict.Node) ([]byte, error) {
	text := layer.Append(nil)
	if err := CheckDB(text); err != nil {
		return nil, err
	}
	return text, nil
}

// Difference is a key of the file's policy whose value in the db layer is different or missing.
type Difference struct {
	Key  string `json:"key"`
	File string `json:"file"` // as JSON; the local file's value if it refines the key
	DB   string `json:"db"`   // as JSON; "" if the db layer does not set it
}

// Differences lists where the db layer of the file's own project, on top of the policy of record, differs from the file
// and the local file: there, a server or a command elsewhere decides differently from a command that has the file. Keys
// that describe the process are left out, except the ones that decide about tasks: actors, and the rules of
// agentDefaults.
func (l *Loaded) Differences(s Stored) ([]Difference, error) {
	layer, _, err := readDB(s.DB)
	if err != nil {
		return nil, err
	}
	record, _, err := s.readRecord()
	if err != nil {
		return nil, err
	}
	set := layer
	layer = strict.Merge(record, layer)
	var out []Difference
	unset := defaults()
	leaves(strict.Merge(l.file, l.local), func(key string, m strict.NodeMember) {
		path, k, err := format.Resolve(key)
		if err != nil {
			return
		}
		top := format.Root.Key(path[0].Name)
		switch {
		case !top.In(format.DBLayer), top.Process && !top.Decides && !k.Decides, slices.ContainsFunc(neverStored, within(key)):
			return
		case len(s.Record) > 0 && !isRecorded(path) && set.Find(path) == nil: // the record does not cover it
			return
		case k.Type == format.Map && len(m.Node.Members) == 0: // it adds nothing to the db layer
			return
		}
		d := Difference{Key: key, File: string(m.Node.Value())}
		n := layer.Find(path)
		if n != nil {
			d.DB = string(n.Value())
		} else {
			n = unset.Find(path)
		}
		if n == nil || !sameValue(n.Value(), m.Node.Value()) {
			out = append(out, d)
		}
	})
	leaves(record, func(key string, m strict.NodeMember) { // what the file has dropped
		path, _, err := format.Resolve(key)
		if err != nil || l.file.Find(path) != nil || l.local.Find(path) != nil {
			return
		}
		if n := unset.Find(path); n == nil || !sameValue(n.Value(), m.Node.Value()) {
			out = append(out, Difference{Key: key, DB: string(m.Node.Value())})
		}
	})
	return out, nil
}

// sameValue compares two values; the order of names in an object does not matter.
func sameValue(x, y jsontext.Value) bool {
	return x.Canonicalize() == nil && y.Canonicalize() == nil && string(x) == string(y)
}
