package field_test

import (
	"strings"
	"testing"
	"testing/fstest"

	"tasker/internal/task/field"
)

func parse(t *testing.T, src string) (*field.Package, error) {
	t.Helper()
	return field.ReadPackage(fstest.MapFS{"p/p.go": {Data: []byte("package p\n\n" + src)}}, "p")
}

func TestTagsAreReadAsDeclared(t *testing.T) {
	p, err := parse(t, "type Opt string\ntype T struct {\n"+
		"\tDue Opt `json:\"due\" db:\"due,set=definition,moment=due_at\" plan:\"settable,apart,as=[]string\" label:\"due by\"`\n"+
		"\tHidden int `json:\"-\"`\n}\n")
	if err != nil {
		t.Fatal(err)
	}
	due, hidden := p.Structs["T"].Fields[0], p.Structs["T"].Fields[1]
	if due.JSON != "due" || due.Column != "due" || due.Value("set") != "definition" || due.Value("moment") != "due_at" || due.Label != "due by" ||
		!due.Settable || !due.Apart || due.As != "[]string" || p.Basic["Opt"] != "string" {
		t.Errorf("%+v", due)
	}
	if hidden.JSON != "" || hidden.Stored {
		t.Errorf("%+v", hidden)
	}
}

func TestMistakesInTagsAreRefused(t *testing.T) {
	for _, src := range []string{
		"type T struct {\n\tA, B int `json:\"a\"`\n}\n",
		"type T struct {\n\tA int `plan:\"setable\"`\n}\n",
		"type T struct {",
	} {
		if _, err := parse(t, src); err == nil {
			t.Errorf("%s passed", src)
		}
	}
}

func TestMarkedTypesAreWrittenByTheirKind(t *testing.T) {
	p, err := parse(t, `type Name string

//field:json
type Part struct {
	N int `+"`json:\"n\"`"+`
}

// Whole has parts.
//
//field:json marshal
type Whole struct {
	Name  Name     `+"`json:\"name\"`"+`
	Parts []Part   `+"`json:\"parts\"`"+`
	One   *Part    `+"`json:\"one\"`"+`
	Other []string `+"`json:\"other\"`"+`
	Any   map[string]int `+"`json:\"any\"`"+`
	Own   int      `+"`json:\"-\"`"+`
}
`)
	if err != nil {
		t.Fatal(err)
	}
	src, err := field.JSON(p, map[string]*field.Package{"p": p})
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		`func (r *Whole) MarshalJSONTo(`, `o.Text("name", string(r.Name))`, `strict.WriteRecords(o, "parts", r.Parts, func(e *Part) strict.Record { return e })`,
		`o.Record("one", r.One)`, `strict.WriteTexts(o, "other", r.Other)`, `o.Value("any", r.Any)`, `o.Int("n", int64(r.N))`,
	} {
		if !strings.Contains(string(src), want) {
			t.Errorf("%s is not in\n%s", want, src)
		}
	}
	if strings.Contains(string(src), "Own") || strings.Contains(string(src), "(r *Part) MarshalJSONTo") {
		t.Errorf("more than was asked for in\n%s", src)
	}
}

func TestAMemberThatMayBeLeftOutIsRefused(t *testing.T) {
	p, err := parse(t, "//field:json\ntype T struct {\n\tA int `json:\"a,omitzero\"`\n}\n")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := field.JSON(p, nil); err == nil {
		t.Error("it passed")
	}
}

func TestWithoutItsRecordsNothingIsWritten(t *testing.T) {
	p, err := parse(t, "type T struct{}\n")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := field.Rows(p); err == nil || !strings.Contains(err.Error(), "no type Task") {
		t.Errorf("%v", err)
	}
}
