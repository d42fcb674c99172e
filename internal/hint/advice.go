package hint

import (
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"tasker/internal/fault"
	"tasker/internal/strict"
)

// Advice is a text in an answer that says what to do, with calls among its words. A face writes it in its own language:
// see Speaking. Without a language it is written as its parts, so that nothing is lost when an answer is stored or
// passed on.
type Advice fault.Text

// Advise formats like fmt.Sprintf, and keeps every Call among the arguments as a part of its own.
func Advise(format string, args ...any) Advice { return Advice(fault.Parts(format, args...)) }

// In returns the text with its calls as say words them.
func (a Advice) In(say func(Call) string) string { return fault.Text(a).In(say) }

// String returns the text with its calls as commands.
func (a Advice) String() string { return a.In(Call.String) }

// Form is a text or null.
func (Advice) Form() strict.Form { return strict.FormOf(strict.Null(strict.Text[string]{})) }

// MarshalJSONTo writes the parts, or null for none.
func (a Advice) MarshalJSONTo(enc *jsontext.Encoder) error {
	if len(a) == 0 {
		return enc.WriteToken(jsontext.Null)
	}
	return json.MarshalEncode(enc, []fault.Part(a))
}

// UnmarshalJSONFrom reads the parts, or the text from a server that does not send parts.
func (a *Advice) UnmarshalJSONFrom(dec *jsontext.Decoder) error {
	if dec.PeekKind() != '"' {
		return json.UnmarshalDecode(dec, (*[]fault.Part)(a))
	}
	var text string
	err := json.UnmarshalDecode(dec, &text)
	*a = Advice{{Text: text}}
	return err
}

// Fetch is the call that fetches what an answer leaves out.
type Fetch Call

// String returns the call as typed at a command line.
func (f Fetch) String() string { return Call(f).String() }

// Form is a text.
func (Fetch) Form() strict.Form { return strict.FormOf(strict.Text[string]{}) }

// MarshalJSONTo writes the call with its arguments.
func (f Fetch) MarshalJSONTo(enc *jsontext.Encoder) error { return json.MarshalEncode(enc, Call(f)) }

// UnmarshalJSONFrom reads the call, or the command from a server that sends only that.
func (f *Fetch) UnmarshalJSONFrom(dec *jsontext.Decoder) error {
	if dec.PeekKind() != '"' {
		return json.UnmarshalDecode(dec, (*Call)(f))
	}
	var text string
	err := json.UnmarshalDecode(dec, &text)
	const program = len("tasker ")
	*f = Fetch{Command: text[min(program, len(text)):]}
	return err
}

// Speaking returns how answers are written in a language: say words the calls in an advice, fetch the calls that fetch
// the rest.
func Speaking(say, fetch func(Call) string) *json.Marshalers {
	return json.JoinMarshalers(
		json.MarshalToFunc(func(enc *jsontext.Encoder, a Advice) error {
			if len(a) == 0 {
				return enc.WriteToken(jsontext.Null)
			}
			return enc.WriteToken(jsontext.String(a.In(say)))
		}),
		json.MarshalToFunc(func(enc *jsontext.Encoder, f Fetch) error { return enc.WriteToken(jsontext.String(fetch(Call(f)))) }),
	)
}
