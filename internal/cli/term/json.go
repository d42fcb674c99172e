package term

import (
	"bytes"

	"github.com/go-json-experiment/json/jsontext"
)

// indented formats a JSON document for a person: one member per line, coloured if colours are on. It returns anything
// else unchanged. The document must already be inert; its values are copied as written.
func (t *Terminal) indented(doc []byte) []byte {
	dec := jsontext.NewDecoder(bytes.NewReader(doc), jsontext.AllowDuplicateNames(true))
	var out bytes.Buffer
	for {
		kind := dec.PeekKind()
		if kind == 0 {
			if int(dec.InputOffset()) < len(bytes.TrimRight(doc, " \r\n\t")) || dec.StackDepth() > 0 {
				return doc
			}
			return out.Bytes()
		}
		opens, before := dec.StackIndex(dec.StackDepth())
		name := opens == '{' && before%2 == 0 && kind != '}'
		depth := dec.StackDepth()
		empty := false
		switch {
		case kind == '}' || kind == ']':
			depth--
			empty = before == 0
		case depth > 0 && before > 0 && (name || opens == '['):
			out.WriteByte(',')
		}
		if !empty && (name || opens == '[' || kind == '}') && dec.StackDepth() > 0 {
			out.WriteByte('\n')
			out.Write(bytes.Repeat([]byte("  "), depth))
		}
		from := dec.InputOffset()
		if _, err := dec.ReadToken(); err != nil {
			return doc
		}
		token := bytes.TrimLeft(doc[from:dec.InputOffset()], " \r\n\t:,")
		out.WriteString(t.styled(Span{string(token), styleOf(kind, name)}))
		if name {
			out.WriteString(": ")
		}
	}
}

// styleOf returns the colour of a piece of JSON.
func styleOf(kind jsontext.Kind, name bool) Style {
	switch {
	case name:
		return Blue
	case kind == '"':
		return Green
	case kind == 'n':
		return Faint
	case kind == 't' || kind == 'f':
		return Yellow
	case kind == '0':
		return Cyan
	}
	return Plain
}
