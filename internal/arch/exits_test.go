package arch_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// exit is a way by which stored text leaves the program. One file writes there and makes the text harmless; any other
// file that writes there bypasses it. Each writer is fuzzed: FuzzTerminal, FuzzPages, FuzzQuery, FuzzVisible and
// FuzzJSON, FuzzParseID.
type exit struct {
	pkg   string   // the path of a package whose names are selected
	names []string // "" as the only one: any
	field string   // or a field or method, selected from anything
	text  string   // or part of a literal
	word  string   // or a whole literal
	pre   []string // or builtin functions
	of    string   // a pattern: only these packages; "" for all
	in    []string // the files that may use it
	why   string
}

var exits = []exit{
	{pkg: "os", names: []string{"Stdout", "Stderr"}, in: []string{"cli/frame/process.go"}, why: "the process's streams are handed to the command " +
		"line, whose Terminal alone writes to them"},
	{pkg: "fmt", names: []string{"Print", "Printf", "Println"}, why: "this prints to the terminal as it is"},
	{pre: []string{"print", "println"}, why: "this prints to the terminal as it is"},
	{pkg: "log", names: []string{""}, why: "what is logged goes through the logger that its owner was handed"},
	{pkg: "log/slog", names: []string{"Default", "SetDefault", "Debug", "Info", "Warn", "Error", "Log"}, why: "what is logged goes through the " +
		"logger that its owner was handed"},
	{field: "Stdout", in: []string{"cli/frame/factory.go", "child/child.go", "cli/frame/process.go"}, why: "the command line's Terminal " +
		"is made over it, and a child's is kept"},
	{field: "Stderr", in: []string{"cli/frame/factory.go", "child/child.go", "cli/frame/process.go"}, why: "the command line's Terminal " +
		"is made over it, and a child's is kept"},
	{
		field: "raw",
		of:    "cli/term",
		in:    []string{"cli/term/terminal.go", "cli/term/table.go", "cli/term/bar.go", "cli/term/flow.go"},
		why:   "the methods of Terminal make text inert before they call it",
	},
	{
		field: "Verbatim",
		in:    []string{"cli/agent/mcp.go"},
		why:   "tools speak JSON to a program, and what a user runs in a workspace prints for itself; whatever else is printed is made inert",
	},
	{field: "WholeScreen", in: []string{"cli/ui/ui.go"}, why: "the lines that the full-screen view draws are made inert by term.Row"},
	{
		pkg:   "html/template",
		names: []string{"HTML", "HTMLAttr", "CSS", "JS", "JSStr", "URL", "Srcset"},
		why:   "these vouch for a text, which is then not escaped",
	},
	{pkg: "os", names: []string{"ReadFile"}, of: "cli/...", why: "a file may be a device without an end: Input and ReadSmall of cli/frame stop at a bound"},
	{
		pkg:   "io",
		names: []string{"ReadAll"},
		of:    "cli/...",
		in:    []string{"cli/frame/files.go", "cli/reading/guidance.go", "cli/transfer/folder.go"},
		why:   "what is read may have no end: Input and ReadSmall of cli/frame/files.go stop at a bound, and the other files set one of their own",
	},
	{text: "text/html", in: []string{"server/web/page.go", "server/httpapi/page.go", "server/httpapi/signin.go"}, why: "pages come out of html/template, in these files"},
	{field: "ExecuteTemplate", in: []string{"server/web/page.go"}, why: "what a template writes passes through inert there, which writes control characters out"},
	{text: " MATCH ", in: []string{"db/sqlite/words.go"}, why: "every word that is looked for is quoted there"},
	{text: "TSQUERY", in: []string{"db/postgres/words.go"}, why: "every word that is looked for is quoted there"},
	{pkg: "github.com/modelcontextprotocol/go-sdk/mcp", names: []string{"TextContent", "EmbeddedResource", "ImageContent"},
		in: []string{"server/mcp/answer.go", "server/mcp/call.go"}, why: "what a model reads has passed through safetext there"},
}

func TestNothingIsWrittenAroundTheWriters(t *testing.T) {
	used := map[string]bool{}
	for _, p := range load(t) {
		if covered(testOnly, p.name()) {
			continue
		}
		for _, f := range p.files {
			for _, place := range leaves(t, f.path, nil) {
				if of := place.exit.of; of != "" && !covered([]string{of}, p.name()) {
					continue
				}
				if slices.Contains(place.exit.in, f.name) {
					used[fmt.Sprint(place.exit, f.name)] = true
					continue
				}
				t.Errorf("%s: %s", place.where, place.exit.why)
			}
		}
	}
	for _, e := range ways {
		for _, name := range e.in {
			if !used[fmt.Sprint(e, name)] {
				t.Errorf("%s may use %s%v%s%s%s, and does not: take it off the list", name, e.pkg, e.names, e.field, e.text, e.word)
			}
		}
	}
}

func TestAWayAroundAWriterIsFoundUnderAnyName(t *testing.T) {
	for _, c := range []struct {
		source string
		want   int
	}{
		{`import "os"; var w = os.Stdout`, 2}, // a stream, and a field of that name
		{`import sys "os"; func f() { sys.Stderr.WriteString("x") }`, 2},
		{`import "fmt"; func f() { fmt.Println("x") }`, 1},
		{`import "fmt"; func f() { fmt.Sprintln("x"); _ = fmt.Errorf }`, 0},
		{`func f() { println("x") }`, 1},
		{`func println(s string) {}; func f(x struct{ println func() }) { x.println() }`, 0},
		{`import "log"; func f() { log.Fatal("x") }`, 1},
		{`import . "fmt"; func f() { Println("x") }`, 1},
		{`import "log/slog"; func f(l *slog.Logger) { l.Warn("x"); slog.Warn("y") }`, 1},
		{`import "html/template"; var x = template.HTML("<b>")`, 1},
		{`import "html/template"; var x = template.Must(nil, nil)`, 0},
		{`func f(t *T) { t.raw("x") }`, 1},
		{`var q = "SELECT 1 WHERE a MATCH $1"`, 1},
		{"var h = `text/html; charset=utf-8`", 1},
		{`import "os/exec"; var c = exec.Command("ls")`, 1},
		{`import run "os/exec"; func f() { run.LookPath("ls") }`, 1},
		{`import "os"; func f() { os.StartProcess("ls", nil, nil) }`, 1},
		{`import "syscall"; func f() { syscall.ForkExec("ls", nil, nil); syscall.Kill(1, 9) }`, 1},
		{`import "tasker/internal/child"; var c = child.Command{Args: []string{"git", "status"}}`, 1},
		{"var c = []string{`git`}", 1},
		{`var c = "git status says more"`, 0},
		{`import "net/http"; var c = http.Client{}`, 1},
		{`import web "net/http"; func f() { web.Get("https://x"); web.NewRequest("GET", "x", nil) }`, 1},
		{`import "net/http"; var t http.RoundTripper = http.DefaultTransport`, 1},
		{`import "net"; func f() { net.Dial("tcp", "x:1"); net.Listen("tcp", ":1") }`, 1},
		{`import "net/url"; func f(err error) { var u *url.Error; _ = u; url.Parse("x") }`, 1},
		{`import "github.com/modelcontextprotocol/go-sdk/mcp"; var c = &mcp.TextContent{Text: "x"}`, 1},
	} {
		if got := leaves(t, "x.go", "package x; "+c.source); len(got) != c.want {
			t.Errorf("%s: found %v, want %d", c.source, got, c.want)
		}
	}
}

// place is a position in a file that writes to an exit.
type place struct {
	where string
	exit  exit
}

// leaves returns the positions in a file that use an exit. If source is nil, the file is read from the path.
func leaves(t *testing.T, path string, source any) []place {
	t.Helper()
	set := token.NewFileSet()
	file, err := parser.ParseFile(set, path, source, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	var out []place
	found := func(n ast.Node, e exit, what string) {
		out = append(out, place{fmt.Sprintf("%s uses %s", set.Position(n.Pos()), what), e})
	}
	imports := map[string]string{} // by their name in this file
	for _, spec := range file.Imports {
		full, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			t.Fatal(err)
		}
		name := full[strings.LastIndexByte(full, '/')+1:]
		if spec.Name != nil {
			name = spec.Name.Name
		}
		for _, e := range ways {
			if name == "." && e.pkg == full { // after that, names cannot be attributed
				found(spec, e, full+" without its name")
			}
		}
		imports[name] = full
	}
	ast.Inspect(file, func(n ast.Node) bool {
		for _, e := range ways {
			switch n := n.(type) {
			case *ast.SelectorExpr:
				x, plain := n.X.(*ast.Ident)
				if plain && e.pkg != "" && imports[x.Name] == e.pkg && (slices.Contains(e.names, n.Sel.Name) || slices.Contains(e.names, "")) {
					found(n, e, e.pkg+"."+n.Sel.Name)
				}
				if e.field != "" && n.Sel.Name == e.field {
					found(n, e, "."+e.field)
				}
			case *ast.CallExpr:
				if fn, ok := n.Fun.(*ast.Ident); ok && slices.Contains(e.pre, fn.Name) {
					found(n, e, fn.Name)
				}
			case *ast.BasicLit:
				if e.text != "" && n.Kind == token.STRING && strings.Contains(n.Value, e.text) {
					found(n, e, strings.TrimSpace(e.text))
				}
				if e.word != "" && n.Kind == token.STRING && strings.Trim(n.Value, "\"`") == e.word {
					found(n, e, e.word)
				}
			}
		}
		return true
	})
	return out
}
