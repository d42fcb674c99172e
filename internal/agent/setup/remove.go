package setup

import (
	"bytes"
	"slices"
	"strings"

	"tasker/internal/fault"
	"tasker/internal/fault/hint"
)

// remove takes out what an earlier setup of the agent put in. Without the agent's block in the guidance file it does
// nothing, since then nothing is ours.
func (w *work) remove() error {
	g := w.agent.guide
	f, err := w.file(g.path)
	if err != nil || f.after == nil {
		return err
	}
	b, ok := g.comment.find(f.after, w.agent.name)
	if !ok {
		return nil
	}
	if b.version > version {
		return fault.Decline("%s was set up by a newer tasker: version %d, and this one knows %d", g.path, b.version, version).
			WithHint("use that one; %s says how", hint.Command("upgrade"))
	}
	for _, v := range slices.Backward(w.agent.values) { // in the reverse order of insertion
		if err := w.removeValue(v, b.made); err != nil {
			return err
		}
	}
	for _, t := range w.agent.whole {
		if err := w.removeWhole(t, b.made); err != nil {
			return err
		}
	}
	for _, t := range append(slices.Clone(w.agent.more), g) {
		if err := w.removeBlock(t, b.made); err != nil {
			return err
		}
	}
	return nil
}

// removeWhole removes a file that belongs to us entirely, if it is still what we wrote.
func (w *work) removeWhole(t whole, made []string) error {
	f, err := w.file(t.path)
	if err != nil || f.after == nil || !slices.ContainsFunc(made, func(m string) bool { return strings.HasPrefix(m, t.path+"=") }) {
		return err
	}
	if !slices.Contains(made, t.path+"="+digest(f.after)) {
		return fault.Decline("%s has been changed since setup wrote it", t.path).WithHint("save what you need from it, remove it, and try again")
	}
	f.after = nil
	return nil
}

func (w *work) removeBlock(t text, made []string) error {
	f, err := w.file(t.path)
	if err != nil || f.after == nil {
		return err
	}
	b, ok := t.comment.find(f.after, w.agent.name)
	if !ok {
		return nil
	}
	f.after = t.comment.cut(f.after, b)
	if len(f.after) == 0 && !slices.Contains(made, t.path+wasEmpty) { // created by us, or by another agent's setup
		f.after = nil
	}
	return nil
}

// removeValue takes a value out of its file, with everything that was created around it and is now empty, and the file
// itself if that was created for it.
func (w *work) removeValue(v value, made []string) error {
	f, err := w.place(v)
	if err != nil || f.after == nil {
		return err
	}
	around, ours := madeAround(made, f.path, v.names)
	if !ours && !v.list {
		return nil // it was there before setup
	}
	if !ours {
		around = v.names // the list was there before; only the element is ours
	}
	if f.after, err = w.agent.takeOut(f.after, v, len(around), ours); err != nil {
		return unreadable(f.path, err)
	}
	if slices.Contains(made, f.path) && strings.TrimSpace(string(f.after)) == "{}" {
		f.after = nil
	}
	return nil
}

// madeAround returns the names down to the outermost thing that was created for a value, and whether there is one.
func madeAround(made []string, path string, names []string) ([]string, bool) {
	for _, m := range made {
		file, inner, ok := strings.Cut(m, "#")
		if around := strings.Split(inner, "."); ok && file == path && len(around) <= len(names) && slices.Equal(around, names[:len(around)]) {
			return around, true
		}
	}
	return nil, false
}

// takeOut removes a value, and then, from the inside out, what was created around it and is now empty.
func (a agent) takeOut(src []byte, v value, madeDepth int, ours bool) ([]byte, error) {
	at, found, err := find(src, v.names)
	if err != nil || found < len(v.names) { // somebody has already removed it
		return src, err
	}
	if !v.list && v.names[len(v.names)-1] == program && !bytes.Contains(src[at.StartOffset:at.EndOffset], []byte(`"mcp"`)) {
		return src, nil // somebody has replaced it
	}
	if v.list {
		i := slices.IndexFunc(members(at), func(m member) bool { return a.isHook(src[m.value.StartOffset:m.value.EndOffset]) })
		if i < 0 {
			return src, nil
		}
		src = remove(src, at, len(v.names), i)
	}
	for depth := len(v.names); ours && depth >= madeDepth; depth-- {
		at, _, err := find(src, v.names[:depth])
		if err != nil {
			return nil, err
		}
		if (depth < len(v.names) || v.list) && len(members(at)) > 0 {
			return src, nil
		}
		parent, _, err := find(src, v.names[:depth-1])
		if err != nil {
			return nil, err
		}
		src = remove(src, parent, depth-1, indexOf(members(parent), v.names[depth-1]))
	}
	return src, nil
}
