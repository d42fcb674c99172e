package term

import (
	"bytes"
	"errors"
	"io"
	"regexp"
	"sync"

	"github.com/go-json-experiment/json/jsontext"
)

// indented formats a JSON document for a person: one member per line, coloured if colours are on. It returns anything
// else unchanged. The document must already be inert; its values are copied as written.
func (t *Terminal) indented(doc []byte) []byte {
	dec := jsontext.NewDecoder(bytes.NewReader(doc), jsontext.AllowDuplicateNames(true))
	var out []byte
	for {
		read, err := dec.ReadValue()
		if errors.Is(err, io.EOF) {
			return out
		}
		v := read.Clone()
		if err != nil || v.Indent(jsontext.WithIndent("  ")) != nil {
			return doc
		}
		out = append(out, t.highlighted(v)...)
	}
}

// pieces matches what has a colour in JSON: names with their colons, texts, numbers and words.
var pieces = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`"(?:[^"\\]|\\.)*"(?:: )?|-?[0-9][-+.0-9eE]*|true|false|null`)
})

// kindStyles are the colours of values, by the kind of JSON.
var kindStyles = map[jsontext.Kind]Style{'"': Green, 'n': Faint, 't': Yellow, 'f': Yellow, '0': Cyan}

// highlighted returns indented JSON with colours, if they are on.
func (t *Terminal) highlighted(doc []byte) []byte {
	if !t.Color {
		return doc
	}
	return pieces().ReplaceAllFunc(doc, func(piece []byte) []byte {
		if name, ok := bytes.CutSuffix(piece, []byte(": ")); ok {
			return []byte(t.styled(Blue.Of(string(name))) + ": ")
		}
		return []byte(t.styled(kindStyles[jsontext.Value(piece).Kind()].Of(string(piece))))
	})
}
