package setup

import (
	"bytes"
	"errors"
	"strings"
)

// Edits of JSON files that leave every other byte as it is: one contiguous piece goes in right after the brace or
// bracket that it belongs to, and comes out again as exactly that piece. Comments and trailing commas, which agents
// allow in their files, are read over.

// errNoJSON says that a file is not what an agent could read.
var errNoJSON = errors.New("it is not valid JSON")

// span is a piece of a text: from its first byte to the one after its last.
type span struct{ from, to int }

// member is a member of an object, or an element of a list, which has no name.
type member struct {
	name  string
	all   span // name and value
	value span
}

// scanner reads JSON with comments.
type scanner struct {
	src []byte
	at  int
}

// skip passes over space and comments.
func (s *scanner) skip() {
	for s.at < len(s.src) {
		switch rest := s.src[s.at:]; {
		case strings.IndexByte(" \t\r\n", rest[0]) >= 0:
			s.at++
		case bytes.HasPrefix(rest, []byte("//")):
			if end := bytes.IndexByte(rest, '\n'); end >= 0 {
				s.at += end
			} else {
				s.at = len(s.src)
			}
		case bytes.HasPrefix(rest, []byte("/*")):
			end := bytes.Index(rest, []byte("*/"))
			if end < 0 {
				s.at = len(s.src)
				return
			}
			s.at += end + 2
		default:
			return
		}
	}
}

// text reads a string and gives what stands between its quotes, escapes and all.
func (s *scanner) text() (string, error) {
	if s.at >= len(s.src) || s.src[s.at] != '"' {
		return "", errNoJSON
	}
	for i := s.at + 1; i < len(s.src); i++ {
		switch s.src[i] {
		case '\\':
			i++
		case '"':
			text := string(s.src[s.at+1 : i])
			s.at = i + 1
			return text, nil
		}
	}
	return "", errNoJSON
}

// value passes over one value and gives where it stands.
func (s *scanner) value() (span, error) {
	s.skip()
	from, depth := s.at, 0
	for s.at < len(s.src) {
		switch c := s.src[s.at]; {
		case c == '"':
			if _, err := s.text(); err != nil {
				return span{}, err
			}
		case c == '{' || c == '[':
			depth++
			s.at++
		case c == '}' || c == ']':
			depth--
			s.at++
		case depth > 0:
			s.at++
		default: // a number or a word
			end := bytes.IndexAny(s.src[s.at:], " \t\r\n,]}/")
			if end < 0 {
				end = len(s.src) - s.at
			}
			if end == 0 {
				return span{}, errNoJSON
			}
			s.at += end
		}
		if depth == 0 {
			return span{from, s.at}, nil
		}
		s.skip()
	}
	return span{}, errNoJSON
}

// members lists what is in an object or a list.
func members(src []byte, in span) ([]member, error) {
	s := &scanner{src: src[:in.to-1], at: in.from + 1}
	object := src[in.from] == '{'
	var out []member
	for {
		s.skip()
		if s.at >= len(s.src) {
			return out, nil
		}
		m := member{all: span{from: s.at}}
		if object {
			name, err := s.text()
			if err != nil {
				return nil, err
			}
			s.skip()
			if s.at >= len(s.src) || s.src[s.at] != ':' {
				return nil, errNoJSON
			}
			s.at++
			m.name = name
		}
		value, err := s.value()
		if err != nil {
			return nil, err
		}
		m.value, m.all.to = value, value.to
		out = append(out, m)
		s.skip()
		if s.at < len(s.src) {
			if s.src[s.at] != ',' {
				return nil, errNoJSON
			}
			s.at++
		}
	}
}

// root is the object that a file is.
func root(src []byte) (span, error) {
	s := &scanner{src: src, at: len(bom(src))}
	at, err := s.value()
	if err != nil || src[at.from] != '{' {
		return span{}, errNoJSON
	}
	if s.skip(); s.at != len(src) {
		return span{}, errNoJSON
	}
	return at, nil
}

func bom(src []byte) []byte {
	if bytes.HasPrefix(src, []byte("\ufeff")) {
		return src[:3]
	}
	return nil
}

// find returns the value at a path of names, and how many of them there are on the way to it.
func find(src []byte, path []string) (at span, found int, err error) {
	at, err = root(src)
	for _, name := range path {
		if err != nil {
			return at, found, err
		}
		if src[at.from] != '{' {
			return at, found, errNoJSON
		}
		all, err := members(src, at)
		if err != nil {
			return at, found, err
		}
		i := indexOf(all, name)
		if i < 0 {
			return at, found, nil
		}
		at, found = all[i].value, found+1
	}
	return at, found, err
}

func indexOf(all []member, name string) int {
	for i, m := range all {
		if m.name == name {
			return i
		}
	}
	return -1
}

// style is how a file is written.
type style struct{ eol, indent string }

func styleOf(src []byte) style {
	st := style{"\n", "  "}
	if bytes.Contains(src, []byte("\r\n")) {
		st.eol = "\r\n"
	}
	for line := range bytes.Lines(src) {
		if text := bytes.TrimLeft(line, " \t"); len(text) < len(line) && len(bytes.TrimSpace(text)) > 0 {
			st.indent = string(line[:len(line)-len(text)])
			break
		}
	}
	return st
}

// insert puts a member (or element, without a name) first into the object or list at a place, depth levels down.
func insert(src []byte, in span, depth int, st style, name, value string) ([]byte, error) {
	all, err := members(src, in)
	if err != nil {
		return nil, err
	}
	inner := st.eol + strings.Repeat(st.indent, depth+1)
	piece := inner
	if name != "" {
		piece += `"` + name + `": `
	}
	piece += strings.ReplaceAll(value, "\n", inner)
	if len(all) > 0 {
		piece += ","
	} else {
		piece += st.eol + strings.Repeat(st.indent, depth)
	}
	return bytes.Join([][]byte{src[:in.from+1], []byte(piece), src[in.from+1:]}, nil), nil
}

// remove takes a member out again, with its comma and the space before it: exactly the piece that insert put in, where
// it stands as it was put.
func remove(src []byte, in span, depth, which int) ([]byte, error) {
	all, err := members(src, in)
	if err != nil {
		return nil, err
	}
	m := all[which]
	from, to := m.all.from, m.all.to
	for strings.IndexByte(" \t\r\n", src[from-1]) >= 0 {
		from--
	}
	space := string(src[from:m.all.from])
	s := &scanner{src: src, at: to}
	s.skip()
	switch {
	case src[s.at] == ',':
		to = s.at + 1
	case which > 0: // the last of several: the comma before it goes
		from = all[which-1].all.to
	default: // the only one: the line break after it went in with it
		if after := outer(space, depth); bytes.HasPrefix(src[to:], []byte(after)) {
			to += len(after)
		}
	}
	return append(bytes.Clone(src[:from]), src[to:]...), nil
}

// outer is the line break and indentation one level further out than the one before a member.
func outer(space string, depth int) string {
	at := strings.LastIndexByte(space, '\n') + 1
	eol, indent := space[:at], space[at:]
	return eol + indent[:len(indent)/(depth+1)*depth]
}
