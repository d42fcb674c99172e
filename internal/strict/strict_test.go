package strict_test

import (
	"strings"
	"testing"

	"tasker/internal/fault"
	"tasker/internal/strict"
)

type point struct {
	Name  string
	X     int
	Notes []string
	Tags  map[string]string
	Size  *int64
}

func shape() *strict.Object[point] {
	name := strict.Text[string]{Min: 1, Max: 5, Line: true}
	return &strict.Object[point]{
		Props: []strict.Prop[point]{
			strict.Required("name", "what it is called", name, func(p *point) *string { return &p.Name }),
			strict.Optional("x", "", strict.Clearable[int]{Rule: strict.Whole[int]{Min: -9, Max: 9}, Cleared: 7}, func(p *point) *int { return &p.X }),
			strict.Optional("notes", "", strict.List[string]{Item: strict.Text[string]{Max: 3}, Max: 2}, func(p *point) *[]string { return &p.Notes }),
			strict.Optional("tags", "", strict.Table[string]{Name: name, Value: strict.Enum[string]{Words: []string{"red", "blue"}}, Max: 2},
				func(p *point) *map[string]string { return &p.Tags }),
			strict.Optional("size", "", strict.Maybe[int64]{Rule: strict.Whole[int64]{Max: 3}}, func(p *point) **int64 { return &p.Size }),
		},
		Refused: map[string]string{"y": "is no name of a point on a line"},
	}
}

func TestDecode(t *testing.T) {
	v, whole, err := strict.Decode([]byte(` {"x": 3.0, "name": "a\u0062", "notes": ["u", ""], "tags": {"é": "red"}, "size": null} `), "the point", shape(), nil)
	if err != nil || !whole || v.Name != "ab" || v.X != 3 || len(v.Notes) != 2 || v.Tags["é"] != "red" || v.Size != nil {
		t.Fatalf("%+v %v %v", v, whole, err)
	}
	if v, _, err := strict.Decode([]byte(`{"x": null, "name": "a", "size": 2}`), "the point", shape(), nil); err != nil || v.X != 7 || *v.Size != 2 {
		t.Fatalf("%+v %v", v, err)
	}
}

func TestEveryFaultIsToldWithItsPathAndLine(t *testing.T) {
	_, whole, err := strict.Decode([]byte(`{
	"nmae": "a", "x": 10, "x": 1.5,
	"notes": ["long", 3, "c"], "y": 0,
	"tags": {"a b": "ret", "a\nb": "red", "é.": 1}, "size": {}
} more`), "the point", shape(), nil)
	want := []string{
		"nmae: unknown key; allowed: name, x, notes, tags, size; did you mean name? (line 2)",
		"x: must be a whole number from -9 to 9, not the number 10 (line 2)",
		"x: is given twice (line 2)",
		"x: must be a whole number from -9 to 9, not the number 1.5 (line 2)",
		"notes[0]: must have at most 3 characters, and has 4 (line 3)",
		"notes[1]: must be a string, not the number 3 (line 3)",
		"notes: must have at most 2 items (line 3)",
		"y: is no name of a point on a line (line 3)",
		`tags["a b"]: must be one of red, blue, not the string "ret"; did you mean red? (line 4)`,
		`tags["a\nb"]: holds a control character, which no name may hold (line 4)`,
		`tags["é."]: must be one of red, blue, not the number 1 (line 4)`,
		"tags: must have at most 2 names (line 4)",
		"size: must be a whole number from 0 to 3, not an object (line 4)",
		"name: is required (line 1)",
		`there is text after the document: "more" (line 5)`,
	}
	e := fault.Of(err)
	if !whole || e == nil || strings.Join(e.Missing, "\n") != strings.Join(want, "\n") {
		t.Errorf("whole is %v, and the faults are\n%s\nwant\n%s", whole, strings.Join(e.Missing, "\n"), strings.Join(want, "\n"))
	}
	if e.Kind != fault.Invalid || e.Message != "the point is not valid: 15 faults" {
		t.Errorf("%s", e.Message)
	}
}

func TestInvalidJSONIsRefusedWithItsPlace(t *testing.T) {
	for src, want := range map[string]string{
		`{"name": "a",}`:       "line 1, column 13: there is a comma after the last item",
		"{\n\"name\": \"a\"":   "line 2, column 12: the text ends in the middle",
		`{"name": 'a'}`:        "line 1, column 10: ",
		"\ufeff{\"nmae\":1 2}": "line 1, column 11: ",
	} {
		_, whole, err := strict.Decode([]byte(src), "the point", shape(), nil)
		if e := fault.Of(err); whole || e == nil || !strings.HasPrefix(e.Message, "the point is not valid JSON: "+want) {
			t.Errorf("%s: %v", src, err)
		}
	}
}

func TestCheckFindsInGoValuesWhatDecodeFindsInText(t *testing.T) {
	size := int64(4)
	var n strict.Notes
	shape().Check(&n, point{X: 10, Notes: []string{"a", "b\x00", "\xff"}, Tags: map[string]string{"": "green"}, Size: &size})
	want := []string{
		"name: must not be empty",
		"x: must be a whole number from -9 to 9, not the number 10",
		"notes: must have at most 2 items, and has 3",
		"notes[1]: holds U+0000, which no text may hold",
	}
	e := fault.Of(n.Refuse("the point"))
	if e == nil || n.Count() != len(e.Missing) || !strings.HasPrefix(strings.Join(e.Missing, "\n"), strings.Join(want, "\n")) {
		t.Errorf("%v", e.Missing)
	}
}

func TestRender(t *testing.T) {
	got := string(strict.Render("point", strict.Titled("A point", shape().Schema())))
	for _, want := range []string{
		`"$id": "urn:tasker:schema:point",`,
		`"title": "A point",`, `"description": "what it is called",`, `"required": [`, `"additionalProperties": false`, `"null"`, `"maxItems": 2`,
	} {
		if !strings.Contains(got, want) {
			t.Errorf("no %s in\n%s", want, got)
		}
	}
}
