package setup

import (
	"bytes"
	"errors"
	"slices"
	"strings"

	"github.com/tailscale/hujson"

	"tasker/internal/text/words"
)

// Edits of JSON files that leave every other byte as it is: one contiguous piece goes in right after its brace or
// bracket, and the same piece comes out again. Comments and trailing commas, which agents allow in their files, are
// accepted.

// errNoJSON says that a file is not JSON that an agent could read.
var errNoJSON = errors.New("it is not valid JSON")

// member is a member of an object, or an element of a list, which has no name.
type member struct {
	name  string
	from  int // where it begins, including its name
	value hujson.Value
}

// members lists the members of an object or the elements of a list.
func members(in hujson.Value) (out []member) {
	switch v := in.Value.(type) {
	case *hujson.Object:
		for _, m := range v.Members {
			out = append(out, member{m.Name.Value.(hujson.Literal).String(), m.Name.StartOffset, m.Value})
		}
	case *hujson.Array:
		for _, e := range v.Elements {
			out = append(out, member{from: e.StartOffset, value: e})
		}
	}
	return out
}

// root parses a file, which must be an object.
func root(src []byte) (hujson.Value, error) {
	if bytes.HasPrefix(src, []byte("\ufeff")) {
		src = append([]byte("   "), src[3:]...) // keep all offsets
	}
	v, err := hujson.Parse(src)
	if err != nil || v.Value.Kind() != '{' {
		return v, errNoJSON
	}
	return v, nil
}

// find returns the value at a path of names, and how many of the names exist.
func find(src []byte, path []string) (at hujson.Value, found int, err error) {
	at, err = root(src)
	for _, name := range path {
		if err != nil || at.Value.Kind() != '{' {
			return at, found, errNoJSON
		}
		all := members(at)
		i := indexOf(all, name)
		if i < 0 {
			return at, found, nil
		}
		at, found = all[i].value, found+1
	}
	return at, found, err
}

func indexOf(all []member, name string) int {
	return slices.IndexFunc(all, func(m member) bool { return m.name == name })
}

// style is the formatting of a file.
type style struct{ eol, indent string }

func styleOf(src []byte) style {
	st := style{words.Either(bytes.Contains(src, []byte("\r\n")), "\r\n", "\n"), "  "}
	for line := range bytes.Lines(src) {
		if text := bytes.TrimLeft(line, " \t"); len(text) < len(line) && len(bytes.TrimSpace(text)) > 0 {
			st.indent = string(line[:len(line)-len(text)])
			break
		}
	}
	return st
}

// insert puts a member (or an element, without a name) first into an object or list, depth levels down.
func insert(src []byte, in hujson.Value, depth int, st style, name, value string) []byte {
	inner := st.eol + strings.Repeat(st.indent, depth+1)
	piece := inner + words.When(name != "", `"`+name+`": `) + strings.ReplaceAll(value, "\n", inner) +
		words.Either(len(members(in)) > 0, ",", st.eol+strings.Repeat(st.indent, depth))
	return slices.Insert(bytes.Clone(src), in.StartOffset+1, []byte(piece)...)
}

// remove takes a member out again, with its comma and the space before it. If the member is as insert wrote it, this is
// exactly the piece that insert put in.
func remove(src []byte, in hujson.Value, depth, which int) []byte {
	all := members(in)
	m := all[which]
	from, to := m.from, m.value.EndOffset
	for strings.IndexByte(" \t\r\n", src[from-1]) >= 0 {
		from--
	}
	space := string(src[from:m.from])
	comma := to + len(m.value.AfterExtra)
	switch {
	case src[comma] == ',':
		to = comma + 1
	case which > 0: // the last of several: remove the comma before it
		from = all[which-1].value.EndOffset
	default: // the only one: the line break after it was inserted with it
		if after := outer(space, depth); bytes.HasPrefix(src[to:], []byte(after)) {
			to += len(after)
		}
	}
	return slices.Delete(bytes.Clone(src), from, to)
}

// outer is the line break and indentation one level further out than the one before a member.
func outer(space string, depth int) string {
	at := strings.LastIndexByte(space, '\n') + 1
	eol, indent := space[:at], space[at:]
	return eol + indent[:len(indent)/(depth+1)*depth]
}
