package setup

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
)

// version is the version of what setup writes; it is in every block.
const version = 1

// span is a piece of a text: from its first byte to the byte after its last.
type span struct{ from, to int }

// block is a marked piece of a text file. Its first line says which agent it is for, in which version, and what else
// setup created, so that removing the agent leaves everything as it was.
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
	begin := []byte(c.open + "tasker setup " + agent + " v")
	end := []byte(c.open + "tasker setup " + agent + " end" + c.close)
	from := bytes.Index(src, begin)
	if from < 0 || from > 0 && src[from-1] != '\n' {
		return b, false
	}
	line, _, _ := bytes.Cut(src[from:], []byte("\n"))
	until := bytes.Index(src[from:], end)
	if until < 0 {
		return b, false
	}
	to := from + until + len(end)
	switch rest := src[to:]; {
	case bytes.HasPrefix(rest, []byte("\r\n")):
		to += 2
	case bytes.HasPrefix(rest, []byte("\n")):
		to++
	}
	_, made, _ := strings.Cut(string(line), "(made: ")
	made, _, _ = strings.Cut(made, ")")
	if made != "" {
		b.made = strings.Split(made, "; ")
	}
	if _, err := fmt.Sscanf(string(line[len(begin):]), "%d", &b.version); err != nil {
		return b, false
	}
	b.at, b.eol = span{from, to}, "\n"
	if bytes.HasSuffix(line, []byte("\r")) {
		b.eol = "\r\n"
	}
	return b, true
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
