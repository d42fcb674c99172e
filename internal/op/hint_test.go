package op_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"tasker/internal/fault"
	"tasker/internal/hint"
	"tasker/internal/op"
	"tasker/internal/testkit/optest"
)

// TestEveryHintHasASample checks that the samples are complete, since the other tests go over them.
func TestEveryHintHasASample(t *testing.T) {
	file, err := parser.ParseFile(token.NewFileSet(), "../hint/hint.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	samples := optest.Hints()
	for _, d := range file.Decls {
		if fn, ok := d.(*ast.FuncDecl); ok && fn.Name.IsExported() {
			if _, ok := samples[fn.Name.Name]; !ok {
				t.Errorf("optest.Hints has no sample of hint.%s", fn.Name.Name)
			}
		}
	}
}

var (
	request = regexp.MustCompile(`^(GET|POST) /v1(/[^? ]*)(?:\?(\S*))?(?: (\{.*\}))?$`)
	command = regexp.MustCompile("^the command `tasker [^`]+`$")
)

// TestARouteSaysWhatTheRouteTakes reads every call back as its route does, strictly.
func TestARouteSaysWhatTheRouteTakes(t *testing.T) {
	for name, c := range optest.Hints() {
		said, o := op.AsRoute(c), operation(c.Op)
		if c.Header != "" {
			if said != "the header "+c.Header {
				t.Errorf("%s is a header, and is written as %s", name, said)
			}
			continue
		}
		if c.Field != "" {
			if !strings.HasPrefix(said, c.Field+", in the query") {
				t.Errorf("%s is a field, and is written as %s", name, said)
			}
			continue
		}
		if o == nil || o.Method == "" || c.ByOther { // the server that refused the caller would refuse it again
			if !command.MatchString(said) {
				t.Errorf("%s has no route for the caller, and is written as %s", name, said)
			}
			continue
		}
		m := request.FindStringSubmatch(said)
		if m == nil || m[1] != o.Method {
			t.Errorf("%s: %s is not a request of %s", name, said, o.Name)
			continue
		}
		if c.Op == "apply" || name == "Inbox" { // the caller fills in the plan, and the project
			continue
		}
		if _, err := o.Decode(segments(o.Path, m[2]), m[3], []byte(m[4])); err != nil {
			t.Errorf("%s: %s: %v %v", name, said, err, fault.Of(err).Missing)
		}
	}
}

// TestAToolSaysWhatTheToolTakes reads every call back as its tool does, strictly.
func TestAToolSaysWhatTheToolTakes(t *testing.T) {
	all := func(*op.Op) bool { return true }
	for name, c := range optest.Hints() {
		said, o := op.AsTool(c, all), operation(c.Op)
		tool, args, _ := strings.Cut(said, " ")
		switch {
		case c.Header != "":
			if said != "the header "+c.Header {
				t.Errorf("%s is a header, and is written as %s", name, said)
			}
		case c.Field != "":
			if said != "the argument "+c.Field {
				t.Errorf("%s is a field, and is written as %s", name, said)
			}
		case o == nil || o.Method == "" || c.ByOther || strings.HasPrefix(name, "Force"):
			if !command.MatchString(said) {
				t.Errorf("%s is not a tool, and is written as %s", name, said)
			}
		case tool != o.Tool.Name || strings.Contains(said, "fence"):
			t.Errorf("%s is written as %s", name, said)
		case c.Op == "apply":
		default:
			if _, err := o.DecodeArgs([]byte(args)); err != nil {
				t.Errorf("%s: %s: %v %v", name, said, err, fault.Of(err).Missing)
			}
		}
		if o != nil && o.Method != "" {
			if said := op.AsTool(c, func(*op.Op) bool { return false }); !command.MatchString(said) {
				t.Errorf("%s is not offered, and is written as %s", name, said)
			}
		}
	}
}

// TestARouteAndAToolSayWhatHasToRunFirst: neither runs a command, so what one command does takes two steps there.
func TestARouteAndAToolSayWhatHasToRunFirst(t *testing.T) {
	c := hint.End("demo-1", hint.Ending{To: "done", Prove: true, Check: []int{1, 2}, Next: true})
	if want := "tasker done demo-1 --prove --check 1,2 --next"; c.String() != want {
		t.Errorf("the command is %s, not %s", c, want)
	}
	const first = "`tasker prove demo-1 --check 1,2`, then "
	if said, want := op.AsRoute(c), first+`POST /v1/tasks/demo-1/transition {"to":"done","next":true}`; said != want {
		t.Errorf("the route is %s, not %s", said, want)
	}
	if said, want := op.AsTool(c, func(*op.Op) bool { return true }), first+`tasker_move {"id":"demo-1","to":"done","next":true}`; said != want {
		t.Errorf("the tool is %s, not %s", said, want)
	}
}

func operation(name string) *op.Op {
	for _, o := range op.Table {
		if o.Name == name {
			return o
		}
	}
	return nil
}

// segments returns the values of a route's parameters in a path.
func segments(route, path string) func(string) string {
	return func(name string) string {
		want, got := strings.Split(route, "/"), strings.Split(path, "/")
		for i, part := range want {
			if part == "{"+name+"}" && i < len(got) {
				text, _ := url.PathUnescape(got[i])
				return text
			}
		}
		return ""
	}
}
