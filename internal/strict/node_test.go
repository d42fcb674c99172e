package strict_test

import (
	"strings"
	"testing"
	"unicode/utf8"

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

func TestAPlaceIsTheSameWhereverCountingBegins(t *testing.T) {
	text := []byte(strings.Repeat("é", 3000) + "\n" + strings.Repeat("a\nbé", 4000) + "\n" + strings.Repeat("日本", 5000))
	src := &strict.Source{Text: text}
	for at := int64(-1); at <= int64(len(text))+1; at += 701 {
		line, column := src.Place(at)
		if wantLine, want := strict.Place(text, at); utf8.Valid(text[:max(0, min(at, int64(len(text))))]) && (line != wantLine || column != want) {
			t.Fatalf("offset %d is at %d:%d, want %d:%d", at, line, column, wantLine, want)
		}
	}
}

func TestManyFaultsAreCountedAndTheFirstAreListed(t *testing.T) {
	text := []byte("{" + strings.Repeat(`"x":1,`, 60_000) + `"a":1}`)
	_, faults, whole := strict.ReadNode(&strict.Source{Text: text}, "", &strict.NodeObject{Object: strict.Object[strict.Node]{
		Props: []strict.Prop[strict.Node]{strict.NodeProp("a", "", false, strict.Anything{})},
	}})
	if !whole || len(faults) != strict.MaxListed+1 {
		t.Fatalf("%d faults are listed, whole %v", len(faults), whole)
	}
	if last := faults[strict.MaxListed]; last.More != 60_000-strict.MaxListed || last.Message != "and 59900 more from here on" || last.At != 1+6*strict.MaxListed {
		t.Errorf("the last fault is %+v", last)
	}
}
