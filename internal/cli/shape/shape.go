package shape

import (
	"context"
	"errors"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"tasker/internal/fault"
)

// Shape forms an answer. It is parsed before the command runs, so that a command with a faulty expression is refused
// before it does anything.
type Shape interface {
	// Form returns the pieces to print for an answer, in order.
	Form(ctx context.Context, doc []byte, screen Screen) ([]Piece, error)
}

// Piece is something to print: a text as it is, or a JSON document.
type Piece struct {
	Text     string
	Document []byte // nil: print the text
}

// Screen is what a form depends on besides the answer.
type Screen struct {
	Now   time.Time
	Width int // columns of the terminal, 0 for no bound
}

// formTime bounds how long an answer may be formed: an expression can be an endless loop.
const formTime = 30 * time.Second

// maxPieces bounds what an expression yields for one answer.
const maxPieces = 1_000_000

// tooLate refuses an expression that does not end in time.
func tooLate(flag string) error {
	return fault.Bad("%s took longer than %s, and was stopped: does it end?", flag, formTime)
}

// numbers reads numbers as they are written: a float64 would lose the last digits of large ones.
func numbers(number func(string) any) *json.Unmarshalers {
	return json.UnmarshalFromFunc(func(dec *jsontext.Decoder, v *any) error {
		if dec.PeekKind() != '0' {
			return errors.ErrUnsupported
		}
		token, err := dec.ReadToken()
		if err == nil {
			*v = number(token.String())
		}
		return err
	})
}

// read returns a document as Go values, with number converting its numbers.
func read(doc []byte, number func(string) any) (any, error) {
	var v any
	err := json.Unmarshal(doc, &v, json.WithUnmarshalers(numbers(number)))
	return v, err
}
