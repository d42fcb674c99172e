package strict_test

import (
	"fmt"
	"strings"
	"testing"

	"tasker/internal/strict"
)

func tuning() *strict.NodeObject {
	x := &strict.NodeObject{}
	x.Props = []strict.Prop[strict.Node]{
		strict.NodeProp("name", "", true, strict.Placed(strict.Text[string]{Min: 1, Called: "a name"})),
		strict.NodeProp("level", "", false, strict.Placed(strict.Whole[int]{Max: 9})),
		strict.NodeProp("ends", "", false, strict.NodeList{Item: strict.Placed(strict.Whole[int]{Max: 9}), Len: 2, Called: "two ends"}),
		strict.NodeProp("by", "", false, strict.NodeTable{Name: strict.Text[string]{Min: 1}, Value: strict.Placed(strict.Flag{})}),
	}
	x.Meant = func(path, name string) string { return path + "/" + name }
	return x
}

func TestNodesKnowWhereTheyStand(t *testing.T) {
	src := "{ \"name\" : \"\\u0061b\",\n \"by\": {\"x\": true}, \"ends\": [1, 2.0] }"
	n, faults, whole := strict.ReadNode(&strict.Source{Text: []byte(src)}, "", tuning())
	if !whole || len(faults) > 0 || n.Kind != '{' || n.At != 0 || int(n.End) != len(src) {
		t.Fatalf("%+v %v", n, faults)
	}
	name, by := n.Members[0], n.Get("by")
	if name.At != 2 || name.Node.Text != "ab" || src[name.Node.At:name.Node.End] != `"\u0061b"` {
		t.Errorf("%+v %+v", name, name.Node)
	}
	if src[by.At:by.End] != `{"x": true}` || by.Members[0].Node.Text != "true" || n.Get("ends").Items[1].Text != "2.0" {
		t.Errorf("%+v", by)
	}
}

func TestTheFaultsOfNodesHaveTheirPlacesAndWords(t *testing.T) {
	src := `{"level": 10, "name": "", "level": 1, "ends": [1], "by": {"": 1}, "nmae": [] } x`
	_, faults, whole := strict.ReadNode(&strict.Source{Text: []byte(src)}, "top", tuning())
	var got []string
	for _, f := range faults {
		got = append(got, fmt.Sprintf("%d %s", f.At, f))
	}
	want := []string{
		"10 top.level: must be a whole number from 0 to 9, not the number 10",
		"22 top.name: must be a name, not the empty string",
		"26 top.level: is given twice",
		"46 top.ends: must be two ends, not a list of 1",
		`58 top.by[""]: must not be empty`,
		`62 top.by[""]: must be true or false, not the number 1`,
		"66 top.nmae: unknown key; allowed: name, level, ends, by; did you mean top/nmae?",
		`79 top: there is text after the document: "x"`,
	}
	if !whole || strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("%v:\n%s\nwant\n%s", whole, strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	n, faults, whole := strict.ReadNode(&strict.Source{Text: []byte(`{"a": 1, // no`)}, "", strict.Anything{})
	if whole || len(faults) != 1 || faults[0].At != 9 || faults[0].Message != "not valid JSON: JSON has no comments" {
		t.Errorf("%+v %v", n, faults)
	}
}
