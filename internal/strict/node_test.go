package strict_test

import (
	"testing"

	"tasker/internal/strict"
)

func read(t *testing.T, text string) *strict.Node {
	t.Helper()
	n, faults, whole := strict.ReadNode(&strict.Source{File: "f.json", Text: []byte(text)}, "", strict.Anything{})
	if !whole || len(faults) > 0 {
		t.Fatalf("%s: %v", text, faults)
	}
	return n
}

func TestAValueKnowsItsPlace(t *testing.T) {
	n := read(t, "{\n  \"é\": [1, {\"a b\": 1.2e1}]\n}")
	path, err := strict.ParsePath(`é[1]["a b"]`)
	if err != nil {
		t.Fatal(err)
	}
	m := n.FindMember(path)
	if m == nil || m.Name != "a b" {
		t.Fatalf("%+v", m)
	}
	line, column := n.Src.Place(m.At)
	if line != 2 || column != 13 {
		t.Errorf("the position is %d:%d", line, column)
	}
	if v, ok := m.Node.Whole(); !ok || v != 12 {
		t.Errorf("the value is %d, %v", v, ok)
	}
	if got := strict.Join(strict.At(strict.Join("", "é"), 1), "a b"); got != `é[1]["a b"]` {
		t.Errorf("the path is written %s", got)
	}
}

func TestMergeTakesObjectsKeyByKeyAndTheRestWhole(t *testing.T) {
	low, high := read(t, `{"a": {"x": 1, "y": 2}, "b": [1, 2], "c": 3}`), read(t, `{"a": {"y": 4, "z": 5}, "b": [], "d": null}`)
	if got := string(strict.Merge(low, high).Value()); got != `{"a":{"x":1,"y":4,"z":5},"b":[],"c":3,"d":null}` {
		t.Error(got)
	}
	if got := string(low.Value()); got != `{"a":{"x":1,"y":2},"b":[1,2],"c":3}` {
		t.Errorf("the lower tree was changed: %s", got)
	}
}

func TestPutAndRemoveGoThroughObjects(t *testing.T) {
	path, _ := strict.ParsePath("a.b.c")
	n := read(t, `{"x": 1}`).Put(path, read(t, `[2]`))
	if got := string(n.Value()); got != `{"x":1,"a":{"b":{"c":[2]}}}` {
		t.Error(got)
	}
	if got := string(n.Remove(path).Value()); got != `{"x":1}` {
		t.Errorf("empty objects are left over: %s", got)
	}
}
