package strict

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strconv"

	"tasker/internal/fault"
	"tasker/internal/text/words"
)

// MaxListed bounds how many faults one refusal lists; the rest is counted.
const MaxListed = 100

// Notes collects faults on a walk through a document. The path to where the walk stands is held as steps and written out
// only for a fault. The zero value is ready to use.
type Notes struct {
	base    string // the path to where the walk began
	path    []step
	faults  []Fault
	count   int
	all     bool  // list every fault
	sourced bool  // there is a source, and here is an offset in it
	here    int64 // where the walk stands
}

// step leads into an object (name) or, where index is not negative, into a list.
type step struct {
	name  string
	index int
}

// Fault is one thing that does not fit.
type Fault struct {
	Path    string
	Message string
	Allowed []string // the names or words that may stand there
	Meant   string   // the one that was probably meant
	At      int64    // offset in the source, -1 without one
	listed  bool     // the message lists what is allowed already
}

// String is the fault in one line: tasks[0].titel: unknown key; allowed: key, title; did you mean title?
func (f Fault) String() string {
	if f.Path == "" {
		return f.Text()
	}
	return f.Path + ": " + f.Text()
}

// Text is String without the path.
func (f Fault) Text() string {
	text := f.Message
	if len(f.Allowed) > 0 && !f.listed {
		text += "; allowed: " + words.List(f.Allowed)
	}
	if f.Meant != "" {
		text += "; did you mean " + f.Meant + "?"
	}
	return text
}

// Enter goes into a member of an object.
func (n *Notes) Enter(name string) { n.path = append(n.path, step{name: name, index: -1}) }

// EnterAt goes into an item of a list.
func (n *Notes) EnterAt(i int) { n.path = append(n.path, step{index: i}) }

// Leave goes back out of what was entered last.
func (n *Notes) Leave() { n.path = n.path[:len(n.path)-1] }

// Note adds a fault at the path where the walk stands.
func (n *Notes) Note(format string, args ...any) {
	if n.count++; n.count <= MaxListed || n.all {
		n.list(Fault{Message: fmt.Sprintf(format, args...)})
	}
}

// Stand says that what is noted next is about what stands at an offset of the source.
func (n *Notes) Stand(at int64) { n.here = at }

// Add adds a fault that says more than its message, at the path where the walk stands.
func (n *Notes) Add(f Fault) {
	if n.count++; n.count <= MaxListed || n.all {
		n.list(f)
	}
}

func (n *Notes) list(f Fault) {
	if f.Path, f.At = n.where(), -1; n.sourced {
		f.At = n.here
	}
	n.faults = append(n.faults, f)
}

// Count is how many faults there are, those past MaxListed included.
func (n *Notes) Count() int { return n.count }

// Full reports whether another fault would be counted and not listed, so that work for its text alone can be spared.
func (n *Notes) Full() bool { return n.count >= MaxListed }

// where writes the path: tasks[3].deps[0].
func (n *Notes) where() string {
	path := n.base
	for _, s := range n.path {
		if s.index >= 0 {
			path = appendIndex(path, s.index)
		} else {
			path = appendName(path, s.name)
		}
	}
	return path
}

// Refuse makes one error of all faults, nil of none. what names the thing that is faulty: the plan.
func (n *Notes) Refuse(what string) error { return n.refuse(what, nil) }

// refuse is Refuse that names the lines of src, where it has more than one.
func (n *Notes) refuse(what string, src []byte) error {
	if n.count == 0 {
		return nil
	}
	texts := n.texts(src)
	e := fault.Bad("%s is not valid: %d faults", what, n.count)
	if n.count == 1 {
		e = fault.Bad("%s is not valid: %s", what, texts[0])
	}
	e.WithMissing(texts...)
	if more := n.count - len(texts); more > 0 {
		e.WithMissing(fmt.Sprintf("and %d more", more))
	}
	return e.WithHint("correct each place named; nothing was written")
}

// texts writes the faults out with their lines, in the order in which they were found.
func (n *Notes) texts(src []byte) []string {
	out := make([]string, len(n.faults))
	order := make([]int, len(n.faults))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(n.faults[a].At, n.faults[b].At) })
	several := bytes.IndexByte(bytes.TrimSpace(src), '\n') >= 0
	line, from := 1, 0
	for _, i := range order {
		f := n.faults[i]
		out[i] = f.String()
		if !several || f.At < 0 || f.At > int64(len(src)) {
			continue
		}
		line += bytes.Count(src[from:f.At], []byte{'\n'})
		from = int(f.At)
		out[i] += " (line " + strconv.Itoa(line) + ")"
	}
	return out
}
