package plan

import (
	"testing"

	"tasker/internal/fault"
)

// sound fails on an error that is not a refusal of the input, or that says nothing.
func sound(t *testing.T, err error) {
	t.Helper()
	if err == nil {
		return
	}
	e := fault.Of(err)
	if e.Kind != fault.Invalid || e.Message == "" || e.Hint == "" || len(e.Missing) == 0 {
		t.Fatalf("%+v", e)
	}
}

func seed(f *testing.F) {
	f.Add(Example())
	for _, c := range faulty {
		if len(c.src) < 1000 {
			f.Add([]byte(c.src))
		}
	}
}

func FuzzDecode(f *testing.F) {
	seed(f)
	f.Fuzz(func(t *testing.T, src []byte) {
		doc, err := Decode(src)
		sound(t, err)
		if err != nil {
			return
		}
		again, err := doc.Marshal()
		if err != nil {
			t.Fatal(err)
		}
		if _, err := Decode(again); err != nil {
			t.Fatalf("%s: %v", again, err)
		}
		_, err = Compare(doc, State{Now: 1}, ada)
		sound(t, err)
	})
}

func FuzzDecodeYAML(f *testing.F) {
	seed(f)
	f.Add([]byte("project: demo\ntasks:\n- &a\n  key: a\n  title: |\n    A\n- <<: *a\n  key: !!str 2\n"))
	f.Fuzz(func(t *testing.T, src []byte) {
		_, err := decodeYAML(src)
		sound(t, err)
	})
}

func FuzzDecodeTask(f *testing.F) {
	f.Add([]byte(`{"project":"demo","key":"a","title":"A","criteria":["x"],"links":[{"kind":"doc","ref":"x"}]}`))
	f.Add([]byte(`{"title":7}`))
	f.Fuzz(func(t *testing.T, src []byte) {
		_, def, err := DecodeTask(src)
		sound(t, err)
		if err == nil {
			sound(t, def.Check())
		}
	})
}

func FuzzDecodeEdit(f *testing.F) {
	f.Add([]byte(`{"title":"A","addDeps":["a"],"removeCriteria":["x"],"expectedVersion":3,"fence":1}`))
	f.Add([]byte(`{"status":"done"}`))
	f.Fuzz(func(t *testing.T, src []byte) {
		e, err := DecodeEdit(src)
		sound(t, err)
		if err == nil {
			sound(t, e.Check())
		}
	})
}
