package task

import (
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"tasker/internal/strict"
	"tasker/internal/text/words"
)

// Time is a moment in microseconds since 1970, UTC; zero means no moment and is null in JSON.
type Time int64

// TimeOf returns the moment of a standard library time.
func TimeOf(t time.Time) Time { return Time(t.UnixMicro()) }

// Go returns the moment as a standard library time.
func (t Time) Go() time.Time { return time.UnixMicro(int64(t)).UTC() }

// Add returns the moment that is ms milliseconds, the unit of leases, later.
func (t Time) Add(ms int64) Time { return t + Time(ms)*1000 }

// Day returns the day of the moment in UTC, counted from 1970.
func (t Time) Day() int64 {
	day := int64(t) / microsPerDay
	if int64(t)%microsPerDay < 0 {
		day--
	}
	return day
}

// StartOfDay returns the first moment of a day, counted from 1970.
func StartOfDay(day int64) Time { return Time(day * microsPerDay) }

const microsPerDay = 24 * 60 * 60 * 1_000_000

// String returns the moment as RFC 3339 in UTC with milliseconds, or "" for no moment.
func (t Time) String() string {
	if t == 0 {
		return ""
	}
	var b [len(timeLayout)]byte
	return string(appendMoment(b[:0], t))
}

const timeLayout = "2006-01-02T15:04:05.000Z"

// appendMoment appends a moment in timeLayout. It goes through time.RFC3339, which the standard library formats
// several times as fast as a layout with milliseconds.
func appendMoment(b []byte, t Time) []byte {
	at := t.Go()
	b = at.AppendFormat(b, time.RFC3339)
	ms := at.Nanosecond() / 1_000_000
	return append(b[:len(b)-1], '.', byte('0'+ms/100), byte('0'+ms/10%10), byte('0'+ms%10), 'Z')
}

// WriteTime writes a moment, or null for none.
func WriteTime(o *strict.Writer, n string, t Time) {
	if t == 0 {
		o.Null(n)
		return
	}
	o.Plain(n, func(b []byte) []byte { return appendMoment(b, t) })
}

// MarshalJSONTo writes the RFC 3339 form or null.
func (t Time) MarshalJSONTo(enc *jsontext.Encoder) error {
	if t == 0 {
		return enc.WriteToken(jsontext.Null)
	}
	return enc.WriteToken(jsontext.String(t.String()))
}

// UnmarshalJSONFrom reads what MarshalJSONTo wrote.
func (t *Time) UnmarshalJSONFrom(dec *jsontext.Decoder) error {
	tok, err := dec.ReadToken()
	if err != nil {
		return err
	}
	if tok.Kind() == 'n' {
		*t = 0
		return nil
	}
	at, err := time.Parse(time.RFC3339Nano, tok.String())
	if err != nil {
		return err
	}
	*t = TimeOf(at)
	return nil
}

// Opt is a text that may be absent: the empty text is null in JSON, and null is read as the empty text.
type Opt string

// MarshalJSONTo writes the text or null.
func (o Opt) MarshalJSONTo(enc *jsontext.Encoder) error {
	if o == "" {
		return enc.WriteToken(jsontext.Null)
	}
	return enc.WriteToken(jsontext.String(string(o)))
}

// EvidenceID identifies an item of evidence; zero means none, and is null in JSON.
type EvidenceID int64

// MarshalJSONTo writes the number or null.
func (e EvidenceID) MarshalJSONTo(enc *jsontext.Encoder) error { return writeOptInt(enc, int64(e)) }

// Severity is 1 (worst) to 4; zero means none and is null in JSON, both ways.
type Severity int

// MarshalJSONTo writes the number or null.
func (s Severity) MarshalJSONTo(enc *jsontext.Encoder) error { return writeOptInt(enc, int64(s)) }

func writeOptInt(enc *jsontext.Encoder, n int64) error {
	if n == 0 {
		return enc.WriteToken(jsontext.Null)
	}
	return enc.WriteToken(jsontext.Int(n))
}

// The JSON form of the domain types whose Go kind does not determine it.

// Form is a moment in RFC 3339, or null.
func (Time) Form() strict.Form {
	return strict.Described(strict.Members{{Name: "type", Value: []any{"string", "null"}}, {Name: "format", Value: "date-time"}})
}

// Form is a text or null.
func (Opt) Form() strict.Form { return strict.FormOf(strict.Null(strict.Text[Opt]{})) }

// Form is a number or null.
func (Severity) Form() strict.Form {
	return strict.FormOf(strict.Null(strict.Whole[Severity]{Min: 1, Max: MaxSeverity}))
}

// Form is a number or null.
func (EvidenceID) Form() strict.Form {
	return strict.FormOf(strict.Null(strict.Whole[EvidenceID]{Min: 1, Max: 1 << 62}))
}

// Form is one of the statuses.
func (Status) Form() strict.Form { return oneOf(StatusNames()) }

// Form is one of the keys that tasks are selected by.
func (SelectKey) Form() strict.Form {
	return oneOf(texts(DefaultSelection))
}

func oneOf(names []string) strict.Form {
	return strict.Described(strict.Members{{Name: "type", Value: "string"}, {Name: "enum", Value: strict.Anys(names)}})
}

// StatusNames lists the statuses as texts.
func StatusNames() []string { return texts(Statuses) }

// texts returns values as plain texts.
func texts[T ~string](list []T) []string {
	return words.Each(list, func(s T) string { return string(s) })
}
