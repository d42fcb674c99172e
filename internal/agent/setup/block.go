package setup

import (
	"bytes"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"tasker/internal/text/words"
)

// version is the version of what setup writes; it is in every block.
const version = 2

// span is a piece of a text: from its first byte to the byte after its last.
type span struct{ from, to int }

// block is a marked piece of a text file that belongs to one agent. Its first line says which agent it is for, in which
// version, and what else setup created, so that removing the agent leaves everything as it was. Version 1 had one in the
// guidance file for each agent that reads it.
type block struct {
	at      span
	version int
	made    []string // files, and members of files as path#name.name
	eol     string
}

// comment is the comment syntax of a text file.
type comment struct{ open, close string }

var (
	markdown = comment{"<!-- ", " -->"}
	hash     = comment{"# ", ""}
)

// write returns the block's text.
func (c comment) write(agent string, made []string, body, eol string) string {
	slices.Sort(made)
	first := fmt.Sprintf("%stasker setup %s v%d begin (made: %s)%s", c.open, agent, version, strings.Join(made, "; "), c.close)
	last := fmt.Sprintf("%stasker setup %s end%s", c.open, agent, c.close)
	return first + eol + strings.ReplaceAll(strings.TrimRight(body, "\n"), "\n", eol) + eol + last + eol
}

// find returns an agent's block in a text.
func (c comment) find(src []byte, agent string) (b block, ok bool) {
	mark := regexp.QuoteMeta(c.open + "tasker setup " + agent)
	m := regexp.MustCompile(`(?m)^` + mark + ` v(\d+)([^\n]*)\n(?s:.*?)` + mark + ` end` + regexp.QuoteMeta(c.close) + `(?:\r?\n)?`).FindSubmatchIndex(src)
	if m == nil {
		return b, false
	}
	version, err := strconv.Atoi(string(src[m[2]:m[3]]))
	line := string(src[m[4]:m[5]])
	b = block{at: span{m[0], m[1]}, version: version, eol: words.Either(strings.HasSuffix(line, "\r"), "\r\n", "\n")}
	_, made, _ := strings.Cut(line, "(made: ")
	if made, _, _ = strings.Cut(made, ")"); made != "" {
		b.made = strings.Split(made, "; ")
	}
	return b, err == nil
}

// add appends a block to a text, with a line break before it; cut removes exactly this piece.
func (c comment) add(src []byte, agent string, made []string, body string) []byte {
	eol := styleOf(src).eol
	return append(append(bytes.Clone(src), eol...), c.write(agent, made, body, eol)...)
}

// cut removes an agent's block from a text, with the line break that add put before it.
func (comment) cut(src []byte, b block) []byte {
	return append(bytes.TrimSuffix(bytes.Clone(src[:b.at.from]), []byte(b.eol)), src[b.at.to:]...)
}

// shared is the one marked block of a file that several read: what it says, once, and a line for each reader with what
// setup created for it. So each can be taken out again, in any order.
type shared struct {
	at      span
	version int
	empty   bool // the file was there before, and empty
	users   []user
	body    []string // its lines
	eol     string
}

// user is an agent that shares a block with others, and the files that setup made for it.
type user struct {
	name string
	made []string
}

// afterEmpty marks a block in a file that was empty.
const afterEmpty = " in a file that was empty"

// shared returns the shared block of a text.
func (c comment) shared(src []byte) (b shared, ok bool) {
	begin := regexp.MustCompile(`(?m)^` + regexp.QuoteMeta(c.open+"tasker setup v") + `(\d+)(` + afterEmpty + `)?` + regexp.QuoteMeta(c.close) + `(\r?\n)`)
	m := begin.FindSubmatchIndex(src)
	if m == nil {
		return b, false
	}
	b.version, _ = strconv.Atoi(string(src[m[2]:m[3]]))
	b.empty, b.eol = m[4] >= 0, string(src[m[6]:m[7]])
	to := m[1]
	for line := range bytes.Lines(src[m[1]:]) {
		to += len(line)
		text := strings.TrimRight(string(line), "\r\n")
		mark, ours := strings.CutPrefix(text, c.open+"tasker setup ")
		mark, closed := strings.CutSuffix(mark, c.close)
		switch {
		case ours && closed && mark == "end":
			b.at = span{m[0], to}
			return b, true
		case ours && closed && len(b.body) == 0:
			name, made, _ := strings.Cut(mark, " made ")
			b.users = append(b.users, user{name, slices.DeleteFunc(strings.Split(made, "; "), func(s string) bool { return s == "" })})
		default:
			b.body = append(b.body, text)
		}
	}
	return b, false
}

// writeShared returns the text of a shared block.
func (c comment) writeShared(b shared) string {
	lines := []string{fmt.Sprintf("%stasker setup v%d%s%s", c.open, b.version, words.When(b.empty, afterEmpty), c.close)}
	slices.SortFunc(b.users, func(x, y user) int { return strings.Compare(x.name, y.name) })
	for _, u := range b.users {
		slices.Sort(u.made)
		lines = append(lines, c.open+"tasker setup "+u.name+words.When(len(u.made) > 0, " made "+strings.Join(u.made, "; "))+c.close)
	}
	return strings.Join(append(append(lines, b.body...), c.open+"tasker setup end"+c.close, ""), b.eol)
}

// join adds a user to the shared block of a text, which it begins if there is none, and replaces what the block says.
func (c comment) join(src []byte, u user, body func(before []string) []string) []byte {
	b, ok := c.shared(src)
	if !ok {
		b = shared{at: span{len(src), len(src)}, empty: src != nil && len(src) == 0, eol: styleOf(src).eol}
	}
	b.version, b.users = version, append(withoutUser(b.users, u.name), u)
	b.body = body(b.body)
	text := c.writeShared(b)
	if !ok && src != nil {
		text = b.eol + text
	}
	return slices.Concat(src[:b.at.from], []byte(text), src[b.at.to:])
}

// leave takes a user out of the shared block of a text, and the block with its last user. The text is nil if it was
// created for the block.
func (c comment) leave(src []byte, name string, body func(before []string) []string) []byte {
	b, ok := c.shared(src)
	if !ok || !slices.ContainsFunc(b.users, func(u user) bool { return u.name == name }) {
		return src
	}
	if b.users = withoutUser(b.users, name); len(b.users) > 0 {
		b.body = body(b.body)
		return slices.Concat(src[:b.at.from], []byte(c.writeShared(b)), src[b.at.to:])
	}
	rest := c.cut(src, block{at: b.at, eol: b.eol})
	if len(rest) == 0 && !b.empty {
		return nil
	}
	return rest
}

// withoutUser returns the users without one of them.
func withoutUser(users []user, name string) []user {
	return slices.DeleteFunc(slices.Clone(users), func(u user) bool { return u.name == name })
}
