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
