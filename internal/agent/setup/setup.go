// Package setup writes what an agent needs to work with tasker into the files that the agent reads: the entry of the
// tool server, hooks for the moments of its life, and a marked block in its guidance file. It only computes the changes; the caller shows
// them, asks, and writes. Removing takes out exactly what was put in, so that files return to what they were, byte for
// byte, whatever else has been written into them since.
package setup

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io/fs"
	"slices"
	"strings"

	"tasker/internal/fault"
	"tasker/internal/hint"
)

// Options says what to write.
type Options struct {
	Actor   string // the name that a person gave the agent; empty for its own
	Default string // the declared agent as whom everybody acts here whom nobody names; empty if there is none
	Project string // the project it works on; empty for what is assumed where it runs, as for the next two
	Server  string // the server it uses
	DB      string // its database
	Program string // the path by which it starts us; empty: by our name

	agent string // whose setup it is
}

type pair struct{ name, value string }

// named is the variable that names the agent, if a person gave it a name. Otherwise no entry says who acts: agents read each
// other's files, and each is known by the name that it gives and by the variables of its shell.
func (o Options) named() []pair {
	if o.Actor == "" {
		return nil
	}
	return []pair{{"TASKER_ACTOR", o.Actor}}
}

// places are the variables that say what the agent works on.
func (o Options) places() []pair {
	all := []pair{{"TASKER_PROJECT", o.Project}, {"TASKER_URL", o.Server}, {"TASKER_DB", o.DB}}
	return slices.DeleteFunc(all, func(p pair) bool { return p.value == "" })
}

// shell is the variables of the agent's shell, where a file that no other agent reads can set them. They name the agent,
// whatever variables of its own it has, unless the default names the tools too.
func (o Options) shell() []pair {
	if o.Actor == "" && o.Default == "" {
		o.Actor = o.agent
	}
	return append(o.named(), o.places()...)
}

// Change is the change of one file; nil means no file.
type Change struct {
	Path   string
	Before []byte
	After  []byte
}

// Files reads a file of the project by its path below the root.
type Files interface {
	ReadFile(path string) ([]byte, error)
}

// Find returns the title of the agent with a name.
func Find(name string) (title string, err error) {
	a, err := lookup(name)
	return a.title, err
}

func lookup(name string) (agent, error) {
	if i := slices.IndexFunc(agents, func(a agent) bool { return a.name == name }); i >= 0 {
		return agents[i], nil
	}
	return agent{}, fault.Bad("there is no setup for %q", name).
		WithHint("one of %s; any other agent that speaks MCP starts %s", strings.Join(Agents(), ", "), hint.Command("mcp"))
}

// Add returns the changes that set up an agent, ordered by path. They replace what an earlier setup wrote.
func Add(name string, files Files, o Options) ([]Change, error) {
	w := begin(name, files)
	w.remove(true)
	o.agent = name
	w.add(o)
	return w.changes()
}

// Remove returns the changes that take out what Add put in.
func Remove(name string, files Files) ([]Change, error) {
	w := begin(name, files)
	w.remove(false)
	return w.changes()
}

// Pack returns the files that setup writes for an agent into an empty project, by path, without marks in its guidance: the
// parts of a plugin or extension, which an agent installs as it is and merges with nobody's files.
func Pack(name string) (map[string][]byte, error) {
	changes, err := Add(name, none{}, Options{})
	if err != nil {
		return nil, err
	}
	files := map[string][]byte{}
	for _, c := range changes {
		files[c.Path] = c.After
	}
	a, err := lookup(name)
	files[a.guide] = []byte(guidance + "\n")
	return files, err
}

// none is a project without files.
type none struct{}

func (none) ReadFile(string) ([]byte, error) { return nil, fs.ErrNotExist }

// work is one setup in progress. After a refusal it goes on, since it writes nothing: its results are then replaced
// by the first refusal.
type work struct {
	files Files
	agent agent
	state []*file
	made  []string
	err   error // the first refusal
}

func begin(name string, files Files) *work {
	a, err := lookup(name)
	return &work{files: files, agent: a, err: err}
}

func (w *work) refuse(err error) { w.err = cmp.Or(w.err, err) }

// file is a file as it was and as it will be.
type file struct {
	path          string
	before, after []byte
}

func (w *work) file(path string) *file {
	if i := slices.IndexFunc(w.state, func(f *file) bool { return f.path == path }); i >= 0 {
		return w.state[i]
	}
	f := &file{path: path}
	w.state = append(w.state, f)
	src, err := w.files.ReadFile(path)
	switch {
	case err == nil:
		f.before = append([]byte{}, src...) // an empty file is not nil
		f.after = f.before
	case !errors.Is(err, fs.ErrNotExist):
		w.refuse(fault.Bad("%s cannot be read: %v", path, err).WithCause(err))
	}
	return f
}

// changes returns the changes of all files, unless there was a refusal.
func (w *work) changes() (out []Change, _ error) {
	if w.err != nil {
		return nil, w.err
	}
	for _, f := range w.state {
		if (f.before == nil) != (f.after == nil) || !bytes.Equal(f.before, f.after) {
			out = append(out, Change{f.path, f.before, f.after})
		}
	}
	slices.SortFunc(out, func(a, b Change) int { return strings.Compare(a.Path, b.Path) })
	return out, nil
}

// place returns the file of a value, by its other name if that file exists.
func (w *work) place(v value) *file {
	if v.or != "" {
		if f := w.file(v.or); f.after != nil {
			return f
		}
	}
	return w.file(v.path)
}

func (w *work) add(o Options) {
	for _, v := range w.agent.values {
		w.addValue(v, o)
	}
	for _, t := range w.agent.whole {
		f := w.file(t.path)
		if f.after != nil && !w.ours(t.path, nil) {
			w.refuse(fault.Decline("%s is there already, and setup did not write it", t.path).WithHint("look at it, and remove it first"))
		}
		f.after = []byte(t.body(o))
		w.made = append(w.made, t.path+"="+digest(f.after))
	}
	for _, t := range w.agent.more {
		w.addBlock(t, func(before []byte) string { return t.body(o, before) })
	}
	// The guide comes last, because its block lists what was created.
	g := w.file(w.agent.guide)
	g.after = markdown.join(g.after, user{w.agent.name, w.made}, w.agent.guided(o))
}

// digest distinguishes a file that is still what setup wrote from one that somebody has changed.
func digest(text []byte) string {
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:8])
}

// wasEmpty marks a file that existed before but was empty.
const wasEmpty = "=empty"

func (w *work) addBlock(t text, body func(before []byte) string) {
	f := w.file(t.path)
	if t.unless != "" && bytes.Contains(f.after, []byte(t.unless)) {
		w.refuse(foreign(t.path, t.unless))
	}
	if f.after == nil {
		w.made = append(w.made, t.path)
		f.after = []byte(t.comment.write(w.agent.name, w.made, body(nil), "\n"))
		return
	}
	if len(f.after) == 0 {
		w.made = append(w.made, t.path+wasEmpty)
	}
	f.after = t.comment.add(f.after, w.agent.name, w.made, body(f.after))
}

// addValue puts a value into its file, and creates what is missing around it.
func (w *work) addValue(v value, o Options) {
	json := v.json(o)
	if json == "" {
		return
	}
	f := w.place(v)
	if f.after == nil {
		f.after = []byte("{}\n")
		w.made = append(w.made, f.path)
	}
	if len(bytes.TrimSpace(f.after)) == 0 {
		w.refuse(fault.Decline("%s is empty, which is not JSON", f.path).WithHint("remove it, or write {} into it"))
	}
	at, found, err := find(f.after, v.names)
	st := styleOf(f.after)
	switch there := found == len(v.names); {
	case err != nil || there && v.list && at.Value.Kind() != '[':
		w.refuse(unreadable(f.path, errNoJSON))
	case there && v.list:
		f.after = insert(f.after, at, found, st, "", indented(json, st))
	case there && (len(v.names) == 1 || v.names[0] == "env"): // somebody has already decided it
	case there:
		w.refuse(foreign(f.path, strings.Join(v.names, ".")))
	default: // insert what is missing on the way together with the value, as one piece
		w.made = append(w.made, f.path+"#"+strings.Join(v.names[:found+1], "."))
		if v.list {
			json = "[\n  " + strings.ReplaceAll(json, "\n", "\n  ") + "\n]"
		}
		for i := len(v.names) - 1; i > found; i-- {
			json = "{\n  " + quote(v.names[i]) + ": " + strings.ReplaceAll(json, "\n", "\n  ") + "\n}"
		}
		f.after = insert(f.after, at, found, st, v.names[found], indented(json, st))
	}
}

// indented returns one of our values in the indentation of a file.
func indented(json string, st style) string {
	lines := strings.Split(json, "\n")
	for i, line := range lines {
		text := strings.TrimLeft(line, " ")
		lines[i] = strings.Repeat(st.indent, (len(line)-len(text))/2) + text
	}
	return strings.Join(lines, "\n")
}

func unreadable(path string, err error) error {
	return fault.Decline("%s cannot be changed: %v", path, err).WithHint("correct it first; nothing was written")
}

// foreign refuses to write what somebody else has written already.
func foreign(path, what string) error {
	return fault.Decline("%s has %s already, and setup did not write it", path, what).
		WithHint("remove it there first, or leave it and start %s with it", hint.Command("mcp"))
}
