package term

import (
	"bytes"
	"testing"
)

func TestJSONOnATerminalIsIndented(t *testing.T) {
	for doc, want := range map[string]string{
		`{"a":1,"b":[],"c":{},"d":[1,"x",{"e":null}]}`: "{\n  \"a\": 1,\n  \"b\": [],\n  \"c\": {},\n" +
			"  \"d\": [\n    1,\n    \"x\",\n    {\n      \"e\": null\n    }\n  ]\n}\n",
		`[ [1] ,[ ] ]`:       "[\n  [\n    1\n  ],\n  []\n]\n",
		`"a, b: c"`:          "\"a, b: c\"\n",
		`3`:                  "3\n",
		"# yaml\na: 1":       "# yaml\na: 1\n",
		`{"a":1`:             "{\"a\":1\n",
		`{"a":1}{"b":2}`:     "{\n  \"a\": 1\n}{\n  \"b\": 2\n}\n",
		`{"a":1,"a":2}`:      "{\n  \"a\": 1,\n  \"a\": 2\n}\n",
		"[{\"a\":\"\x7f\"}]": "[\n  {\n    \"a\": \"\\u007f\"\n  }\n]\n",
	} {
		var b bytes.Buffer
		(&Terminal{w: &b, tty: true}).Document([]byte(doc))
		if b.String() != want {
			t.Errorf("%s\n got %q\nwant %q", doc, b.String(), want)
		}
	}
	var b bytes.Buffer
	(&Terminal{w: &b, tty: true, Color: true}).Document([]byte(`{"a":"x","b":true}`))
	if want := "{\n  \x1b[34m\"a\"\x1b[0m: \x1b[32m\"x\"\x1b[0m,\n  \x1b[34m\"b\"\x1b[0m: \x1b[33mtrue\x1b[0m\n}\n"; b.String() != want {
		t.Errorf("got %q, want %q", b.String(), want)
	}
}
