package plan

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"tasker/internal/fault"
	"tasker/internal/words"
)

// maxListed bounds how many faults one refusal lists; the rest is counted.
const maxListed = 100

// notes collects faults on a walk through a document. The path to where the walk stands is kept as steps and
// written out only for a fault.
type notes struct {
	path  []step
	flaws []flaw
	count int
	here  int64 // the offset in the source, -1 without one
}

// step leads into an object (name) or, where name is empty, into a list.
type step struct {
	name  string
	index int
}

type flaw struct {
	text string
	at   int64
}

func (n *notes) enter(name string) { n.path = append(n.path, step{name: name}) }
func (n *notes) enterAt(i int)     { n.path = append(n.path, step{index: i}) }
func (n *notes) leave()            { n.path = n.path[:len(n.path)-1] }

// note adds a fault at the path where the walk stands.
func (n *notes) note(format string, args ...any) {
	if n.count++; n.count > maxListed {
		return
	}
	text := fmt.Sprintf(format, args...)
	if at := n.where(); at != "" {
		text = at + ": " + text
	}
	n.flaws = append(n.flaws, flaw{text, n.here})
}

// full tells that another fault would be counted and not listed, so that what only serves its text can be spared.
func (n *notes) full() bool { return n.count >= maxListed }

// where is the path: tasks[3].deps[0].
func (n *notes) where() string {
	var b strings.Builder
	for _, s := range n.path {
		switch {
		case s.name == "":
			b.WriteString("[" + strconv.Itoa(s.index) + "]")
		case plain(s.name):
			if b.Len() > 0 {
				b.WriteByte('.')
			}
			b.WriteString(s.name)
		default:
			b.WriteString("[" + words.Quoted(s.name) + "]")
		}
	}
	return b.String()
}

func plain(name string) bool {
	for _, r := range name {
		if !('a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' || r == '_' || r == '-' || r == '$') {
			return false
		}
	}
	return len(name) <= 60
}

// refuse makes one error of all faults, nil of none. what is the thing that is faulty: the plan. Lines of src are
// named where it has more than one.
func (n *notes) refuse(what string, src []byte) error {
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

// texts writes the faults out, with their lines.
func (n *notes) texts(src []byte) []string {
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
