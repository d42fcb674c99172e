package wire

import (
	"bytes"
	"io"

	"github.com/go-json-experiment/json"

	"tasker/internal/fault"
	"tasker/internal/fault/hint"
	"tasker/internal/strict"
)

// Language is how a face words the calls in its answers. Without a language, an answer has their parts.
type Language struct{ opts json.Options }

// Speaks returns the language of a face: say words the calls in an advice, fetch the calls that fetch what is left out.
func Speaks(say, fetch func(fault.Call) string) Language {
	return Language{json.JoinOptions(strict.JSONOptions, json.WithMarshalers(hint.Speaking(say, fetch)))}
}

// commands is the language of the command line.
var commands = Speaks(fault.Call.String, fault.Call.String)

// WriteJSON writes an answer like WriteIn, with its calls as commands.
func WriteJSON(w io.Writer, v any) error { return WriteIn(w, v, commands) }

// WriteIn writes an answer in a language: the value on one line, and a line break. Routes and `--json` both use it.
func WriteIn(w io.Writer, v any, in Language) error {
	var err error
	opts := strict.JSONOptions
	if in.opts != nil {
		opts = in.opts
	}
	if r := strict.Answered(v); r != nil {
		var b []byte
		if buf, ok := w.(*bytes.Buffer); ok {
			b = buf.AvailableBuffer()
		}
		if b, err = strict.AppendRecordAs(b, r, opts); err == nil {
			_, err = w.Write(b)
		}
	} else {
		err = json.MarshalWrite(w, v, opts)
	}
	if err != nil {
		return err
	}
	_, err = w.Write(newline)
	return err
}

var newline = []byte{'\n'}
