package plan

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"tasker/internal/fault"
	"tasker/internal/task"
)

func TestMarshalKeepsWhatIsGivenApartFromWhatIsLeftOut(t *testing.T) {
	doc := &Document{Project: "demo", Name: Give(task.Opt("")), Gates: Give(map[string][]string(nil))}
	d := TaskDef{Key: "a"}
	d.Title, d.Deps, d.Severity = Give("A"), Give([]string(nil)), Give(task.Severity(0))
	doc.Tasks = []TaskDef{d}
	got, err := doc.Marshal()
	want := `{"project":"demo","name":null,"gates":null,"tasks":[{"key":"a","title":"A","deps":[],"severity":null}]}`
	if err != nil || string(got) != want {
		t.Errorf("got  %s %v\nwant %s", got, err, want)
	}
	doc.Gates = Give(map[string][]string{})
	if got, _ = doc.Marshal(); string(got) != `{"project":"demo","name":null,"gates":{},"tasks":[{"key":"a","title":"A","deps":[],"severity":null}]}` {
		t.Errorf("got %s", got)
	}
}

func TestWhatIsMarshalledDecodesAsTheSame(t *testing.T) {
	same := cmp.Options{cmpopts.EquateEmpty(), cmp.AllowUnexported(Document{}), cmpopts.IgnoreFields(Document{}, "checked")}
	rapid.Check(t, func(t *rapid.T) {
		doc := drawDocument(t)
		if err := doc.Check(); err != nil {
			t.Fatalf("%v: %q", err, fault.Of(err).Missing)
		}
		src, err := doc.Marshal()
		if err != nil {
			t.Fatal(err)
		}
		got, err := Decode(src)
		if err != nil {
			t.Fatalf("%v: %q", err, fault.Of(err).Missing)
		}
		if diff := cmp.Diff(doc, got, same); diff != "" {
			t.Fatal(diff)
		}
		def := doc.Tasks[0]
		if src, err = def.Marshal(); err != nil {
			t.Fatal(err)
		}
		_, back, err := DecodeTask(src)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(&def, back, same); diff != "" {
			t.Fatal(diff)
		}
		version := rapid.Int64Range(0, maxSafe).Draw(t, "version")
		edit := &Edit{Fields: def.Fields, AddDeps: []string{"x"}, RemoveCriteria: []string{"y"}, ExpectedVersion: &version}
		if src, err = edit.Marshal(); err != nil {
			t.Fatal(err)
		}
		again, err := DecodeEdit(src)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(edit, again, same); diff != "" {
			t.Fatal(diff)
		}
	})
}

// A document built in Go is checked like a decoded one.
func TestCheckRefusesWhatDecodeRefuses(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		doc := drawDocument(t)
		spoil(t, doc)
		src, err := doc.Marshal()
		if err != nil {
			t.Fatalf("what is drawn cannot be written: %v", err)
		}
		checked, read := doc.Check(), second(Decode(src))
		if fault.Is(checked, fault.Invalid) != fault.Is(read, fault.Invalid) {
			t.Fatalf("%s\nchecked: %v\ndecoded: %v", src, checked, read)
		}
	})
}

// spoil puts one value, good or bad, somewhere.
func spoil(t *rapid.T, doc *Document) {
	d := &doc.Tasks[rapid.IntRange(0, len(doc.Tasks)-1).Draw(t, "at")]
	s := rapid.SampledFrom([]string{"", "x", "a\x00b", "two\nlines", "2026-02-30", "2026-02-28", "human_only", "done", "\u0085"}).Draw(t, "text")
	n := rapid.IntRange(-2, 6).Draw(t, "number")
	switch rapid.IntRange(0, 15).Draw(t, "place") {
	case 0:
		doc.Project = s
	case 1:
		doc.Name = Give(task.Opt(s))
	case 2:
		doc.Gates = Give(map[string][]string{s: {"ci"}})
	case 3:
		doc.Gates = Give(map[string][]string{"g": {s}})
	case 4:
		d.Key = s
	case 5:
		d.Title = Give(s)
	case 6:
		d.Title = Field[string]{}
	case 7:
		d.Priority = Give(n)
	case 8:
		d.Severity = Give(task.Severity(n))
	case 9:
		d.Due = Give(task.Opt(s))
	case 10:
		d.Autonomy = Give(task.Opt(s))
	case 11:
		d.Status = Give(task.Status(s))
	case 12:
		d.Links = Give([]task.Link{{Kind: s, Ref: "x"}, {Kind: "doc", Ref: s}})
	case 13:
		d.Evidence = Give([]task.EvidenceItem{{Kind: s, Value: s}})
	case 14:
		d.Criteria = Give([]string{"x", s})
	case 15:
		doc.Tasks = nil
	}
}
