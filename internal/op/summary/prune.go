package summary

import (
	"bytes"
	"errors"
	"io"

	"github.com/go-json-experiment/json/jsontext"
)

// Prune removes null, false and empty values from a JSON document, for answers that have no short form of their own. The
// members of the answer itself stay, so that a caller finds the ones that are specified.
func Prune(src []byte) ([]byte, error) {
	var out bytes.Buffer
	p := pruner{enc: jsontext.NewEncoder(&out, jsontext.AllowDuplicateNames(true))}
	dec := jsontext.NewDecoder(bytes.NewReader(src), jsontext.AllowDuplicateNames(true))
	for {
		tok, err := dec.ReadToken()
		if errors.Is(err, io.EOF) {
			return bytes.TrimSuffix(out.Bytes(), []byte("\n")), nil
		}
		if err != nil {
			return nil, err
		}
		depth := dec.StackDepth()
		of, n := dec.StackIndex(depth)
		if err := p.take(tok.Clone(), tok.Kind() == '"' && of == '{' && n%2 == 1, depth); err != nil {
			return nil, err
		}
	}
}

// pruner holds back what may turn out to be empty: names, and the beginnings of objects and lists.
type pruner struct {
	enc  *jsontext.Encoder
	held []heldToken
}

type heldToken struct {
	jsontext.Token
	prunable bool // it is a name below the answer's own members
}

func (p *pruner) take(tok jsontext.Token, name bool, depth int) error {
	switch kind := tok.Kind(); {
	case name:
		p.held = append(p.held, heldToken{tok, depth > 1})
		return nil
	case kind == '{' || kind == '[':
		p.held = append(p.held, heldToken{tok, false})
		return nil
	case kind == '}' || kind == ']':
		if n := len(p.held); n >= 2 && p.held[n-2].prunable { // it began immediately before
			p.held = p.held[:n-2]
			return nil
		}
	case kind == 'n' || kind == 'f' || kind == '"' && tok.String() == "":
		if n := len(p.held); n >= 1 && p.held[n-1].prunable {
			p.held = p.held[:n-1]
			return nil
		}
	}
	for _, h := range p.held {
		if err := p.enc.WriteToken(h.Token); err != nil {
			return err
		}
	}
	p.held = p.held[:0]
	return p.enc.WriteToken(tok)
}
