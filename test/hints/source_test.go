package hints

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// site is a position in the source that makes a refusal, with the texts of its message and of its hint as written there.
// Two positions with the same texts count as one.
type site struct {
	in      string // the package, below internal
	message string
	hint    string // "" for none, "…" for one that is made elsewhere
	calls   []string
	at      string // file and line
}

func (s site) String() string { return s.in + ": " + s.message }

// made lists the functions that make a refusal, with the argument that has its text.
var made = map[string]int{"New": 1, "Bad": 0, "Decline": 0, "Missing": 0, "Stale": 0, "Unready": 0}

// sites reads every refusal of the program from its source.
func sites(t *testing.T) []site {
	t.Helper()
	var out []site
	for path, file := range sources(t) {
		in := strings.TrimPrefix(filepath.ToSlash(filepath.Dir(path)), "../../internal/")
		hints := map[ast.Node]*ast.CallExpr{}   // by the call that makes the refusal
		later := map[ast.Node][]*ast.CallExpr{} // calls that a variable may hold
		vars := map[string]*ast.CallExpr{}      // the refusals in variables of the current function
		ast.Inspect(file.tree, func(n ast.Node) bool {
			if _, ok := n.(*ast.FuncDecl); ok {
				clear(vars)
			}
			if set, ok := n.(*ast.AssignStmt); ok && len(set.Lhs) == 1 && len(set.Rhs) == 1 {
				name, isVar := set.Lhs[0].(*ast.Ident)
				if call, _ := method(set.Rhs[0]); isVar && call != nil {
					if maker := chained(call, nil); maker != nil {
						vars[name.Name] = maker
					} else if of(call, "fault") {
						vars[name.Name] = call
					}
				}
			}
			if call, name := method(n); name == "WithHint" || name == "WithParts" || name == "WithHintOf" {
				if maker := chained(call, nil); maker != nil {
					hints[maker] = call
				} else if maker := chained(call, vars); maker != nil {
					later[maker] = append(later[maker], call)
				}
			}
			return true
		})
		ast.Inspect(file.tree, func(n ast.Node) bool {
			call, name := method(n)
			if call == nil || !of(call, "fault") {
				return true
			}
			words, ok := made[name]
			if !ok {
				return true
			}
			s := site{in: in, message: text(call.Args[words]), at: file.at(call)}
			if hint := hints[call]; hint != nil {
				s.hint, s.calls = text(hint.Args[0]), callsOf(hint)
			}
			for _, hint := range later[call] {
				s.hint, s.calls = "…", append(s.calls, callsOf(hint)...)
			}
			out = append(out, s)
			return true
		})
	}
	if len(out) < 300 {
		t.Fatalf("only %d refusals were found", len(out))
	}
	slices.SortFunc(out, func(a, b site) int { return strings.Compare(a.String()+a.at, b.String()+b.at) })
	return out
}

// callsOf returns the calls of package hint that a hint names.
func callsOf(hint *ast.CallExpr) (out []string) {
	for _, a := range hint.Args[1:] {
		if c, name := method(a); c != nil && of(c, "hint") {
			out = append(out, name)
		}
	}
	return out
}

type source struct {
	tree *ast.File
	set  *token.FileSet
}

func (s source) at(n ast.Node) string {
	p := s.set.Position(n.Pos())
	return fmt.Sprintf("%s:%d", p.Filename, p.Line)
}

// sources parses the program without its tests.
func sources(t *testing.T) map[string]source {
	t.Helper()
	out := map[string]source{}
	err := filepath.WalkDir("../../internal", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		set := token.NewFileSet()
		tree, err := parser.ParseFile(set, path, nil, parser.SkipObjectResolution)
		out[path] = source{tree, set}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// method returns a call of something in something, and its name.
func method(n ast.Node) (*ast.CallExpr, string) {
	if call, ok := n.(*ast.CallExpr); ok {
		if fn, ok := call.Fun.(*ast.SelectorExpr); ok {
			return call, fn.Sel.Name
		}
	}
	return nil, ""
}

// of reports whether a call is one of a package.
func of(call *ast.CallExpr, name string) bool {
	in, ok := call.Fun.(*ast.SelectorExpr).X.(*ast.Ident)
	return ok && in.Name == name
}

// chained returns the call that makes the refusal whose method is called, or nil if it is made elsewhere.
func chained(call *ast.CallExpr, vars map[string]*ast.CallExpr) *ast.CallExpr {
	for {
		on := call.Fun.(*ast.SelectorExpr).X
		before, _ := method(on)
		switch {
		case before == nil:
			if name, ok := on.(*ast.Ident); ok {
				return vars[name.Name]
			}
			return nil
		case of(before, "fault"):
			return before
		}
		call = before
	}
}

// text returns a text of the source, with … for what is only known when the program runs.
func text(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.BasicLit:
		s, _ := strconv.Unquote(e.Value)
		return s
	case *ast.BinaryExpr:
		return text(e.X) + text(e.Y)
	}
	return "…"
}

var verb = regexp.MustCompile(`%[+#]?[a-z0-9]*[a-zA-Z]|…`)

// pattern returns what a text with verbs looks like once they are filled in, and how many of its characters are fixed.
func pattern(format string) (*regexp.Regexp, int) {
	if p, ok := patterns[format]; ok {
		return p.is, p.certain
	}
	parts := verb.Split(strings.ReplaceAll(format, "%%", "%"), -1)
	certain := 0
	for i, p := range parts {
		certain += len(p)
		parts[i] = regexp.QuoteMeta(p)
	}
	is := regexp.MustCompile(`(?s)^` + strings.Join(parts, `.*`))
	patterns[format] = compiled{is, certain}
	return is, certain
}

// patterns caches the patterns of formats: every answer is compared with every refusal. Only one goroutine uses it.
var patterns = map[string]compiled{}

type compiled struct {
	is      *regexp.Regexp
	certain int
}

// flagsOf are the functions of package frame that declare a flag, whose help is the command line's own.
var flagsOf = []string{
	"String", "StringP", "Bool", "Int", "Ints", "Strings", "Repeated", "Value", "Duration", "Lease", "MaybeText", "MaybeInt",
	"Priority", "MaybeBool", "OneOf", "Evidence", "List",
}

// TestNoTextSpeaksTheLanguageOfOneFace reads every text of the program. A command in it is a call of package hint, so that
// each face says it in its own language and the command line with the flags that were given.
func TestNoTextSpeaksTheLanguageOfOneFace(t *testing.T) {
	typed := regexp.MustCompile(`\btasker (` + strings.Join(slices.Sorted(maps.Keys(commandNames(t))), "|") + `)\b`)
	flag := regexp.MustCompile(`(^|[ ("` + "`" + `])(--[a-z]|-p\b)`)
	other := regexp.MustCompile(`\b(GET|POST) /v1|\btasker_[a-z]`)
	for path, file := range sources(t) {
		in := strings.TrimPrefix(filepath.ToSlash(path), "../../internal/")
		if excused(in, ownLanguage) != "" {
			continue
		}
		var skip []ast.Node
		ast.Inspect(file.tree, func(n ast.Node) bool {
			if kv, ok := n.(*ast.KeyValueExpr); ok { // the help of a command
				if name, ok := kv.Key.(*ast.Ident); ok && slices.Contains([]string{"Example", "Long", "Short", "Effect", "Doc", "About"}, name.Name) {
					skip = append(skip, kv.Value)
				}
			}
			if set, ok := n.(*ast.AssignStmt); ok { // the help of a command that is made from another's
				if to, ok := set.Lhs[0].(*ast.SelectorExpr); ok && to.Sel.Name == "Long" {
					skip = append(skip, set)
				}
			}
			call, name := method(n)
			if call == nil {
				return true
			}
			if name == "Group" || name == "shortForm" || name == "BoolVar" || of(call, "hint") || of(call, "frame") && slices.Contains(flagsOf, name) {
				skip = append(skip, call)
			}
			if name == "WithHint" || name == "Parts" || name == "Advise" {
				said := text(call.Args[0])
				shared := !strings.HasPrefix(in, "cli/") && !strings.HasPrefix(in, "client/")
				if shared && flag.MatchString(said) && excused(in+": "+said, flags) == "" {
					t.Errorf("%s: a hint of every face names a flag: %s", file.at(n), said)
				}
				if other.MatchString(said) && excused(in, routed) == "" {
					t.Errorf("%s: a hint names a route or a tool: %s", file.at(n), said)
				}
			}
			return true
		})
		ast.Inspect(file.tree, func(n ast.Node) bool {
			if slices.Contains(skip, n) {
				return false
			}
			if call, ok := n.(*ast.CallExpr); ok {
				if fn, ok := call.Fun.(*ast.Ident); ok && fn.Name == "shortForm" {
					return false
				}
			}
			lit, ok := n.(*ast.BasicLit)
			if !ok || lit.Kind != token.STRING {
				return true
			}
			if said := text(lit); typed.MatchString(said) && excused(in+": "+said, inSentences) == "" {
				t.Errorf("%s: a command as plain text, where package hint would have every face say it: %s", file.at(n), said)
			}
			return true
		})
	}
}

// excused returns why a text that begins so may speak as it does.
func excused(text string, list map[string]string) string {
	for begin, why := range list {
		if strings.HasPrefix(text, begin) {
			return why
		}
	}
	return ""
}

// commandNames reads the names of the commands out of their reference.
func commandNames(t *testing.T) map[string]bool {
	t.Helper()
	src, err := os.ReadFile("../../docs/commands.md")
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]bool{}
	for _, m := range regexp.MustCompile(`(?m)^### tasker ([a-z]+)`).FindAllStringSubmatch(string(src), -1) {
		out[m[1]] = true
	}
	return out
}

// ownLanguage are the places whose texts are read on one face alone, or say how to use one.
var ownLanguage = map[string]string{
	"views/prime/":          "the manual of the command line; for tools the server has instructions of its own",
	"agent/setup/agents.go": "what is written into files of agents, which have tools and a shell, and names both",
	"agent/setup/block.go":  "a mark in a file",
	"server/web/":           "a page is read by a person, who types what it advises; TestEveryPageAdvisesACommandThatIsThere in package cli",
	"cli/root.go":           "the help of the command line",
	"cli/day.go":            "the help of the command line",
	"cli/help.go":           "the help of the command line",
	"hint/":                 "declares the commands",
	"testkit/optest/":       "samples",
	"task/field/":           "a generator",
	"server/mcp/tools.go":   "the instructions of the tools",
}

// flags are hints of every face that name a flag all the same.
var flags = map[string]string{
	"workspace/":              "the commands of workspaces alone show it",
	"git/worktree/":           "the commands of workspaces alone show it",
	"workspace/env/":          "flags of the programs that providers run",
	"server/httpapi/serve.go": "shown by the command serve alone, before there is a server",
}

// routed are files whose hints name a route or a tool: they speak for one face.
var routed = map[string]string{"server/httpapi/": "the HTTP face", "server/mcp/": "the tools"}

// inSentences are texts that name a command and do not say to run it.
var inSentences = map[string]string{
	"cli/agent/run.go: tasker run": "who works, in a sentence",
	"cli/agent/mcp.go: tasker mcp": "who works, in a sentence",
	"agent/run/settle.go: ":        "what failed, in a note",
	"op/table.go: ":                "the table",
}
