package strict

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strconv"

	"tasker/internal/fault"
)

// MaxListed bounds how many faults one refusal lists; the rest is counted.
const MaxListed = 100

// Notes collects faults on a walk through a document. The path to where the walk stands is held as steps and written out
// only for a fault. The zero value is ready to use.
type Notes struct {
	path    []step
	flaws   []flaw
	count   int
	sourced bool  // there is a source, and here is an offset in it
	here    int64 // where the walk stands
}

// step leads into an object (name) or, where name is empty, into a list.
type step struct {
	name  string
	index int
}

type flaw struct {
	text string
	at   int64 // offset in the source, -1 without one
}

// Enter goes into a member of an object.
func (n *Notes) Enter(name string) { n.path = append(n.path, step{name: name}) }

// EnterAt goes into an item of a list.
func (n *Notes) EnterAt(i int) { n.path = append(n.path, step{index: i}) }

// Leave goes back out of what was entered last.
func (n *Notes) Leave() { n.path = n.path[:len(n.path)-1] }

// Note adds a fault at the path where the walk stands.
func (n *Notes) Note(format string, args ...any) {
	if n.count++; n.count > MaxListed {
		return
	}
	text := fmt.Sprintf(format, args...)
	if path := n.where(); path != "" {
		text = path + ": " + text
	}
	at := int64(-1)
	if n.sourced {
		at = n.here
	}
	n.flaws = append(n.flaws, flaw{text, at})
}

// Count is how many faults there are, those past MaxListed included.
func (n *Notes) Count() int { return n.count }

// Full reports whether another fault would be counted and not listed, so that work for its text alone can be spared.
func (n *Notes) Full() bool { return n.count >= MaxListed }

// where writes the path: tasks[3].deps[0].
func (n *Notes) where() string {
	path := ""
	for _, s := range n.path {
		if s.name == "" {
			path = AppendIndex(path, s.index)
		} else {
			path = AppendName(path, s.name)
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
	out := make([]string, len(n.flaws))
	order := make([]int, len(n.flaws))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(n.flaws[a].at, n.flaws[b].at) })
	several := bytes.IndexByte(bytes.TrimSpace(src), '\n') >= 0
	line, from := 1, 0
	for _, i := range order {
		f := n.flaws[i]
		out[i] = f.text
		if !several || f.at < 0 || f.at > int64(len(src)) {
			continue
		}
		line += bytes.Count(src[from:f.at], []byte{'\n'})
		from = int(f.at)
		out[i] += " (line " + strconv.Itoa(line) + ")"
	}
	return out
}
