package config

import (
	"bytes"
	"cmp"
	"maps"
	"reflect"
	"slices"
	"strings"

	"tasker/internal/config/format"
	"tasker/internal/fault"
	"tasker/internal/strict"
	"tasker/internal/text/words"
)

// The policy of record is what a project's own file said when somebody last applied a plan next to it. It replaces the
// file in every process that has no file that declares the project.

// Stored is a project's configuration in the database.
type Stored struct {
	DB     []byte // the db layer, a JSON object or empty
	Record []byte // the policy of record, likewise
	File   string // the file that it was recorded from
	At     string // when
	Dir    string // of the file, from the root of its repository; empty if unknown
}

const baseKey = "branch.base"

// recorded are the keys that a policy of record has, by their parent keys.
var recorded = map[string][]string{
	"execution": nil, "gates": nil, "actors": nil, // whole
	"integrations":  {"selection"},
	"agentDefaults": {"requireNoteOnDone"},
	"branch":        {"base"}, // it says which commit declares the commands that run unasked
}

// Policy returns the policy of the file, as it is recorded, and the file. Both are empty unless the file declares the
// project. The local file, the environment and flags do not affect it. Callers share the text and must not change it.
func (l *Loaded) Policy(project string) (policy []byte, file string) {
	if !l.declares(project) {
		return nil, ""
	}
	if policy = l.policy(); policy == nil {
		return nil, ""
	}
	return policy, l.File
}

// policyOf returns what a policy of record keeps of a file, in canonical form.
func policyOf(root *strict.Node) []byte {
	root = root.Only(func(name string) bool { _, ok := recorded[name]; return ok })
	for _, name := range slices.Sorted(maps.Keys(recorded)) {
		below, part := recorded[name], root.Get(name)
		if below == nil || part == nil {
			continue
		}
		if part = part.Only(func(name string) bool { return slices.Contains(below, name) }); len(part.Members) == 0 {
			part = nil
		}
		root = root.With(name, part)
	}
	text := root.Value()
	if text.Canonicalize() != nil { // it was read from JSON
		return nil
	}
	return text
}

// isRecorded reports whether a policy of record covers the key at a path.
func isRecorded(path []strict.Step) bool {
	below, ok := recorded[path[0].Name]
	return ok && (below == nil || len(path) > 1 && slices.Contains(below, path[1].Name))
}

// PolicyDir returns the directory of the file that declares the project, from the root of its repository; empty if no file
// does, or it is in no repository.
func (l *Loaded) PolicyDir(project string) string {
	return words.When(l.declares(project), l.gateDir)
}

// declares reports whether the file declares a project.
func (l *Loaded) declares(project string) bool {
	return l.File != "" && project != "" && project == l.FileProject()
}

// readRecord reads a policy of record, without the values that readStored skips. It is part of the db layer, and knows
// where it comes from.
func (s Stored) readRecord() (layer *strict.Node, passed []format.Fault, err error) {
	src := &strict.Source{Layer: format.DBLayer, File: s.File, Recorded: s.At, Text: s.Record}
	if len(s.Record) == 0 {
		return &strict.Node{Kind: '{', Src: src}, nil, nil
	}
	layer, passed, faults := readStored(src)
	if err := format.Refuse(faults); err != nil {
		return nil, nil, fault.Of(err).WithHint("the policy of record cannot be read: apply a plan next to the project's own file")
	}
	return layer, passed, nil
}

// withoutRecorded returns a layer of a file that declares another project, without the keys that a policy of record
// decides.
func withoutRecorded(layer *strict.Node) *strict.Node {
	layer = layer.With("actors", nil)
	if d := layer.Get("agentDefaults"); d != nil {
		layer = layer.With("agentDefaults", d.With("requireNoteOnDone", nil))
	}
	return layer
}

// contradiction returns the configuration that the database alone would give, if it declares a human, and the layers here
// declare other actors, or other rules for the work of agents.
func (e *Effective) contradiction(s Stored, db *strict.Node) (*Effective, error) {
	if len(s.Record) == 0 && db.Get("actors") == nil {
		return nil, nil
	}
	record, _, err := s.readRecord()
	if err != nil {
		return nil, err
	}
	known := &Effective{merged: strict.Merge(strict.Merge(defaults(), record), db)}
	known.Config = configOf(known.merged)
	known.runIn(s.Dir, ofThePolicy)
	e.RecordedDefault = new(known.assumed().Name)
	if !known.DeclaresHuman() || known.rules().same(e.rules()) {
		return nil, nil
	}
	return known, nil
}

// rules are the settings by which a record counts next to the layers of a process.
type rules struct {
	actors    []Actor
	execution Execution
	gates     map[string][]string
	dirs      map[string]string
	note      bool
	base      string
}

func (e *Effective) rules() rules {
	return rules{e.Actors, e.Execution, e.Gates, e.GateDirs, e.AgentDefaults.RequireNoteOnDone, e.Branch.Base}
}

func (r rules) same(other rules) bool { return reflect.DeepEqual(r, other) }

// Disputed warns of what the layers here say but the project's record overrules. overruled are the actors that count as the
// record says; anybody else whom the record does not know counts as the file says.
func (e *Effective) Disputed(overruled []string) []Warning {
	if e.Recorded == nil {
		return nil
	}
	var out []Warning
	var said []string
	loosens := false
	for _, l := range loosenedActors(e.Recorded.Config, e.Config) {
		if slices.Contains(overruled, l.actor) && !l.role {
			said = append(said, l.what)
			loosens = loosens || !l.human
		}
	}
	if len(said) > 0 {
		out = append(out, e.warning("actors", "the project's record decides about actors that the project knows, so this does not count for them: "+
			strings.Join(said, "; ")+" ("+e.takers()+" can take the file over by an apply next to it)"))
		out[0].Loosens = loosens
	}
	for _, l := range loosenedRules(e.Recorded.Config, e.Config, func(string) bool { return false }) {
		if l.key == baseKey {
			out = append(out, e.warning(l.key, "what has landed is compared with the base that the project's record names, not with this: "+l.what))
			continue
		}
		w := e.warning(l.key, "the project's record is stricter, and agents have to meet it too: "+l.what)
		w.Loosens = true
		out = append(out, w)
	}
	for _, gate := range slices.Sorted(maps.Keys(e.Gates)) {
		_, asks := e.Recorded.Gates[gate]
		_, reviewed := e.Recorded.Execution.ReviewPolicy[gate]
		if !asks && !reviewed {
			w := e.warning(strict.Join("gates", gate), "the project's record does not define this gate, so agents close nothing that has it")
			w.Loosens = true
			out = append(out, w)
		}
	}
	return out
}

// takers returns who can replace the record: its humans, or anybody if it has none.
func (e *Effective) takers() string {
	humans := slices.DeleteFunc(slices.Clone(e.Recorded.Actors), func(a Actor) bool { return a.Kind != "human" })
	names := words.Each(humans, func(a Actor) string { return a.Name })
	switch {
	case len(names) == 0:
		return "anybody"
	case len(names) > 3:
		return "a human of the record, such as " + names[0] + ","
	}
	return words.Or(names)
}

// Rules says in a few words whose rules count for the project.
func (e *Effective) Rules() string {
	switch {
	case e.byFile != "":
		return "the file " + e.byFile
	case e.record.At != "":
		return "the policy of record, from " + e.record.File + " at " + e.record.At
	default:
		return "the database and the defaults: no file here declares the project, and none was recorded"
	}
}

// Loosened returns what a policy loosens compared with the policy of record that it would replace: a human who is gone, or who
// acts where nobody is named, an actor with more rights, a rule or a gate that is gone or weaker, and a gate that becomes
// defined although a task names it already (until then that task cannot be done). named says which gates tasks name.
func Loosened(record, policy []byte, named func(gate string) bool) ([]string, error) {
	was, err := ofRecord(record)
	if err != nil {
		return nil, err
	}
	is, err := ofRecord(policy)
	if err != nil {
		return nil, err
	}
	var out []string
	for _, l := range loosenedActors(was, is) {
		out = append(out, "actors: "+l.what)
	}
	for _, l := range loosenedRules(was, is, named) {
		out = append(out, l.key+": "+l.what)
	}
	return out, nil
}

// loosened is what a policy loosens about one setting.
type loosened struct{ key, what string }

func loosenedRules(was, is *Config, named func(gate string) bool) (out []loosened) {
	add := func(key, what string) { out = append(out, loosened{key, what}) }
	if a, b := was.assumed(), is.assumed(); b.Kind == "human" && b.Name != a.Name {
		add("actors", b.Name+" would act where nobody is named")
	}
	if a, b := was.Execution.DefaultAutonomy, is.Execution.DefaultAutonomy; wider(b, a) {
		add("execution.defaultAutonomy", "from "+a+" to "+b)
	}
	if a, b := was.Execution.MayExecute, is.Execution.MayExecute; len(a) > 0 && (len(b) == 0 || len(beyond(b, a)) > 0) {
		add("execution.mayExecute", "from "+words.List(a)+" to "+cmp.Or(words.List(b), "anyone"))
	}
	for _, r := range was.Execution.RequireApproval {
		if !asked(r, is.Execution.RequireApproval) {
			add("execution.requireApproval", wordsOf(r)+" would no longer be asked for")
		}
	}
	for _, gate := range slices.Sorted(maps.Keys(was.Execution.ReviewPolicy)) {
		for _, r := range was.Execution.ReviewPolicy[gate] {
			if !asked(r, slices.Concat(is.Execution.RequireApproval, is.Execution.ReviewPolicy[gate])) {
				add(strict.Join("execution.reviewPolicy", gate), wordsOf(r)+" would no longer be asked for")
			}
		}
	}
	out = append(out, loosenedGates(was, is, named)...)
	if a, b := was.Branch.Base, is.Branch.Base; a != b {
		add(baseKey, "from "+cmp.Or(a, "none")+" to "+cmp.Or(b, "none"))
	}
	if was.AgentDefaults.RequireNoteOnDone && !is.AgentDefaults.RequireNoteOnDone {
		add("agentDefaults.requireNoteOnDone", "from true to false")
	}
	return out
}

// BaseOf returns the branch.base that the database has for a project: "" if it has none. What runs unasked is found by it and
// not by the files here, which the worker can edit.
func BaseOf(project string, s Stored) (string, error) {
	e, err := Nothing().ForStored(project, s)
	if err != nil {
		return "", err
	}
	return e.Branch.Base, nil
}

// BaseInForce returns the branch.base with which work is compared to say what has landed: the one that the project's record
// names, "" if it names none, where that declares a human; elsewhere what the layers say. The worker can edit the file.
func (e *Effective) BaseInForce() string {
	if e.Recorded != nil {
		return e.Recorded.Branch.Base
	}
	return e.Branch.Base
}

// assumed returns the actor that is flagged default; the zero one if none is.
func (c *Config) assumed() Actor {
	if i := slices.IndexFunc(c.Actors, func(a Actor) bool { return a.Default }); i >= 0 {
		return c.Actors[i]
	}
	return Actor{}
}

// ofRecord returns the configuration of a policy by itself.
func ofRecord(policy []byte) (*Config, error) {
	layer, _, err := Stored{Record: policy}.readRecord()
	if err != nil {
		return nil, err
	}
	return configOf(strict.Merge(defaults(), layer)), nil
}

// loosenedActor is what a policy loosens about one actor.
type loosenedActor struct {
	actor, what string
	role        bool // a role or capability, which counts next to the record
	human       bool // a human who is left out: it stays one, so nobody gets more
}

func loosenedActors(was, is *Config) []loosenedActor {
	var out []loosenedActor
	for _, a := range was.Actors {
		if b, ok := is.Actor(a.Name); a.Kind == "human" && (!ok || b.Kind != "human") {
			out = append(out, loosenedActor{actor: a.Name, what: a.Name + " would no longer be a human", human: true})
		}
	}
	for _, b := range is.Actors {
		a, _ := was.Actor(b.Name) // an undeclared actor is an agent without roles
		if b.Kind == "human" && a.Kind != "human" {
			out = append(out, loosenedActor{actor: b.Name, what: b.Name + " would be a human"})
		}
		if more := beyond(slices.Concat(b.Roles, b.Capabilities), slices.Concat(a.Roles, a.Capabilities)); len(more) > 0 {
			out = append(out, loosenedActor{actor: b.Name, what: b.Name + " would have " + words.List(more), role: true})
		}
		if a.Autonomy != "" && wider(b.Autonomy, a.Autonomy) {
			out = append(out, loosenedActor{actor: b.Name, what: "the ceiling of " + b.Name + " would no longer be " + a.Autonomy})
		}
	}
	for _, a := range was.Actors {
		if _, still := is.Actor(a.Name); !still && a.Autonomy != "" && a.Kind != "human" {
			out = append(out, loosenedActor{actor: a.Name, what: "the ceiling of " + a.Name + " would no longer be " + a.Autonomy})
		}
	}
	return out
}

func loosenedGates(was, is *Config, named func(gate string) bool) (out []loosened) {
	add := func(of, gate, what string) { out = append(out, loosened{strict.Join(of, gate), what}) }
	for _, gate := range slices.Sorted(maps.Keys(was.Gates)) {
		kinds, still := is.Gates[gate]
		if !still {
			add("gates", gate, "it would be gone")
			continue
		}
		if less := beyond(was.Gates[gate], kinds); len(less) > 0 {
			add("gates", gate, "it would no longer ask for evidence "+words.List(less))
		}
	}
	defined := func(c *Config, gate string) bool {
		_, there := c.Gates[gate]
		_, reviewed := c.Execution.ReviewPolicy[gate]
		return there || reviewed
	}
	for _, gate := range slices.Sorted(maps.Keys(is.Gates)) {
		if !defined(was, gate) && named(gate) {
			add("gates", gate, "it would be defined, and tasks have it")
		}
	}
	for _, gate := range slices.Sorted(maps.Keys(is.Execution.ReviewPolicy)) {
		if _, both := is.Gates[gate]; !both && !defined(was, gate) && named(gate) {
			add("execution.reviewPolicy", gate, "it would be defined, and tasks have it")
		}
	}
	return out
}

// asked reports whether one of the requirements covers r.
func asked(r Requirement, by []Requirement) bool {
	return slices.ContainsFunc(by, func(x Requirement) bool {
		return x.Kind == r.Kind && (r.Role == "" || x.Role == r.Role) && (r.Actor == "" || x.Actor == r.Actor)
	})
}

// wordsOf returns a requirement as a refusal words it.
func wordsOf(r Requirement) string {
	who := "any human"
	if named := slices.DeleteFunc([]string{r.Actor, r.Role}, func(s string) bool { return s == "" }); len(named) > 0 {
		who = words.And(named)
	}
	return r.Kind + " by " + who
}

// wider reports whether an autonomy lets an agent do more than another; an empty one allows everything.
func wider(a, b string) bool {
	order := []string{"", "autonomous", "supervised", "human_only"}
	return slices.Index(order, a) < slices.Index(order, b)
}

// beyond returns the elements of a that b lacks.
func beyond(a, b []string) []string {
	return slices.DeleteFunc(slices.Clone(a), func(s string) bool { return slices.Contains(b, s) })
}

// SamePolicy reports whether two policies of record say the same.
func SamePolicy(a, b []byte) bool {
	return bytes.Equal(a, b) || sameValue(slices.Clone(a), slices.Clone(b))
}
