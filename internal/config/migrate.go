package config

import (
	"bytes"
	"slices"

	"tasker/internal/config/format"
	"tasker/internal/fault"
	"tasker/internal/strict"
)

// Migration is the migration of a pre-versioned file to version 1.
type Migration struct {
	Out     []byte   `json:"-"`       // the new text; the old one if there is nothing to do
	Diff    string   `json:"diff"`    // "" if there is nothing to do
	Removed []string `json:"removed"` // keys that no version knows, which were never read
	NowRead []string `json:"nowRead"` // keys that were ignored but count from now on
}

// Migrate converts the text of a file to version 1. It changes the text only where it must: version is added at the top
// (after $schema), keys that no version knows are removed, order and formatting stay. A file of version 1 stays as it
// is. If a key that was ignored so far does not fit version 1, a person must decide: the refusal lists each. name
// appears in refusals and in the difference.
func Migrate(name string, text []byte) (*Migration, error) {
	src := &strict.Source{Layer: format.FileLayer, File: name, Text: text}
	out := &Migration{Out: text, Removed: []string{}, NowRead: []string{}}
	root, faults := format.Parse(src)
	if err := format.Refuse(faults); err != nil {
		return nil, err
	}
	if root.Kind == '{' && root.Get("version") == nil {
		out.Out = versioned(root, text, out)
		// Keys that were ignored so far are checked in the old text, where a person can find them.
		kept, faults := format.ReadKnown(src, func(*format.Key) bool { return true })
		if err := format.Refuse(append(faults, format.Required(src, kept)...)); err != nil {
			return nil, fault.Of(err).WithHint("correct or remove what is named, then migrate again")
		}
	}
	// The result is checked, so that nothing is written that would be refused afterwards.
	if _, _, faults := readLayer(&strict.Source{Layer: format.FileLayer, File: name, Text: out.Out}, nil); len(faults) > 0 {
		return nil, format.Refuse(faults)
	}
	out.Diff = diff(name, text, out.Out)
	return out, nil
}

// versioned adds the version and removes unknown keys.
func versioned(root *strict.Node, text []byte, m *Migration) []byte {
	var keep []strict.NodeMember
	for _, mem := range root.Members {
		switch k := format.Root.Key(mem.Name); {
		case k == nil:
			m.Removed = append(m.Removed, strict.Join("", mem.Name))
			continue
		case !k.Old && !k.Ignored:
			m.NowRead = append(m.NowRead, mem.Name)
		}
		keep = append(keep, mem)
	}
	out := append([]byte{}, text[:root.At+1]...)
	entry := []byte(`"version": 1`)
	if len(root.Members) == 0 {
		return append(append(out, entry...), text[root.At+1:]...)
	}
	// The space before the first name is how this file separates its entries.
	gap := text[root.At+1 : root.Members[0].At]
	between := gap
	if len(gap) == 0 || !bytes.ContainsAny(gap, "\n") {
		between = []byte(" ")
	}
	out = append(out, gap...)
	if len(keep) > 0 && keep[0].Name == "$schema" {
		out = slices.Concat(out, text[keep[0].At:keep[0].Node.End], []byte(","), between)
		keep = keep[1:]
	}
	out = append(out, entry...)
	for _, mem := range keep {
		out = slices.Concat(out, []byte(","), before(root, mem, text, between), text[mem.At:mem.Node.End])
	}
	return append(out, text[root.Members[len(root.Members)-1].Node.End:]...)
}

// before returns the space in front of a member as it was written (blank lines between parts of a file stay), or the
// usual space for the member that came first.
func before(root *strict.Node, mem strict.NodeMember, text, usual []byte) []byte {
	for i := 1; i < len(root.Members); i++ {
		if root.Members[i].At != mem.At {
			continue
		}
		if _, space, ok := bytes.Cut(text[root.Members[i-1].Node.End:mem.At], []byte(",")); ok {
			return space
		}
	}
	return usual
}
