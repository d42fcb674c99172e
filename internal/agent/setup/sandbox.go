package setup

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"tasker/internal/fault"
	"tasker/internal/hint"
	"tasker/internal/text/words"
)

// Sandbox says what the sandbox of an agent must let a project write. It goes into the user's own file: it names a directory
// of this machine, which has no place in a file that others get.
type Sandbox struct {
	File string // the user's own file
	For  string // the directory of the project, since several may need the same
	Dir  string // the directory that must be writable
}

// writable is the table in which Codex lists what its sandbox may write besides the project.
const writable = "sandbox_workspace_write"

// Sandboxed reports whether an agent has a file in which a user says what its sandbox may write. Its form is Codex's.
func Sandboxed(name string) bool { return name == "codex" }

// Allow returns the change of the user's file that lets an agent write a directory, and what is left for the user to add:
// the file may have such a table already, and a second one would make it unreadable.
func Allow(name string, files Files, s Sandbox) (changes []Change, left string, err error) {
	w := begin(name, files)
	f := w.file(s.File)
	b, there := hash.shared(f.after)
	if there && b.version > version {
		w.refuse(fault.Decline("%s was written by a newer tasker: version %d, and this one knows %d", s.File, b.version, version).
			WithHint("use that one; %s says how", hint.Command("upgrade")))
	}
	others := f.after
	if there {
		others = slices.Concat(f.after[:b.at.from], f.after[b.at.to:])
	}
	switch named := quote(s.Dir); {
	case w.err != nil:
	case bytes.Contains(others, []byte(writable)) && bytes.Contains(others, []byte(named)): // allowed by the user
	case bytes.Contains(others, []byte(writable)) || strings.ContainsAny(s.Dir+s.For, "\n\r;"):
		left = fmt.Sprintf("add %s to writable_roots of [%s] in %s: the sandbox of %s keeps its shell from writing the database otherwise",
			named, writable, s.File, w.agent.title)
	default:
		b.users = append(withoutUser(b.users, s.For), user{s.For, []string{s.Dir}})
		f.after = hash.join(f.after, user{s.For, []string{s.Dir}}, func([]string) []string { return roots(b.users) })
	}
	changes, err = w.changes()
	return changes, left, err
}

// Disallow returns the change that takes out what Allow put in for a project.
func Disallow(name string, files Files, s Sandbox) ([]Change, error) {
	w := begin(name, files)
	f := w.file(s.File)
	if b, ok := hash.shared(f.after); ok {
		f.after = hash.leave(f.after, s.For, func([]string) []string { return roots(withoutUser(b.users, s.For)) })
	}
	return w.changes()
}

// roots returns the table that lets all of them write.
func roots(users []user) []string {
	var dirs []string
	for _, u := range users {
		dirs = append(dirs, u.made...)
	}
	slices.Sort(dirs)
	return []string{"[" + writable + "]", "writable_roots = [" + strings.Join(words.Each(slices.Compact(dirs), quote), ", ") + "]"}
}
