package safetext

import (
	"bytes"
	"errors"
	"io"

	"github.com/go-json-experiment/json/jsontext"
)

// hiding follows a name that had hidden characters: it must not pass for the name that it looks like.
const hiding = " (with hidden characters)"

// JSON returns a JSON document with every text in it made Visible. A name in an object that lost characters says so: a
// gate that looks like another is not the other.
func JSON(src []byte) ([]byte, error) {
	var out bytes.Buffer
	out.Grow(len(src))
	dec, enc := jsontext.NewDecoder(bytes.NewReader(src)), jsontext.NewEncoder(&out, jsontext.AllowDuplicateNames(true))
	for {
		tok, err := dec.ReadToken()
		if errors.Is(err, io.EOF) {
			return bytes.TrimSuffix(out.Bytes(), []byte("\n")), nil
		}
		if err != nil {
			return nil, err
		}
		if tok.Kind() == '"' {
			text := tok.String()
			seen := Visible(text)
			if of, n := dec.StackIndex(dec.StackDepth()); of == '{' && n%2 == 1 && seen != text {
				seen += hiding
			}
			tok = jsontext.String(seen)
		}
		if err := enc.WriteToken(tok); err != nil {
			return nil, err
		}
	}
}
