package tree

import (
	"bytes"
	"errors"
	"io"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// MaxSize bounds a configuration file.
const MaxSize = 1 << 20

// Parse reads the one JSON value of a source into a tree that knows its places. It is strict: a byte order mark,
// invalid UTF-8, U+0000, a name given twice and text after the value are faults. The tree is nil where the text is
// no JSON at all; faults that leave it readable are returned beside it.
func Parse(src *Source) (*Node, []Fault) {
	p := parser{src: src}
	text := src.Text
	switch {
	case len(text) > MaxSize:
		p.fault(MaxSize, "", "the file is larger than 1 MiB")
		return nil, p.faults
	case bytes.HasPrefix(text, []byte("\xef\xbb\xbf")):
		p.fault(0, "", "the file starts with a byte order mark; save it as UTF-8 without one")
		return nil, p.faults
	case len(bytes.TrimSpace(text)) == 0:
		p.fault(0, "", `the file is empty; the smallest one is {"version": 1, "project": "…"}`)
		return nil, p.faults
	}
	// Names given twice are let through, so that each is reported with the rest.
	p.dec = jsontext.NewDecoder(bytes.NewBuffer(text), jsontext.AllowDuplicateNames(true))
	root, err := p.value("")
	if err == nil {
		next := p.next()
		if _, end := p.dec.ReadToken(); !errors.Is(end, io.EOF) {
			p.fault(next, "", "there is text after the end of the document")
		}
		return root, p.faults
	}
	p.syntax(err)
	return nil, p.faults
}

type parser struct {
	src    *Source
	dec    *jsontext.Decoder
	faults []Fault
}

// next is the offset at which the next token starts.
func (p *parser) next() int {
	i := int(p.dec.InputOffset())
	for i < len(p.src.Text) && strings.IndexByte(" \t\r\n,:", p.src.Text[i]) >= 0 {
		i++
	}
	return i
}

func (p *parser) value(path string) (*Node, error) {
	n := &Node{Src: p.src, At: p.next()}
	tok, err := p.dec.ReadToken()
	if err != nil {
		return nil, err
	}
	switch tok.Kind() {
	case 'n':
		n.Kind = Null
	case 't', 'f', '0':
		n.Kind, n.Text = Bool, tok.String()
		if tok.Kind() == '0' {
			n.Kind = Number
		}
	case '"':
		n.Kind, n.Text = String, tok.String()
		p.noZero(n.At, path, n.Text)
	case '[':
		n.Kind = List
		for p.dec.PeekKind() != ']' {
			item, err := p.value(At(path, len(n.Items)))
			if err != nil {
				return nil, err
			}
			n.Items = append(n.Items, item)
		}
		if _, err := p.dec.ReadToken(); err != nil {
			return nil, err
		}
	case '{':
		n.Kind = Object
		if err := p.members(n, path); err != nil {
			return nil, err
		}
	}
	n.End = int(p.dec.InputOffset())
	return n, nil
}

func (p *parser) members(n *Node, path string) error {
	seen := map[string]int{}
	for p.dec.PeekKind() != '}' {
		m := Member{At: p.next()}
		tok, err := p.dec.ReadToken()
		if err != nil {
			return err
		}
		if tok.Kind() != '"' { // the decoder refuses it; this keeps us right if it ever did not
			return &jsontext.SyntacticError{ByteOffset: int64(m.At), Err: errors.New("a name must be a string")}
		}
		m.Name = tok.String()
		p.noZero(m.At, path, m.Name)
		sub := Join(path, m.Name)
		if m.Node, err = p.value(sub); err != nil {
			return err
		}
		if first, twice := seen[m.Name]; twice {
			line, _ := p.src.Place(first)
			p.fault(m.At, sub, "the name is given twice, first in line %d", line)
			continue // the first one is kept, so that it is checked too
		}
		seen[m.Name] = m.At
		n.Members = append(n.Members, m)
	}
	_, err := p.dec.ReadToken()
	return err
}

func (p *parser) noZero(offset int, path, s string) {
	if strings.IndexByte(s, 0) >= 0 {
		p.fault(offset, path, "the text contains U+0000, which no text here may")
	}
}

func (p *parser) fault(offset int, path, format string, args ...any) {
	p.faults = append(p.faults, NewFault(p.src, offset, path, format, args...))
}

// syntax turns the decoder's error into a fault, with a word about the usual slips.
func (p *parser) syntax(err error) {
	offset, why := int(p.dec.InputOffset()), err.Error()
	var syn *jsontext.SyntacticError
	if errors.As(err, &syn) {
		offset, why = int(syn.ByteOffset), syn.Err.Error()
	}
	if errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF) {
		p.fault(len(p.src.Text), "", "the JSON ends too early; a bracket, brace or quote is not closed")
		return
	}
	offset = min(max(offset, 0), len(p.src.Text))
	for offset < len(p.src.Text) && strings.IndexByte(" \t\r\n", p.src.Text[offset]) >= 0 {
		offset++
	}
	rest := p.src.Text[offset:]
	after := bytes.TrimLeft(bytes.TrimPrefix(rest, []byte(",")), " \t\r\n")
	switch {
	case bytes.HasPrefix(rest, []byte("//")), bytes.HasPrefix(rest, []byte("/*")), bytes.HasPrefix(rest, []byte("#")):
		why = "JSON has no comments"
	case bytes.HasPrefix(rest, []byte(",")) && len(after) > 0 && (after[0] == '}' || after[0] == ']'):
		why = "there is a comma with nothing between it and the closing " + string(after[0])
	case bytes.HasPrefix(rest, []byte("'")):
		why = `strings are written in double quotes`
	}
	p.fault(offset, "", "not valid JSON: %s", why)
}
