package wire

import (
	"bytes"
	"compress/gzip"
	"io"
	"net/netip"
	"net/url"
	"reflect"
	"strconv"
	"strings"
	"sync"

	"github.com/go-json-experiment/json"

	"tasker/internal/core"
	"tasker/internal/event/news"
	"tasker/internal/fault"
	"tasker/internal/hint"
	"tasker/internal/strict"
	"tasker/internal/task"
	"tasker/internal/text/words"
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

// Request is an operation's input as an HTTP request.
type Request struct {
	Path  string // under /v1, escaped
	Query string // encoded, without the question mark
	Body  []byte // empty for a GET
}

// Encode writes a value of e.In as a request that Decode reads back unchanged.
func (e *Endpoint) Encode(in any) (Request, error) {
	b := e.bound()
	v := reflect.ValueOf(in)
	req := Request{Path: e.Path}
	for _, p := range b.path {
		text, _ := p.text(v)
		if err := checkText("the "+p.name, text); err != nil {
			return Request{}, err
		}
		if text == "" {
			return Request{}, fault.Bad("the %s is empty", p.name).WithHint("name it as in: %s", hint.Command(e.Command))
		}
		req.Path = strings.Replace(req.Path, "{"+p.name+"}", escapeSegment(text), 1)
	}
	query := url.Values{}
	for _, p := range b.query {
		text, given := p.text(v)
		if !given {
			continue
		}
		if err := checkText(p.name, text); err != nil {
			return Request{}, err
		}
		query.Set(p.name, text)
	}
	req.Query = query.Encode()
	if !e.takesBody() {
		return req, nil
	}
	var err error
	if w, ok := in.(bodyWriter); ok {
		req.Body, err = w.EncodeBody()
	} else {
		req.Body, err = json.Marshal(in, json.Deterministic(true))
	}
	if err != nil {
		return Request{}, fault.Bad("what is to be sent cannot be written as JSON: %v", err).WithHint("send valid UTF-8").WithCause(err)
	}
	return req, nil
}

// text returns the field as text, and whether it must be sent: in a query, a zero value without a pointer means the
// same as none.
func (p *param) text(v reflect.Value) (text string, given bool) {
	f := v.Field(p.field)
	given = !f.IsZero()
	if p.pointer {
		if !given {
			return "", false
		}
		f = f.Elem()
	}
	switch p.kind {
	case reflect.String:
		return f.String(), given
	case reflect.Bool:
		return strconv.FormatBool(f.Bool()), given
	default:
		return strconv.FormatInt(f.Int(), 10), given
	}
}

// escapeSegment writes a value as one segment of a path. A segment of dots would be resolved away on its way.
func escapeSegment(text string) string {
	if text == "." || text == ".." {
		return strings.ReplaceAll(text, ".", "%2E")
	}
	return url.PathEscape(text)
}

// Failure is an error as it is sent: the one shape of every route, and of `--json` on standard error, except for a credential
// that is missing or wrong (see Told). Only a refusal has a Reason.
type Failure struct {
	Error   string   `json:"error"`
	Reason  string   `json:"reason,omitzero"`
	Message string   `json:"message"`
	Missing []string `json:"missing"`
	Hint    task.Opt `json:"hint"`

	Recorded []string `json:"recorded,omitzero"` // only for a declined move: what came with it and was recorded
	Version  int64    `json:"version,omitzero"`  // with Recorded: the task's version now
}

// FailureOf returns an error as a client sees it, with its hint in the language of a face; say words its calls.
func FailureOf(err error, say func(fault.Call) string) Failure {
	e := fault.Of(err)
	return Failure{
		Error: e.Kind.Code(), Reason: e.Kind.Reason(),
		Message: e.Message, Missing: e.Missing, Hint: task.Opt(e.HintIn(say)), Recorded: e.Recorded, Version: e.Version,
	}
}

// Unauthorized is the error of a request whose credential is missing or wrong, as it is sent: two members and no more, because
// that is the whole body that the specification gives. What to do ends the message.
type Unauthorized struct {
	Error   string `json:"error"`
	Message string `json:"message"`
}

// Told returns a failure in the form in which every face sends it.
func (f Failure) Told() any {
	if f.Error != fault.Unauthorized.Code() {
		return f
	}
	return Unauthorized{f.Error, f.Message + words.When(f.Hint != "", ": "+string(f.Hint))}
}

// CommandHeader marks a request from the command line.
const CommandHeader = "Tasker-Command"

// HintsHeader asks a server for the parts of hints: our own client shows them in the language of its face.
const HintsHeader = "Tasker-Hints"

// Parted is a Failure with the parts of its hint, for a client that asks for them.
type Parted struct {
	Failure
	Parts fault.Text `json:"hintParts,omitzero"`
}

// Told is Failure.Told with the parts of the hint, where there is a hint.
func (f Parted) Told() any {
	if f.Error == fault.Unauthorized.Code() {
		return f.Failure.Told()
	}
	return f
}

// Fault returns the error that was sent.
func (f Parted) Fault() *fault.Error {
	e := &fault.Error{
		Kind: fault.KindOf(f.Error, f.Reason), Message: f.Message, Missing: f.Missing, Hint: string(f.Hint), Recorded: f.Recorded, Version: f.Version,
	}
	if len(f.Parts) > 0 {
		return e.WithParts(f.Parts)
	}
	return e
}

// newsMembers is the form of news in an answer, next to its own members.
type newsMembers struct {
	News    []news.Item `json:"news,omitzero"`
	More    bool        `json:"newsMore,omitzero"`
	Warning string      `json:"warning,omitzero"`
}

// News is the same for the documentation: an answer has none of the members if there is no news.
type News struct {
	News     []NewsItem `json:"news,omitzero" about:"what others did with what the caller holds, and answers to its questions"`
	NewsMore bool       `json:"newsMore,omitzero" about:"older ones are left out"`
	Warning  string     `json:"warning,omitzero" about:"the change was made, and why this answer to it is incomplete"`
}

// NewsItem is one of them.
type NewsItem news.Item

// WithNews returns an answer with the news for its caller added. An answer that is not an object, or without news,
// stays as it is.
func WithNews(doc []byte, t core.News) ([]byte, error) {
	if t.None() || !bytes.HasPrefix(doc, []byte("{")) {
		return doc, nil
	}
	end := bytes.LastIndexByte(doc, '}')
	if end < 0 {
		return doc, nil
	}
	more, err := json.Marshal(newsMembers{t.Items, t.More, t.Warning}, strict.JSONOptions)
	if err != nil {
		return nil, err
	}
	out := append(make([]byte, 0, len(doc)+len(more)), doc[:end]...)
	if len(bytes.TrimSpace(doc[1:end])) > 0 {
		out = append(out, ',')
	}
	return append(append(out, more[1:]...), doc[end+1:]...), nil
}

// WriteWith is WriteIn with the news for the caller added to the answer.
func WriteWith(w io.Writer, v any, in Language, t core.News) error {
	if t.None() {
		return WriteIn(w, v, in)
	}
	var doc bytes.Buffer
	if err := WriteIn(&doc, v, in); err != nil {
		return err
	}
	out, err := WithNews(doc.Bytes(), t)
	if err != nil {
		return err
	}
	_, err = w.Write(out)
	return err
}

// ReadNews returns the news that comes with an answer.
func ReadNews(doc []byte) (core.News, error) {
	if !bytes.Contains(doc, []byte(`"news":[`)) && !bytes.Contains(doc, []byte(`"warning":"`)) {
		return core.News{}, nil
	}
	var found newsMembers
	err := json.Unmarshal(doc, &found)
	return core.News{Items: found.News, More: found.More, Warning: found.Warning}, err
}

// Encoding is how an answer is compressed for a client that accepts it: a name in a Content-Encoding header. The empty one
// leaves the answer as it is.
type Encoding string

// The supported encodings: gzip alone, because every client knows it and Go has it.
const (
	None Encoding = ""
	Gzip Encoding = "gzip"
)

// Sizes from which an answer is worth compressing. Bytes to a client on this machine cost almost nothing, and compressing a
// claim would make it half as expensive again.
const (
	PackFrom  = 1 << 10
	WorthHere = 16 << 10
)

// WorthPacking reports whether an answer of this size is worth compressing for a client at from, an address with a port.
func WorthPacking(size int, from string) bool {
	if size < PackFrom || size >= WorthHere {
		return size >= WorthHere
	}
	at, err := netip.ParseAddrPort(from)
	return err != nil || !at.Addr().Unmap().IsLoopback()
}

// Accepted returns the encoding for a client that sends this Accept-Encoding.
func Accepted(accept string) Encoding {
	for part := range strings.SplitSeq(accept, ",") {
		name, weight, _ := strings.Cut(part, ";")
		if strings.EqualFold(strings.TrimSpace(name), string(Gzip)) && accepts(weight) {
			return Gzip
		}
	}
	return None
}

// accepts reports whether the weight of an encoding is above zero; an unreadable weight counts as above zero.
func accepts(weight string) bool {
	number, ok := strings.CutPrefix(strings.ToLower(strings.ReplaceAll(weight, " ", "")), "q=")
	q, err := strconv.ParseFloat(number, 64)
	return !ok || err != nil || q > 0
}

// Pack compresses body, preferring speed to size. Without an encoding it returns body itself.
func Pack(e Encoding, body []byte) []byte {
	if e == None {
		return body
	}
	out := bytes.NewBuffer(make([]byte, 0, len(body)/3))
	w := writers.Get().(*gzip.Writer)
	defer writers.Put(w)
	w.Reset(out)
	_, _ = w.Write(body) // writes to memory
	_ = w.Close()
	return out.Bytes()
}

// writers hold a megabyte each, which takes longer to allocate than an answer takes to compress.
var writers = sync.Pool{New: func() any {
	w, _ := gzip.NewWriterLevel(nil, gzip.BestSpeed) // the level is valid
	return w
}}
