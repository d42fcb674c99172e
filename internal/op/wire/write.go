package wire

import (
	"bytes"
	"io"

	"github.com/go-json-experiment/json"

	"tasker/internal/bundle"
	"tasker/internal/core/reading"
	"tasker/internal/core/work"
	"tasker/internal/jsonout"
)

// WriteJSON writes an answer: the value on one line, and a line break. Routes and `--json` both use it.
func WriteJSON(w io.Writer, v any) error {
	var err error
	if r := byHand(v); r != nil {
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

// byHand returns an answer that is written without reflection, nil for any other. The types are named, because one that
// embeds them has their methods too.
func byHand(v any) jsonout.Record {
	switch v := v.(type) {
	case work.NextOut:
		return &v
	case reading.ReadyOut:
		return &v
	case *bundle.Bundle:
		return v
	case reading.BoardOut:
		return &v
	case reading.MachineOut:
		return &v
	default:
		return nil
	}
}

var newline = []byte{'\n'}
