package strict_test

import (
	"reflect"
	"strings"
	"testing"

	"tasker/internal/fault"
	"tasker/internal/strict"
)

type inner struct {
	Kind  string   `json:"kind"`
	Depth int      `json:"depth,omitzero"`
	Of    mood     `json:"of,omitzero"`
	Tags  []string `json:"tags,omitzero"`
}

type mood string

func (mood) Form() strict.Form {
	return strict.FormOf(strict.Enum[mood]{Words: []string{"glad", "sad"}})
}

type outer struct {
	Text   string         `json:"text" about:"what is said"`
	Count  *int64         `json:"count,omitzero"`
	On     bool           `json:"on,omitzero"`
	Parts  []inner        `json:"parts,omitzero"`
	One    *inner         `json:"one"`
	By     map[string]int `json:"-"`
	Hidden string         `json:"-"`
}

func TestAFormIsDerivedFromAType(t *testing.T) {
	var got outer
	v := reflect.ValueOf(&got).Elem()
	src := `{"text":"a\u0062","count":3.0,"on":true,"parts":[{"kind":"x","of":"sad","tags":["u"]}],"one":{"kind":"y","depth":-2}}`
	if err := strict.DecodeInto([]byte(src), "it", strict.Types{}.Object(v.Type()), &v); err != nil {
		t.Fatal(err)
	}
	three := int64(3)
	want := outer{Text: "ab", Count: &three, On: true, Parts: []inner{{Kind: "x", Of: "sad", Tags: []string{"u"}}}, One: &inner{Kind: "y", Depth: -2}}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%+v, want %+v", got, want)
	}
	got = outer{}
	if err := strict.DecodeInto([]byte(`{"text":null,"count":null,"parts":null,"one":null}`), "it", strict.Types{}.Object(v.Type()), &v); err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(got, outer{}) {
		t.Errorf("null is not read like a missing value: %+v", got)
	}
}

func TestADerivedFormTellsEveryFault(t *testing.T) {
	var got outer
	v := reflect.ValueOf(&got).Elem()
	err := strict.DecodeInto([]byte(`{"txet":1,"count":1e400,"on":"yes","parts":[{"kind":5,"of":"bad","tags":[null]},[]],"Hidden":"x"}`),
		"it", strict.Types{}.Object(v.Type()), &v)
	want := []string{
		"txet: unknown key; allowed: text, count, on, parts, one; did you mean text?",
		"count: must be a whole number, not the number 1e400",
		`on: must be true or false, not the string "yes"`,
		"parts[0].kind: must be a string, not the number 5",
		`parts[0].of: must be one of glad, sad, not the string "bad"; did you mean sad?`,
		"parts[0].tags[0]: must be a string, not null",
		"parts[1]: must be an object, not a list",
		"Hidden: unknown key; allowed: text, count, on, parts, one",
	}
	if e := fault.Of(err); e == nil || strings.Join(e.Missing, "\n") != strings.Join(want, "\n") {
		t.Errorf("%v", strings.Join(e.Missing, "\n"))
	}
}

func TestTheSchemaOfADerivedForm(t *testing.T) {
	closed := string(strict.Render("outer", strict.Types{}.Object(reflect.TypeFor[outer]()).Schema()))
	open := string(strict.Render("outer", strict.Types{
		Open: true, Ref: func(t reflect.Type) string { return "#/" + t.Name() },
	}.Object(reflect.TypeFor[outer]()).Schema()))
	flat := func(s string) string { return strings.Join(strings.Fields(s), "") }
	for _, want := range []string{
		`"text":{"description":"whatissaid","type":"string"}`, `"count":{"type":["integer","null"]}`, `"required":["text","one"]`,
		`"of":{"type":"string","enum":["glad","sad"]}`, `"additionalProperties":false`,
	} {
		if !strings.Contains(flat(closed), want) {
			t.Errorf("no %s in\n%s", want, closed)
		}
	}
	for _, want := range []string{`"parts":{"type":"array","items":{"$ref":"#/inner"}}`, `"one":{"anyOf":[{"$ref":"#/inner"},{"type":"null"}]}`} {
		if !strings.Contains(flat(open), want) {
			t.Errorf("no %s in\n%s", want, open)
		}
	}
	if strings.Contains(open, "additionalProperties") {
		t.Errorf("an answer's schema forbids further members:\n%s", open)
	}
}
