package safetext

import (
	"bytes"
	"errors"
	"io"

	"github.com/go-json-experiment/json/jsontext"
)

// JSON is a JSON document with every text in it made Visible.
func JSON(src []byte) ([]byte, error) {
	var out bytes.Buffer
	out.Grow(len(src))
	dec, enc := jsontext.NewDecoder(bytes.NewReader(src)), jsontext.NewEncoder(&out)
	for {
		tok, err := dec.ReadToken()
		if errors.Is(err, io.EOF) {
			return bytes.TrimSuffix(out.Bytes(), []byte("\n")), nil
		}
		if err != nil {
			return nil, err
		}
		if tok.Kind() == '"' {
			tok = jsontext.String(Visible(tok.String()))
		}
		if err := enc.WriteToken(tok); err != nil {
			return nil, err
		}
	}
}
