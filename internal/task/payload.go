package task

import (
	"maps"
	"slices"

	"tasker/internal/strict"
)

// Encode returns the payload as JSON, sorted by name.
func (p Payload) Encode() ([]byte, error) { return strict.AppendRecord(make([]byte, 0, 256), p) }

// Members writes the values of the payload. Every event has a payload, so the common types are written without
// reflection.
func (p Payload) Members(o *strict.Writer) {
	var few [16]string
	names := slices.AppendSeq(few[:0], maps.Keys(p))
	slices.Sort(names)
	for _, name := range names {
		writeAny(o, name, p[name])
	}
}

// Members writes the members of the difference.
func (d Delta) Members(o *strict.Writer) {
	writeAny(o, "from", d.From)
	writeAny(o, "to", d.To)
}

func writeAny(o *strict.Writer, n string, v any) {
	switch v := v.(type) {
	case nil:
		o.Null(n)
	case string:
		o.Text(n, v)
	case Opt:
		o.Opt(n, string(v))
	case Status:
		o.Text(n, string(v))
	case ID:
		o.Text(n, string(v))
	case bool:
		o.Bool(n, v)
	case int:
		o.Int(n, int64(v))
	case int64:
		o.Int(n, v)
	case Time:
		WriteTime(o, n, v)
	case Delta:
		o.Record(n, v)
	default:
		o.Value(n, v)
	}
}
