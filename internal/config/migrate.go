package config

import (
	"bytes"

	"tasker/internal/fault"
)

// Migration is what brings a pre-versioned file to version 1.
type Migration struct {
	Out     []byte   `json:"-"`       // the new text; the old one where there is nothing to do
	Diff    string   `json:"diff"`    // "" where there is nothing to do
	Removed []string `json:"removed"` // keys that no version knows and that were never read
	NowRead []string `json:"nowRead"` // keys that were ignored and count from now on
}

// Migrate brings the text of a file to version 1. It changes the text only where it must: version goes in at the top
// (after $schema), keys that no version knows come out, order and formatting stay. A file of version 1 is left as it
// is. Where a key that was ignored so far does not fit version 1, a person must decide: the refusal lists each.
// name stands in refusals and in the difference.
func Migrate(name string, text []byte) (*Migration, error) {
	src := &source{layer: FileLayer, file: name, text: text}
	out := &Migration{Out: text, Removed: []string{}, NowRead: []string{}}
	root, faults := parse(src)
	if err := refuse(faults); err != nil {
		return nil, err
	}
	if root.kind == kObject && root.get("version") == nil {
		out.Out = versioned(root, text, out)
		// What was ignored so far is checked in the old text, where a person can find the places.
		kept := root.only(func(name string) bool { return format.key(name) != nil })
		c := checker{src: src}
		c.root(kept)
		c.required(kept, &format, "")
		if err := refuse(c.faults); err != nil {
			return nil, fault.Of(err).WithHint("correct or remove what is named, then migrate again")
		}
	}
	// Nothing is written that would be refused afterwards.
	if _, _, faults := readLayer(&source{layer: FileLayer, file: name, text: out.Out}, nil); len(faults) > 0 {
		return nil, refuse(faults)
	}
	out.Diff = diff(name, text, out.Out)
	return out, nil
}

// versioned writes version in and takes unknown keys out.
func versioned(root *node, text []byte, m *Migration) []byte {
	var keep []member
	for _, mem := range root.members {
		switch k := format.key(mem.name); {
		case k == nil:
			m.Removed = append(m.Removed, join("", mem.name))
			continue
		case !k.Old && !k.Ignored:
			m.NowRead = append(m.NowRead, mem.name)
		}
		keep = append(keep, mem)
	}
	out := append([]byte{}, text[:root.at+1]...)
	entry := []byte(`"version": 1`)
	if len(root.members) == 0 {
		return append(append(out, entry...), text[root.at+1:]...)
	}
	// The space before the first name is how this file separates its entries.
	gap := text[root.at+1 : root.members[0].at]
	between := gap
	if len(gap) == 0 || !bytes.ContainsAny(gap, "\n") {
		between = []byte(" ")
	}
	out = append(out, gap...)
	if len(keep) > 0 && keep[0].name == "$schema" {
		out = append(out, text[keep[0].at:keep[0].node.end]...)
		out = append(append(out, ','), between...)
		keep = keep[1:]
	}
	out = append(out, entry...)
	for _, mem := range keep {
		out = append(out, ',')
		out = append(out, before(root, mem, text, between)...)
		out = append(out, text[mem.at:mem.node.end]...)
	}
	return append(out, text[root.members[len(root.members)-1].node.end:]...)
}

// before is the space in front of a member as it was written (blank lines between parts of a file stay), or the
// usual one for what stood first.
func before(root *node, mem member, text, usual []byte) []byte {
	for i := 1; i < len(root.members); i++ {
		if root.members[i].at != mem.at {
			continue
		}
		if _, space, ok := bytes.Cut(text[root.members[i-1].node.end:mem.at], []byte(",")); ok {
			return space
		}
	}
	return usual
}
