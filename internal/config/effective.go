package config

import (
	"slices"

	"tasker/internal/config/format"
	"tasker/internal/strict"

	"github.com/go-json-experiment/json/jsontext"
)

// Effective is the effective configuration of one project, with the origin of each value. It is shared and must not be
// changed.
type Effective struct {
	*Config
	GateDirs map[string]string // by gate that asks for a command: the directory of the file that declares it, from the root of the repository, if known
	Warnings []Warning         // names that no layer defines, and the like
	Notices  []string          // like Loaded.Notices, under this project's own notices.deprecations

	// Recorded is the configuration that the database alone gives, if it declares a human and what it decides is not what
	// the layers here decide; else nil.
	Recorded *Effective
	// RecordedDefault is the default actor of the project's record, or ""; nil without a record that declares actors.
	RecordedDefault *string

	layers []*strict.Node // lowest first
	merged *strict.Node
	byFile string         // the file that declares the project, if any
	record Stored         // whose policy of record counts, if there is one
	passed []format.Fault // in the database: values that do not count
}

// For returns the effective configuration of a project, given the JSON of its db layer (nil or empty for none) and no
// policy of record. An empty project means the one that Project returns.
func (l *Loaded) For(project string, db []byte) (*Effective, error) {
	return l.ForStored(project, Stored{DB: db})
}

// ForStored returns the effective configuration of a project, given its configuration in the database. For the project
// that the file declares, all layers count, and the policy of record does not. For any other project, the file and the
// local file count only for what describes the process, and the policy of record is below the db layer. Flags and
// environment choose the project and override keys either way.
func (l *Loaded) ForStored(project string, s Stored) (*Effective, error) {
	if project == "" {
		project = l.Project()
	}
	if e := l.cache.get(project, s); e != nil {
		return e, nil
	}
	dbTree, passed, err := readDB(s.DB)
	if err != nil {
		return nil, err
	}
	e := &Effective{byFile: l.File, passed: passed}
	file, local := l.file, l.local
	if project != l.FileProject() || l.File == "" {
		keep := func(name string) bool { k := format.Root.Key(name); return k != nil && k.Process || name == "project" }
		file, local = file.Only(keep), local.Only(keep)
		e.byFile, e.record = "", s
		if len(s.Record) > 0 {
			file, local = withoutRecorded(file), withoutRecorded(local)
		}
	}
	e.layers = []*strict.Node{defaults(), dbTree, file, local, l.env, l.flags}
	if e.byFile == "" && len(s.Record) > 0 {
		record, passed, err := s.readRecord()
		if err != nil {
			return nil, err
		}
		e.passed = append(e.passed, passed...)
		e.layers = slices.Insert(e.layers, 1, record)
	}
	e.choose(project)
	for _, layer := range e.layers {
		e.merged = strict.Merge(e.merged, layer)
	}
	e.Config = configOf(e.merged)
	e.runIn(l.gateDir, ofFile)
	e.runIn(s.Dir, ofThePolicy)
	if e.Recorded, err = e.contradiction(s, dbTree); err != nil {
		return nil, err
	}
	e.Warnings = e.warn()
	if l.old && noticesOn(e.merged) {
		e.Notices = []string{oldNotice(l.file.Src)}
	}
	l.cache.put(project, s, e)
	return e, nil
}

// runIn notes where the commands of the gates run that a certain kind of layer declares. An empty directory is not known.
func (e *Effective) runIn(dir string, declares func(*strict.Node) bool) {
	if dir == "" {
		return
	}
	for _, gate := range gateCommands(e.merged, declares) {
		if e.GateDirs == nil {
			e.GateDirs = map[string]string{}
		}
		e.GateDirs[gate] = dir
	}
}

// choose makes the layers agree that this is the project: overrides above the layer that names it were meant for
// another call, and a project that no layer names was chosen by the caller, as with a flag.
func (e *Effective) choose(project string) {
	top := -1
	for i, layer := range e.layers {
		if layer.Get("project").Plain() == project {
			top = i
		}
	}
	if last := len(e.layers) - 1; top < 0 && project != "" {
		src := &strict.Source{Layer: format.FlagsLayer}
		e.layers[last] = e.layers[last].With("project", &strict.Node{Kind: '"', Text: project, Src: src})
		return
	}
	for i := top + 1; i < len(e.layers); i++ {
		if layer := e.layers[i]; layer.Get("project") != nil && (layer.Src.Layer == format.EnvLayer || layer.Src.Layer == format.FlagsLayer) {
			e.layers[i] = layer.With("project", nil)
		}
	}
}

// Origin says where a value comes from. File and Line are nil for layers that are not files. A value of the policy of
// record belongs to the db layer, with the file that it was recorded from, and when.
type Origin struct {
	Layer      strict.Layer `json:"layer"`
	File       *string      `json:"file"`
	Line       *int         `json:"line"`
	RecordedAt *string      `json:"recordedAt"` // only for the policy of record
}

// Value is one set key with its value and origin.
type Value struct {
	Key   string         `json:"key"`
	Value jsontext.Value `json:"value"`
	Origin
}

// Shown is what `config show --json --origins` prints.
type Shown struct {
	Config  any     `json:"config"`
	Origins Origins `json:"origins"`
}

// Origins maps each set key to its origin, in the order of the declaration.
type Origins []Value

// MarshalJSONTo writes the object.
func (o Origins) MarshalJSONTo(enc *jsontext.Encoder) error {
	members := make(strict.Members, len(o))
	for i, v := range o {
		members[i] = strict.Member{Name: v.Key, Value: v.Origin}
	}
	return members.MarshalJSONTo(enc)
}

// Show returns the merged configuration, with null for keys that nobody sets, and the origin of each set key. Lists are
// as their layer wrote them; the defaults of their elements are in Config.
func (e *Effective) Show() Shown {
	return Shown{Config: e.Merged(), Origins: e.Values()}
}

// Merged is the configuration of Show: what `config show --json` prints.
func (e *Effective) Merged() any { return shown(e.merged, &format.Root) }

// shown returns the value of a key: of an object, every key that is declared.
func shown(n *strict.Node, k *format.Key) any {
	if k.Type != format.Object {
		return n.Value()
	}
	members := strict.Members{}
	for _, sub := range k.Keys {
		if !sub.Ignored {
			members = append(members, strict.Member{Name: sub.Name, Value: shown(n.Get(sub.Name), sub)})
		}
	}
	return members
}

// Values lists every set key, defaults included, in the order of the declaration: texts, numbers, booleans, lists and
// empty maps. A list is one value, because it is replaced as a whole.
func (e *Effective) Values() []Value {
	var out []Value
	leaves(e.merged, func(path string, m strict.NodeMember) {
		out = append(out, Value{Key: path, Value: m.Node.Value(), Origin: originOf(m)})
	})
	return out
}

// leaves visits each value that layers replace as a whole, with where it was written.
func leaves(root *strict.Node, visit func(path string, m strict.NodeMember)) {
	format.Visit(root, func(p format.Place) bool {
		switch {
		case p.Key.Ignored:
			return false
		case p.Key.Type == format.Object, p.Key.Type == format.Map && len(p.Node.Members) > 0:
			return true
		}
		visit(p.Path, p.NodeMember)
		return false
	})
}

// originOf returns where the member was written.
func originOf(m strict.NodeMember) Origin {
	src := m.Node.Src
	if src.File == "" {
		return Origin{Layer: src.Layer}
	}
	if src.Recorded != "" {
		return Origin{Layer: src.Layer, File: &src.File, RecordedAt: &src.Recorded}
	}
	line, _ := src.Place(m.At)
	return Origin{Layer: src.Layer, File: &src.File, Line: &line}
}

// setAbove reports whether a layer above the defaults sets the key.
func (e *Effective) setAbove(names ...string) bool {
	n := e.merged
	for _, name := range names {
		n = n.Get(name)
	}
	return n != nil && n.Src.Layer != format.DefaultsLayer
}
