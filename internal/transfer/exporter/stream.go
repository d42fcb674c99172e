package exporter

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strconv"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"tasker/internal/fault"
	"tasker/internal/task/query"
)

// streamFormat is the version of the format of whole records.
const streamFormat = 1

// Stream writes whole records as one JSON document, one record per line:
//
//	{"tasker":1,"schemaVersion":17,"lastEvent":120,"records":[
//	{"table":"project","row":{"id":1,"slug":"demo"}},
//	],"count":1}
//
// The count at the end shows whether the document was truncated.
type Stream struct {
	w   io.Writer
	n   int
	buf []byte
}

// NewStream returns a stream of records.
func NewStream(w io.Writer) *Stream { return &Stream{w: w} }

// Begin writes which database the records come from.
func (s *Stream) Begin(of query.Dumped) error {
	_, err := fmt.Fprintf(s.w, `{"tasker":%d,"schemaVersion":%d,"lastEvent":%d,"records":[`, streamFormat, of.Schema, of.LastEvent)
	return err
}

// Record writes a record.
func (s *Stream) Record(rec query.Record) error {
	b := s.buf[:0]
	if s.n > 0 {
		b = append(b, ',')
	}
	s.n++
	b = append(b, "\n{\"table\":\""...)
	b = append(b, rec.Table...)
	b = append(b, "\",\"row\":{"...)
	for i, name := range rec.Columns {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(append(append(b, '"'), name...), "\":"...)
		switch v := rec.Values[i].(type) {
		case string:
			var err error
			if b, err = jsontext.AppendQuote(b, v); err != nil {
				return fmt.Errorf("%s of a record of %s: %w", name, rec.Table, err)
			}
		case nil:
			b = append(b, "null"...)
		default:
			b = fmt.Append(b, v)
		}
	}
	s.buf = append(b, "}}"...)
	_, err := s.w.Write(s.buf)
	return err
}

// End ends the document.
func (s *Stream) End() error {
	_, err := fmt.Fprintf(s.w, "\n],\"count\":%d}\n", s.n)
	return err
}

// Records reads what a Stream wrote, a record at a time.
type Records struct {
	Of  query.Dumped
	dec *jsontext.Decoder
	in  *bounded
	n   int
}

// maxRecord is how many bytes a record may have.
const maxRecord = 64 << 20

// bounded ends a stream whose current record is too long.
type bounded struct {
	r    io.Reader
	left int
}

func (b *bounded) Read(p []byte) (int, error) {
	if b.left <= 0 {
		return 0, errors.New("a record is too large")
	}
	n, err := b.r.Read(p[:min(len(p), b.left)])
	b.left -= n
	return n, err
}

// ReadRecords starts to read a stream of records.
func ReadRecords(r io.Reader) (*Records, error) {
	in := &bounded{r: r, left: maxRecord}
	s := &Records{dec: jsontext.NewDecoder(in), in: in}
	if tok, err := s.dec.ReadToken(); err != nil || tok.Kind() != '{' {
		return nil, s.broken("it does not begin as an export does")
	}
	for {
		tok, err := s.dec.ReadToken()
		if err != nil || tok.Kind() != '"' {
			return nil, s.broken("it has no records")
		}
		name := tok.String()
		if name == "records" {
			if tok, err := s.dec.ReadToken(); err != nil || tok.Kind() != '[' {
				return nil, s.broken("its records are not a list")
			}
			return s, nil
		}
		var n int64
		if err := json.UnmarshalDecode(s.dec, &n); err != nil {
			return nil, s.broken("%s is not a number", name)
		}
		switch name {
		case "tasker":
			if n != streamFormat {
				return nil, s.broken("it has the format %d, and this tasker reads %d", n, streamFormat)
			}
		case "schemaVersion":
			s.Of.Schema = int(n)
		case "lastEvent":
			s.Of.LastEvent = n
		}
	}
}

func (s *Records) broken(format string, args ...any) error {
	return fault.Bad("this is not a complete export of tasker: %s", fmt.Sprintf(format, args...)).
		WithHint("export it again; nothing was written")
}

// Next returns the next record, or nil at the end of a complete stream.
func (s *Records) Next() (*query.Record, error) {
	if s.dec.PeekKind() == ']' {
		return nil, s.end()
	}
	s.n++
	s.in.left = maxRecord
	var in struct {
		Table string         `json:"table"`
		Row   jsontext.Value `json:"row"`
	}
	if err := json.UnmarshalDecode(s.dec, &in, json.RejectUnknownMembers(true)); err != nil {
		return nil, s.broken("record %d cannot be read", s.n)
	}
	rec, err := s.row(in.Table, in.Row)
	if err != nil {
		return nil, s.broken("record %d cannot be read: %v", s.n, err)
	}
	return rec, nil
}

func (s *Records) row(table string, raw jsontext.Value) (*query.Record, error) {
	rec := &query.Record{Table: table}
	dec := jsontext.NewDecoder(bytes.NewReader(raw))
	if tok, err := dec.ReadToken(); err != nil || tok.Kind() != '{' {
		return nil, errors.New("its row is not an object")
	}
	for dec.PeekKind() != '}' {
		name, err := dec.ReadToken()
		if err != nil {
			return nil, err
		}
		rec.Columns = append(rec.Columns, name.String())
		tok, err := dec.ReadToken()
		if err != nil {
			return nil, err
		}
		switch tok.Kind() {
		case '"':
			rec.Values = append(rec.Values, tok.String())
		case '0':
			n, err := strconv.ParseInt(tok.String(), 10, 64)
			if err != nil {
				return nil, err
			}
			rec.Values = append(rec.Values, n)
		case 'n':
			rec.Values = append(rec.Values, nil)
		default:
			return nil, fmt.Errorf("%s is neither a text nor a number", rec.Columns[len(rec.Columns)-1])
		}
	}
	return rec, nil
}

// end reads what follows the records.
func (s *Records) end() error {
	_, _ = s.dec.ReadToken()
	var n int
	name, err := s.dec.ReadToken()
	if err != nil || name.Kind() != '"' || name.String() != "count" || json.UnmarshalDecode(s.dec, &n) != nil {
		return s.broken("its end is missing")
	}
	if n != s.n {
		return s.broken("it says that there are %d records, and there are %d", n, s.n)
	}
	return nil
}
