package cli

import (
	"bytes"
	"flag"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"tasker/internal/cli/frame"
	"tasker/internal/cli/term"
	"tasker/internal/fault"
	"tasker/internal/op"
)

var update = flag.Bool("update", false, "write docs/commands.md again")

func tree() (*frame.Factory, *cobra.Command) {
	f := frame.New(frame.Process{Env: func(string) (string, bool) { return "", false }}, frame.Wiring{})
	return f, root(f, "")
}

// everyCommand visits every command except the ones that cobra adds.
func everyCommand(root *cobra.Command, visit func(*cobra.Command)) {
	todo := []*cobra.Command{root}
	for len(todo) > 0 {
		cmd := todo[0]
		todo = append(todo[1:], cmd.Commands()...)
		visit(cmd)
	}
}

func TestCommandsPageIsCurrent(t *testing.T) {
	const page = "../../docs/commands.md"
	want := reference()
	if *update {
		if err := os.WriteFile(page, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != want {
		t.Error("docs/commands.md is not what the commands say; run: go test ./internal/cli -update")
	}
}

func TestEveryOperationHasItsCommand(t *testing.T) {
	_, root := tree()
	for _, o := range op.Table {
		if o.Command == "" && o.Method == "" {
			continue // a read that only pages use
		}
		var words []string
		for word := range strings.FieldsSeq(o.Command) {
			if strings.HasPrefix(word, "-") || word != strings.ToLower(word) {
				break
			}
			words = append(words, word)
		}
		cmd, rest, err := root.Find(words)
		if err != nil || len(rest) > 0 || cmd == root {
			t.Errorf("the operation %s has no command %q", o.Name, o.Command)
		}
		for word := range strings.FieldsSeq(o.Command) {
			if name, ok := strings.CutPrefix(word, "--"); ok && cmd.Flag(name) == nil {
				t.Errorf("the operation %s is called %q, and there is no flag --%s", o.Name, o.Command, name)
			}
		}
	}
}

// longHelp is the length of a help that is costly for an agent: 350 tokens of four bytes. Longer ones are reported, but
// do not fail.
const longHelp = 4 * 350

func TestHelpOfEveryCommandBeginsWithExamplesAndSaysWhereTheRestIs(t *testing.T) {
	_, root := tree()
	everyCommand(root, func(cmd *cobra.Command) {
		if cmd == root {
			return
		}
		var b bytes.Buffer
		f := frame.New(frame.Process{Env: func(string) (string, bool) { return "", false }, Stdout: &b}, frame.Wiring{})
		help(f, cmd)
		text := b.String()
		example, usage := strings.Index(text, "  tasker"), strings.Index(text, "\nUsage: ")
		flags, rest := strings.Index(text, "\nFlags\n"), strings.Index(text, "\nOf every command: tasker help flags, tasker help exit-codes\n")
		if cmd.Example == "" || example < 0 || example > usage || usage > rest || flags > rest {
			t.Errorf("%s: examples, usage, flags and what every command has are not in this order:\n%s", cmd.CommandPath(), text)
		}
		if len(text) > longHelp {
			t.Logf("%s: its help has %d bytes (%d is a lot)", cmd.CommandPath(), len(text), longHelp)
		}
	})
}

func TestHelpIsAsWideAsTheTerminal(t *testing.T) {
	const width = 60
	_, root := tree()
	everyCommand(root, func(cmd *cobra.Command) {
		var b bytes.Buffer
		f := frame.New(frame.Process{
			Env: func(string) (string, bool) { return "", false }, Stdout: &b, OutTTY: true, Width: func() int { return width },
		}, frame.Wiring{})
		f.Flags.Color = "never"
		help(f, cmd)
		for line := range strings.Lines(b.String()) {
			word := strings.TrimSpace(strings.TrimSuffix(strings.TrimRight(line, "\n"), " \\")) // a word is never broken
			if term.Columns(strings.TrimRight(line, "\n")) > width && strings.Contains(word, " ") {
				t.Errorf("%s: the line is wider than %d: %s", cmd.CommandPath(), width, line)
			}
		}
	})
}

func TestExamplesAreCommandsThatExistWithTheirFlags(t *testing.T) {
	_, root := tree()
	everyCommand(root, func(cmd *cobra.Command) {
		for line := range strings.Lines(cmd.Example) {
			_, call, ok := strings.Cut("\n"+line, "tasker ")
			if !ok {
				continue
			}
			call, _, _ = strings.Cut(call, " #")
			call, _, _ = strings.Cut(call, "&&")
			call, _, _ = strings.Cut(call, " -- ")
			args := strings.Fields(call)
			target, _, err := root.Find(args)
			if err != nil || target == root && cmd != root {
				t.Errorf("%s: the example %q names no command", cmd.CommandPath(), line)
				continue
			}
			for _, a := range args {
				if name, ok := strings.CutPrefix(a, "--"); ok && target.Flag(name) == nil {
					t.Errorf("%s: the example %q uses --%s, which is not one of its flags", cmd.CommandPath(), line, name)
				}
			}
		}
	})
}

func TestTheCommandOfALineIsFoundBehindGlobalFlags(t *testing.T) {
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"ready"}, "ready"},
		{[]string{"-p", "demo", "ready", "--json"}, "ready"},
		{[]string{"--project", "demo", "--json", "show", "demo-1"}, "show"},
		{[]string{"--project=demo", "show"}, "show"},
		{[]string{"-pdemo", "show"}, "show"},
		{[]string{"--help"}, ""},
		{[]string{"claim", "-h"}, "claim"},
		{nil, "status"},
		{[]string{"-p", "demo", "--json"}, "status"},
	} {
		if got := commandIn(c.args); got != c.want {
			t.Errorf("commandIn(%q) = %q, want %q", c.args, got, c.want)
		}
	}
	f, _ := tree()
	var flags []string
	everyCommand(root(f, "ready"), func(cmd *cobra.Command) {
		if cmd.Name() == "ready" {
			flags = append(flags, cmd.Name())
		}
	})
	if !slices.Equal(flags, []string{"ready"}) || len(root(f, "ready").Commands()) != 1 {
		t.Error("commands other than the one on the command line are built")
	}
}

func TestANameThatIsNoCommandIsAnsweredWithTheCommandToUse(t *testing.T) {
	_, root := tree()
	for typed, want := range map[string]string{
		"stauts": "status", "stat": "status", "st": "status", "todo": "ready", "finish": "done", "finsih": "done", "complete": "done",
		"take": "claim", "tkae": "claim", "log": "events", "history": "events", "histroy": "events", "creat": "add", "Nwe": "add",
		"clam": "claim", "subtre": "subtree", "nothing like it": "",
	} {
		said := fault.Of(frame.NoSuchCommand(root, []string{typed})).Hint
		if want == "" && strings.Contains(said, "did you mean") || want != "" && !strings.Contains(said, "did you mean tasker "+want+"?") {
			t.Errorf("%s is answered: %s; want %q", typed, said, want)
		}
	}
	for _, typed := range []string{"ls", "new", "create", "close", "rm", "block", "label"} {
		if cmd, _, err := root.Find([]string{typed}); err != nil || cmd == root {
			t.Errorf("%s is not a command", typed)
		}
	}
}

// TestEveryCommandHasAConstructorOfItsName makes a command easy to find by its name: newProjectSet is project set and,
// in the folder of workspaces, newOpen is workspace open.
func TestEveryCommandHasAConstructorOfItsName(t *testing.T) {
	named := map[string]bool{"newui": true} // ui.New
	for _, pattern := range []string{"*.go", "*/*.go"} {
		files, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range files {
			file, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
			if err != nil {
				t.Fatal(err)
			}
			for _, d := range file.Decls {
				if fn, ok := d.(*ast.FuncDecl); ok && fn.Recv == nil {
					named[strings.ToLower(file.Name.Name+"."+fn.Name.Name)], named[strings.ToLower(fn.Name.Name)] = true, true
				}
			}
		}
	}
	_, root := tree()
	everyCommand(root, func(cmd *cobra.Command) {
		if cmd == root {
			return
		}
		words := strings.Fields(strings.TrimPrefix(cmd.CommandPath(), "tasker "))
		if !named["new"+strings.Join(words, "")] && !named[words[0]+".new"+words[len(words)-1]] {
			t.Errorf("no constructor is named for %s", cmd.CommandPath())
		}
	})
}

// TestNothingPrintsAroundTheTerminal checks that no other file of the command line writes to a stream.
func TestNothingPrintsAroundTheTerminal(t *testing.T) {
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	below, err := filepath.Glob("*/*.go")
	if err != nil || len(below) == 0 {
		t.Fatal(below, err)
	}
	for _, name := range append(files, below...) {
		if strings.HasSuffix(name, "_test.go") || name == "frame/process.go" { // it hands over the streams
			continue
		}
		set := token.NewFileSet()
		file, err := parser.ParseFile(set, name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.SelectorExpr:
				of, ok := n.X.(*ast.Ident)
				full := ""
				if ok {
					full = of.Name + "." + n.Sel.Name
				}
				banned := strings.HasPrefix(full, "fmt.Print") || full == "os.Stdout" || full == "os.Stderr" || n.Sel.Name == "Stdout" || n.Sel.Name == "Stderr" ||
					slices.Contains([]string{"Println", "PrintErr", "PrintErrln", "PrintErrf"}, n.Sel.Name)
				if banned && !(name == "frame/factory.go" && (full == "p.Stdout" || full == "p.Stderr")) {
					t.Errorf("%s uses %s: print through the Terminal", set.Position(n.Pos()), full)
				}
			case *ast.CallExpr:
				if id, ok := n.Fun.(*ast.Ident); ok && (id.Name == "print" || id.Name == "println") {
					t.Errorf("%s prints around the Terminal", set.Position(n.Pos()))
				}
			}
			return true
		})
	}
}
