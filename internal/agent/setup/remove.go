package setup

import (
	"bytes"
	"slices"
	"strings"

	"tasker/internal/fault"
	"tasker/internal/hint"
)

// remove takes out what an earlier setup of the agent put in. Without the agent's line in the guidance file it does
// nothing, since then nothing is ours. again says that the agent is set up once more, so its guidance stays in its place.
func (w *work) remove(again bool) {
	made, wrote, ok := w.written()
	if !ok {
		return
	}
	if wrote > version {
		w.refuse(fault.Decline("%s was set up by a newer tasker: version %d, and this one knows %d", w.agent.guide, wrote, version).
			WithHint("use that one; %s says how", hint.Command("upgrade")))
	}
	for _, v := range slices.Backward(w.agent.values) { // in the reverse order of insertion
		w.removeValue(v, made)
	}
	for _, t := range w.agent.whole {
		w.removeWhole(t, made)
	}
	for _, t := range w.agent.more {
		w.removeBlock(t, made)
	}
	w.removeBlock(text{path: w.agent.guide, comment: markdown}, made) // of the first version
	if g := w.file(w.agent.guide); !again {
		g.after = markdown.leave(g.after, w.agent.name, w.agent.unguided)
	}
}

// written returns what an earlier setup of the agent created, and its version.
func (w *work) written() (made []string, version int, ok bool) {
	src := w.file(w.agent.guide).after
	if b, ok := markdown.shared(src); ok {
		if i := slices.IndexFunc(b.users, func(u user) bool { return u.name == w.agent.name }); i >= 0 {
			return b.users[i].made, b.version, true
		}
	}
	b, ok := markdown.find(src, w.agent.name)
	return b.made, b.version, ok
}

// removeWhole removes a file that belongs to us entirely, if it is still what we wrote.
func (w *work) removeWhole(t whole, made []string) {
	f := w.file(t.path)
	if f.after == nil || !slices.ContainsFunc(made, func(m string) bool { return strings.HasPrefix(m, t.path+"=") }) {
		return
	}
	if !w.ours(t.path, made) {
		w.refuse(fault.Decline("%s has been changed since setup wrote it", t.path).WithHint("save what you need from it, remove it, and try again"))
	}
	if len(w.writers(t.path)) > 0 { // another agent reads it, too
		return
	}
	f.after = nil
}

func (w *work) removeBlock(t text, made []string) {
	f := w.file(t.path)
	b, ok := t.comment.find(f.after, w.agent.name)
	if !ok {
		return
	}
	f.after = t.comment.cut(f.after, b)
	if len(f.after) == 0 && !slices.Contains(made, t.path+wasEmpty) { // created by us, or by another agent's setup
		f.after = nil
	}
}

// removeValue takes a value out of its file, with everything that was created around it and is now empty, and the file
// itself if that was created for it.
func (w *work) removeValue(v value, made []string) {
	f := w.place(v)
	depth := madeAround(made, f.path, v.names)
	if f.after == nil || depth == 0 && !v.list { // it was there before setup
		return
	}
	after, err := w.agent.takeOut(f.after, v, depth)
	if err != nil {
		w.refuse(unreadable(f.path, err))
	}
	if f.after = after; slices.Contains(made, f.path) && strings.TrimSpace(string(f.after)) == "{}" {
		f.after = nil
	}
}

// madeAround returns how many names lead to the outermost thing that was created for a value; 0 if there is none.
func madeAround(made []string, path string, names []string) int {
	for _, m := range made {
		file, inner, ok := strings.Cut(m, "#")
		if around := strings.Split(inner, "."); ok && file == path && len(around) <= len(names) && slices.Equal(around, names[:len(around)]) {
			return len(around)
		}
	}
	return 0
}

// takeOut removes a value, and then, from the inside out, what was created around it and is now empty: the outermost is
// made names deep. With 0 there is only an element of a list that was there before.
func (a agent) takeOut(src []byte, v value, made int) ([]byte, error) {
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
	for depth := len(v.names); made > 0 && depth >= made; depth-- {
		parent, _, err := find(src, v.names[:depth-1])
		if err != nil {
			return nil, err
		}
		all := members(parent)
		i := indexOf(all, v.names[depth-1])
		if (depth < len(v.names) || v.list) && len(members(all[i].value)) > 0 {
			return src, nil
		}
		src = remove(src, parent, depth-1, i)
	}
	return src, nil
}
