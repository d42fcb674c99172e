package shape

import (
	"context"
	stdjson "encoding/json"
	"errors"
	"strings"
	"unicode/utf8"

	"github.com/itchyny/gojq"

	"tasker/internal/fault"
)

type query struct{ code *gojq.Code }

// JQ returns the shape of a jq expression. The strings it yields are printed as they are, one per line, everything else
// as JSON. It sees only the answer: no environment, no files, no modules.
func JQ(expression string) (Shape, error) {
	parsed, err := gojq.Parse(expression)
	if err != nil {
		return nil, unreadable(expression, err)
	}
	code, err := gojq.Compile(parsed)
	if err != nil {
		e := fault.Bad("--jq: %v", err)
		if name, ok := strings.CutSuffix(strings.TrimPrefix(err.Error(), "function not defined: "), "/0"); ok {
			e.WithHint("a field has a dot before its name: .%s", name)
		}
		return nil, e
	}
	return query{code}, nil
}

// unreadable says where the expression cannot be parsed.
func unreadable(expression string, err error) error {
	var at *gojq.ParseError
	if !errors.As(err, &at) {
		return fault.Bad("--jq: %v", err)
	}
	what := strings.Replace(at.Error(), "unexpected EOF", "the expression ends too early", 1)
	from := min(max(at.Offset-len(at.Token), 0), len(expression))
	line := strings.Count(expression[:from], "\n")
	column := from - (strings.LastIndexByte(expression[:from], '\n') + 1)
	shown := strings.Split(expression, "\n")[line]
	return fault.Bad("--jq: %s, in line %d, column %d", what, line+1, utf8.RuneCountInString(shown[:column])+1).
		WithHint("it is where ⟨here⟩ stands: %s⟨here⟩%s", shown[:column], shown[column:])
}

func (q query) Form(ctx context.Context, doc []byte, _ Screen) ([]Piece, error) {
	v, err := read(doc, func(s string) any { return stdjson.Number(s) })
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, formTime)
	defer cancel()
	var pieces []Piece
	for results := q.code.RunWithContext(ctx, v); ; {
		v, more := results.Next()
		if !more {
			return pieces, nil
		}
		switch v := v.(type) {
		case error:
			var halt *gojq.HaltError
			switch {
			case errors.As(v, &halt) && halt.Value() == nil:
				return pieces, nil
			case ctx.Err() != nil:
				return pieces, tooLate("--jq")
			}
			return pieces, fault.Bad("--jq: %v", v).WithHint("see the whole answer with just --json")
		case string:
			pieces = append(pieces, Piece{Text: v + "\n"})
		default:
			text, err := gojq.Marshal(v)
			if err != nil {
				return pieces, fault.Bad("--jq: %v", err)
			}
			pieces = append(pieces, Piece{Document: text})
		}
		if len(pieces) >= maxPieces {
			return pieces, fault.Bad("--jq made %d values of one answer, and was stopped there: does it end?", maxPieces)
		}
	}
}
