package wire

import (
	"bytes"
	"io"

	"github.com/go-json-experiment/json"

	"tasker/internal/jsonout"
)

// WriteJSON writes an answer: the value on one line, and a line break. Routes and `--json` both use it.
func WriteJSON(w io.Writer, v any) error {
	var err error
	if r := jsonout.Answered(v); r != nil {
		var b []byte
		if buf, ok := w.(*bytes.Buffer); ok {
			b = buf.AvailableBuffer()
		}
		if b, err = jsonout.Append(b, r); err == nil {
			_, err = w.Write(b)
		}
	} else {
		err = json.MarshalWrite(w, v, jsonout.Options)
	}
	if err != nil {
		return err
	}
	_, err = w.Write(newline)
	return err
}

var newline = []byte{'\n'}
