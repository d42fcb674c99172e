package shape_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"tasker/internal/cli/shape"
	"tasker/internal/fault"
)

const answer = `{"total":2,"big":9007199254740993,"tasks":[
	{"id":"demo-1","title":"One \u001b[31mred","priority":1,"deps":[],"at":"2026-01-02T03:04:05Z"},
	{"id":"demo-10","title":"Two","priority":0,"deps":["demo-1","demo-2"],"at":null}]}`

func formed(t *testing.T, s shape.Shape, err error) string {
	t.Helper()
	if err != nil {
		return "unread: " + fault.Of(err).Message
	}
	pieces, err := s.Form(context.Background(), []byte(answer), shape.Screen{Now: time.Date(2026, 1, 2, 5, 4, 5, 0, time.UTC), Width: 40})
	var out strings.Builder
	for _, p := range pieces {
		if p.Document != nil {
			out.WriteString(string(p.Document) + "\n")
		} else {
			out.WriteString(p.Text)
		}
	}
	if err != nil {
		out.WriteString("refused: " + fault.Of(err).Message)
	}
	return out.String()
}

func TestJQ(t *testing.T) {
	for expression, want := range map[string]string{
		`.total`:                      "2\n",
		`.big`:                        "9007199254740993\n",
		`.tasks[].id`:                 "demo-1\ndemo-10\n",
		`.tasks[1]|{id,deps}`:         `{"deps":["demo-1","demo-2"],"id":"demo-10"}` + "\n",
		`[.tasks[]|select(.at)|.id]`:  `["demo-1"]` + "\n",
		`empty`:                       "",
		`1, halt, 2`:                  "1\n",
		`$ENV, env`:                   "{}\n{}\n",
		`.tasks[`:                     "unread: --jq: the expression ends too early, in line 1, column 8",
		".\n| .é ]":                   `unread: --jq: unexpected token "é", in line 2, column 4`,
		`.tasks | foo(1)`:             "unread: --jq: function not defined: foo/1",
		`.total, .total.x`:            "2\nrefused: --jq: expected an object but got: number (2)",
		`input`:                       "unread: --jq: input(s)/0 is not allowed",
		`import "a" as a; .`:          `unread: --jq: cannot load module: "a"`,
		`last(range(1e4))|tostring`:   "9999\n",
		`.tasks[0].title|length`:      "12\n",
		`"\(.total) tasks", "\u001b"`: "2 tasks\n\x1b\n",
	} {
		s, err := shape.JQ(expression)
		if got := formed(t, s, err); got != want {
			t.Errorf("%s\n got %q\nwant %q", expression, got, want)
		}
	}
}

func TestAnExpressionWithoutAnEndIsStopped(t *testing.T) {
	s, err := shape.JQ(`last(repeat(1))`)
	if err != nil {
		t.Fatal(err)
	}
	over, cancel := context.WithCancel(context.Background())
	cancel() // as at the end of its time
	if _, err = s.Form(over, []byte(answer), shape.Screen{}); err == nil || fault.Of(err).Message != "--jq took longer than 30s, and was stopped: does it end?" {
		t.Errorf("got %v", err)
	}
}

func TestTemplate(t *testing.T) {
	for text, want := range map[string]string{
		`{{.total}} {{.big}}`:                                         "2 9007199254740993",
		`{{range .tasks}}{{.id}}:{{join "," .deps}};{{end}}`:          "demo-1:;demo-10:demo-1,demo-2;",
		`{{pluck "id" .tasks | join " "}}`:                            "demo-1 demo-10",
		`{{json (index .tasks 1).deps}}`:                              `["demo-1","demo-2"]`,
		`{{range .tasks}}{{timeago .at}};{{end}}`:                     "2h ago;;",
		`{{range .tasks}}{{timefmt "2006" .at}};{{end}}`:              "2026;;",
		`{{range .tasks}}{{truncate 2 .title}};{{end}}`:               "O…;T…;",
		`{{range .tasks}}{{tablerow .id .priority .title}}{{end}}`:    "demo-1   1  One \\x1b[31mred\ndemo-10  0  Two\n",
		`{{tablerow "a"}}{{tablerender}}-{{tablerow "b"}}`:            "a\n-b\n",
		`{{tablerow "a" "a text that is longer than the screen is"}}`: "a  a text that is longer than the scree…\n",
		`{{if gt .total 1}}several{{end}}{{.absent}}`:                 "several<no value>",
		"{{.total}}\n{{foo}}":                                         `unread: --template: in line 2: function "foo" not defined`,
		`{{range .tasks}}`:                                            "unread: --template: in line 1: unexpected EOF",
		`{{join "," .total}}`: "refused: --template: in line 1, column 3: <join \",\" .total>: error calling join: " +
			"join takes a list, and was given 2",
	} {
		s, err := shape.Template(text)
		if got := formed(t, s, err); got != want {
			t.Errorf("%s\n got %q\nwant %q", text, got, want)
		}
	}
}
