package wire_test

import (
	"net/http"
	"net/url"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"tasker/internal/fault"
	"tasker/internal/inbox"
	"tasker/internal/op"
	"tasker/internal/op/wire"
	"tasker/internal/plan"
	"tasker/internal/planning"
	"tasker/internal/testkit/optest"
	"tasker/internal/views/reading"
	"tasker/internal/work"
)

// pathValues reads the values of a path the way a mux does.
func pathValues(t testing.TB, pattern, path string) func(string) string {
	t.Helper()
	want, got := strings.Split(pattern, "/"), strings.Split(path, "/")
	if len(want) != len(got) {
		t.Fatalf("%s has other segments than %s", path, pattern)
	}
	values := map[string]string{}
	for i, seg := range want {
		if strings.HasPrefix(seg, "{") {
			text, err := url.PathUnescape(got[i])
			if err != nil {
				t.Fatal(err)
			}
			values[strings.Trim(seg, "{}")] = text
		} else if seg != got[i] {
			t.Fatalf("%s does not fit %s", path, pattern)
		}
	}
	return func(name string) string { return values[name] }
}

func TestEveryInputTravelsThereAndBack(t *testing.T) {
	for _, o := range op.Table {
		if o.Method == "" {
			continue
		}
		for name, in := range map[string]any{"full": optest.In(o)} {
			t.Run(o.Name+"/"+name, func(t *testing.T) {
				req, err := o.Encode(in)
				if err != nil {
					t.Fatal(err)
				}
				back, err := o.Decode(pathValues(t, o.Path, req.Path), req.Query, req.Body)
				if err != nil {
					t.Fatalf("%+v: %v", req, err)
				}
				if diff := cmp.Diff(in, back, cmpopts.IgnoreUnexported(plan.Document{})); diff != "" {
					t.Errorf("did not come back as it was sent (-sent +received):\n%s", diff)
				}
			})
		}
	}
}

func TestAFieldTravelsInOnePlace(t *testing.T) {
	for _, o := range op.Table {
		if o.Method != http.MethodPost {
			continue
		}
		if _, own := reflect.New(o.In).Interface().(interface{ DecodeBody([]byte) error }); own {
			if _, ok := reflect.Zero(o.In).Interface().(interface{ EncodeBody() ([]byte, error) }); !ok {
				t.Errorf("%s reads its body itself and does not write it", o.Name)
			}
			continue
		}
		for i := range o.In.NumField() {
			f := o.In.Field(i)
			_, path := f.Tag.Lookup("path")
			_, query := f.Tag.Lookup("query")
			if elsewhere, body := path || query, f.Tag.Get("json") != "-"; elsewhere == body {
				t.Errorf("%s: %s.%s is sent nowhere or twice: give it json:\"-\" in addition to path or query", o.Name, o.In, f.Name)
			}
		}
	}
}

func TestPathsNameWhatTheInputTakes(t *testing.T) {
	for _, o := range op.Table {
		if o.Method == "" {
			continue
		}
		for i := range o.In.NumField() {
			if name, ok := o.In.Field(i).Tag.Lookup("path"); ok && !strings.Contains(o.Path, "{"+name+"}") {
				t.Errorf("%s: %s has no {%s}", o.Name, o.Path, name)
			}
		}
	}
}

func none(string) string { return "demo-1" }

func TestAFaultyRequestIsRefusedWithItsPlace(t *testing.T) {
	cases := []struct {
		name        string
		op          *op.Op
		query, body string
		message     string // part of it
		also        string // in message or hint
	}{
		{"unknown name", op.Note.Op, "", `{"txet":"x"}`, "txet: unknown key", "did you mean text?"},
		{"unknown name says what is allowed", op.Claim.Op, "", `{"zzzzzz":1}`, "zzzzzz", "allowed: fence, leaseMs"},
		{"wrong case", op.Note.Op, "", `{"Text":"x"}`, "Text: unknown key", "did you mean text?"},
		{"duplicate name", op.Note.Op, "", `{"text":"x","text":"y"}`, "text: is given twice", ""},
		{"duplicate in depth", op.Evidence.Op, "", `{"items":[{"kind":"a","kind":"b","value":"x"}]}`, "items[0].kind: is given twice", ""},
		{"unknown in depth", op.Evidence.Op, "", `{"items":[{"kind":"a","value":"x"},{"knd":"a"}]}`, "items[1].knd: unknown key", "did you mean kind?"},
		{"wrong type", op.Evidence.Op, "", `{"items":[{"kind":5,"value":"x"}]}`, "items[0].kind: must be a string, not the number 5", ""},
		{"wrong type of an optional text", op.Evidence.Op, "", `{"items":[{"kind":"a","value":"x","note":5}]}`,
			"items[0].note: must be a string, not the number 5", ""},
		{"a list for an object", op.Evidence.Op, "", `{"items":[[]]}`, "items[0]: must be an object, not a list", ""},
		{"an object for a list", op.Evidence.Op, "", `{"items":{}}`, "items: must be a list, not an object", ""},
		{"text for a number", op.Claim.Op, "", `{"leaseMs":"1h"}`, `leaseMs: must be a whole number, not the string "1h"`, ""},
		{"fraction", op.Claim.Op, "", `{"leaseMs":1.5}`, "leaseMs: must be a whole number, not the number 1.5", ""},
		{"number past all bounds", op.Claim.Op, "", `{"leaseMs":1e400}`, "leaseMs: must be a whole number", ""},
		{"text for a bool", op.Move.Op, "", `{"to":"done","force":"yes"}`, "force: must be true or false", ""},
		{"a list as the body", op.Note.Op, "", `[]`, "must be an object, not a list", ""},
		{"null as the body", op.Note.Op, "", ` null`, "must be an object, not null", ""},
		{"no JSON", op.Note.Op, "", `text=x`, "line 1, column", ""},
		{"blanks alone", op.Note.Op, "", "  ", "the text ends in the middle", ""},
		{"cut off", op.Note.Op, "", "{\n\"text\":", "line 2, column 8: the text ends in the middle", ""},
		{"text after the document", op.Note.Op, "", `{"text":"x"} {}`, `there is text after the document: "{}"`, ""},
		{"invalid UTF-8", op.Note.Op, "", "{\"text\":\"\xff\"}", "UTF-8", ""},
		{"half a surrogate pair", op.Note.Op, "", `{"text":"\ud800"}`, "text: holds text that is not valid UTF-8", ""},
		{"U+0000", op.Note.Op, "", `{"text":"a\u0000b"}`, "text: holds U+0000", ""},
		{"U+0000 in depth", op.Evidence.Op, "", `{"items":[{"kind":"a","value":"\u0000"}]}`, "items[0].value: holds U+0000", ""},
		{"a name of odd characters", op.Note.Op, "", `{"a b\n":1}`, `["a b\n"]: unknown key`, ""},
		{"unknown parameter", op.List.Op, "limt=3", "", `unknown query parameter "limt"`, "did you mean limit?"},
		{"parameter in another case", op.List.Op, "Limit=3", "", `unknown query parameter "Limit"`, "did you mean limit?"},
		{"parameter of a route without any", op.Version.Op, "x=1", "", `unknown query parameter "x"`, "takes no query parameters"},
		{"repeated parameter", op.List.Op, "limit=3&limit=3", "", "query parameter limit is given 2 times", ""},
		{"no number", op.List.Op, "limit=ten", "", `query parameter limit must be a whole number, not "ten"`, ""},
		{"a fraction in the query", op.List.Op, "limit=1.5", "", "query parameter limit must be a whole number", ""},
		{"empty number", op.List.Op, "limit=", "", "query parameter limit must be a whole number", ""},
		{"signed number", op.List.Op, "limit=%2B5", "", "query parameter limit must be a whole number", ""},
		{"no bool", op.List.Op, "ready=yes", "", `query parameter ready must be true or false, not "yes"`, ""},
		{"actor in a task", op.Create.Op, "", `{"project":"demo","title":"A","actor":"x"}`, "actor: unknown key", ""},
		{"actor in a part of a body", op.Evidence.Op, "", `{"items":[{"kind":"k","value":"v","actor":"x"}]}`, "actor: unknown key", ""},
		{"something else beside actor", op.Note.Op, "actor=x&by=y", `{"text":"x"}`, `unknown query parameter "by"`, ""},
		{"malformed escape", op.List.Op, "q=%zz", "", "the query is malformed", ""},
		{"semicolons", op.List.Op, "q=a;b=c", "", "the query is malformed", ""},
		{"invalid UTF-8 in the query", op.List.Op, "q=%ff", "", "query parameter q is not valid UTF-8", ""},
		{"U+0000 in the query", op.List.Op, "q=a%00", "", "query parameter q holds U+0000", ""},
		{"required parameter missing", op.Peek.Op, "", "", "query parameter project is required", ""},
		{"required parameter blank", op.Peek.Op, "project=+", "", "query parameter project is required", ""},
		{"query on a write", op.Note.Op, "x=1", `{"text":"x"}`, `unknown query parameter "x"`, ""},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			in, err := c.op.Decode(none, c.query, []byte(c.body))
			if !fault.Is(err, fault.Invalid) {
				t.Fatalf("got %+v, %v; want it refused as invalid", in, err)
			}
			e := fault.Of(err)
			if !strings.Contains(e.Message, c.message) || !strings.Contains(e.Message+e.Hint, c.also) {
				t.Errorf("message %q, hint %q; want %q and %q in them", e.Message, e.Hint, c.message, c.also)
			}
			if e.Hint == "" {
				t.Error("the refusal has no hint")
			}
		})
	}
}

func TestAFaultBelowActorKeepsItsLine(t *testing.T) {
	_, err := op.Note.Op.Decode(none, "", []byte("{\n\"actor\":\n\"x\",\n\"txet\": 1}"))
	if missing := fault.Of(err).Missing; len(missing) == 0 || !strings.Contains(missing[0], "txet") || !strings.Contains(missing[0], "(line 4)") {
		t.Errorf("missing %q", missing)
	}
}

func TestActorIsIgnoredWhereNoneIsListed(t *testing.T) {
	note := work.NoteIn{Task: "demo-1", Text: "x"}
	for _, c := range []struct {
		name        string
		op          *op.Op
		query, body string
		want        any
		ignored     string // the beginning of what is said
	}{
		{"alone", op.Claim.Op, "", `{"actor":"mallory"}`, work.ClaimIn{Task: "demo-1"}, "the member actor of the body is ignored: "},
		{"first", op.Note.Op, "", `{"actor":"mallory","text":"x"}`, note, "the member actor"},
		{"last", op.Note.Op, "", "{\"text\":\"x\" ,\n \"actor\" : {\"a\":[1]}\n}", note, "the member actor"},
		{"twice", op.Note.Op, "", `{"actor":1,"actor":2,"text":"x"}`, note, "the member actor"},
		{"around", op.Note.Op, "", `{"actor":1,"text":"x","actor":2}`, note, "the member actor"},
		{"as a text", op.Note.Op, "", `{"text":"\"actor\":"}`, work.NoteIn{Task: "demo-1", Text: `"actor":`}, ""},
		{"in an edit", op.Edit.Op, "", `{"actor":"mallory"}`, nil, "the member actor"},
		{"in the query", op.Note.Op, "actor=mallory", `{"text":"x"}`, note, "query parameter actor is ignored: "},
		{"twice in the query", op.Ready.Op, "actor=a&actor=b", "", nil, "query parameter actor"},
		{"in the query of a plan", op.Apply.Op, "actor=mallory", `{"project":"demo","tasks":[{"key":"a","title":"A"}]}`, nil, "query parameter actor"},
		{"where it is listed", op.Inbox.Op, "actor=bob", "", nil, ""},
	} {
		got, err := c.op.Read(none, c.query, []byte(c.body))
		if err != nil || c.want != nil && cmp.Diff(c.want, got.In) != "" {
			t.Errorf("%s: %+v, %v", c.name, got.In, err)
		}
		if !strings.HasPrefix(got.Ignored, c.ignored) || (c.ignored == "") != (got.Ignored == "") {
			t.Errorf("%s: %q", c.name, got.Ignored)
		}
	}
	if in, err := op.Inbox.Op.Decode(none, "actor=bob", nil); err != nil || in.(inbox.InboxIn).Actor != "bob" {
		t.Errorf("a listed actor is %+v, %v", in, err)
	}
}

func TestWhatMeansTrueOrFalse(t *testing.T) {
	for text, want := range map[string]bool{"all=true": true, "all=1": true, "all": true, "all=": true, "all=false": false, "all=0": false} {
		if in, err := op.Inbox.Op.Decode(none, text, nil); err != nil || in.(inbox.InboxIn).All != want {
			t.Errorf("%s: %+v, %v", text, in, err)
		}
	}
	for args, want := range map[string]bool{`{"slug":"demo","all":true}`: true, `{"slug":"demo","all":1}`: true, `{"slug":"demo","all":0}`: false} {
		if in, err := op.Inbox.Op.DecodeArgs([]byte(args)); err != nil || in.(inbox.InboxIn).All != want {
			t.Errorf("%s: %+v, %v", args, in, err)
		}
	}
}

func TestWhatIsOddButRightIsTaken(t *testing.T) {
	cases := []struct {
		name        string
		op          *op.Op
		query, body string
		want        any
	}{
		{"an empty body is {}", op.Claim.Op, "", "", work.ClaimIn{Task: "demo-1"}},
		{"blanks around", op.Note.Op, "", " \n{ \"text\" : \"x\" }\n", work.NoteIn{Task: "demo-1", Text: "x"}},
		{"an escaped backslash before u0000", op.Note.Op, "", `{"text":"\\u0000"}`, work.NoteIn{Task: "demo-1", Text: `\u0000`}},
		{"a whole number written long", op.Claim.Op, "", `{"leaseMs":1.8e6,"fence":2.0}`,
			work.ClaimIn{Task: "demo-1", LeaseMs: new(int64(1800000)), Fence: new(int64(2))}},
		{"null for an optional value", op.Claim.Op, "", `{"leaseMs":null}`, work.ClaimIn{Task: "demo-1"}},
		{"the body of a read is not looked at", op.Show.Op, "budget=5", "nonsense", reading.ShowIn{Task: "demo-1", Budget: new(5)}},
		{"a number past the range is its end", op.List.Op, "limit=99999999999999999999", "", reading.ListIn{Limit: new(1<<63 - 1)}},
		{"any text is a text", op.List.Op, "q=%F0%9F%98%80+%26", "", reading.ListIn{Q: "😀 &"}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			got, err := c.op.Decode(none, c.query, []byte(c.body))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestDryRunCreatesNothingAndSaysSo(t *testing.T) {
	if got := op.Apply.Op.SuccessOf(planning.ApplyIn{DryRun: true}); got != 200 {
		t.Errorf("a preview answers %d", got)
	}
	if got := op.Apply.Op.SuccessOf(planning.ApplyIn{}); got != 201 {
		t.Errorf("an apply answers %d", got)
	}
}

func TestDotsStaySegments(t *testing.T) {
	for _, id := range []string{".", ".."} {
		req, err := op.Show.Op.Encode(reading.ShowIn{Task: id})
		if err != nil || strings.Contains(req.Path, "/.") {
			t.Errorf("%q travels as %q, %v", id, req.Path, err)
		}
	}
}

func TestAnInputThatCannotBeSentIsRefusedBefore(t *testing.T) {
	for name, in := range map[string]struct {
		op *op.Op
		in any
	}{
		"empty id":              {op.Show.Op, reading.ShowIn{}},
		"U+0000 in an id":       {op.Show.Op, reading.ShowIn{Task: "a\x00"}},
		"invalid UTF-8 in text": {op.Note.Op, work.NoteIn{Task: "a", Text: "\xff"}},
	} {
		if _, err := in.op.Encode(in.in); !fault.Is(err, fault.Invalid) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestAFailureReadsBackAsTheFaultItWas(t *testing.T) {
	for _, kind := range fault.Kinds {
		want := fault.New(kind, "no").WithMissing("a", "b").WithHint("try")
		got := wire.Parted{Failure: wire.FailureOf(want, fault.Call.String)}.Fault()
		if diff := cmp.Diff(want, got, cmpopts.IgnoreUnexported(fault.Error{})); diff != "" {
			t.Errorf("kind %d (-want +got):\n%s", kind, diff)
		}
	}
}

func FuzzDecode(f *testing.F) {
	for i, o := range op.Table {
		if o.Method == "" {
			continue
		}
		req, err := o.Encode(optest.In(o))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(i, "demo-1", req.Query, req.Body)
		f.Add(i, "0", req.Query, req.Body)
	}
	f.Add(8, "x", "limit=1&limit=2", []byte(`{"text":"\u0000"}`))
	f.Fuzz(func(t *testing.T, i int, id, query string, body []byte) {
		o := op.Table[uint(i)%uint(len(op.Table))]
		in, err := o.Decode(func(string) string { return id }, query, body)
		if err != nil {
			e := fault.Of(err)
			if e.Kind != fault.Invalid || e.Message == "" {
				t.Fatalf("%s refused as %s: %q", o.Name, e.Kind.Code(), e.Message)
			}
			return
		}
		if reflect.TypeOf(in) != o.In {
			t.Fatalf("%s was decoded into %T", o.Name, in)
		}
		if o.Method != "" && id != "" {
			if _, err := o.Encode(in); err != nil {
				t.Fatalf("%s was decoded and cannot be encoded: %v", o.Name, err)
			}
		}
	})
}
