package cli

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"tasker/internal/cli/frame"
	"tasker/internal/fault"
	"tasker/internal/hint"
	"tasker/internal/testkit/optest"
)

// TestEveryHintIsACommandThatIsThere parses every command that a hint can name.
func TestEveryHintIsACommandThatIsThere(t *testing.T) {
	lines := map[string]bool{}
	for _, c := range optest.Hints() {
		if c.Field != "" {
			continue
		}
		for _, one := range strings.Split(c.Command, " && tasker ") {
			lines[one] = true
		}
	}
	for _, line := range literalCommands(t) {
		lines[line] = true
	}
	readAsCommands(t, lines)
}

// TestEveryPageAdvisesACommandThatIsThere parses the commands that pages show.
func TestEveryPageAdvisesACommandThatIsThere(t *testing.T) {
	lines := map[string]bool{}
	whole := regexp.MustCompile(`"cmd" \(?(?:print )?((?:"[^"]*"|[^)"}])*)\)?`)
	optional := regexp.MustCompile(`([a-z]| 4)4$`)
	word := regexp.MustCompile(`"([^"]*)"|\(?[$.a-zA-Z][^\s"]*`)
	for _, path := range glob(t, "../server/web/templates/*.html") {
		src, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range whole.FindAllStringSubmatch(string(src), -1) {
			line := ""
			for _, w := range word.FindAllStringSubmatch(m[1], -1) {
				if w[1] == "" {
					w[1] = "4"
				}
				line += w[1]
			}
			if line, ok := strings.CutPrefix(line, "tasker "); ok && !strings.HasPrefix(line, "resolve ") { // which does not exist yet
				lines[strings.TrimSpace(line)] = true
			}
		}
	}
	for _, path := range glob(t, "../server/web/*.go") {
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			e, ok := n.(ast.Expr)
			if !ok {
				return true
			}
			line, ok := strings.CutPrefix(literal(e), "tasker ")
			switch {
			case !ok || line == "4": // one that the core names
			case line == "inbox ack": // the items follow it
				lines[line+" 4"] = true
			default: // leave out what may follow a word, such as a role
				lines[optional.ReplaceAllString(line, "$1")] = true
			}
			return !ok
		})
	}
	if len(lines) < 20 {
		t.Errorf("only %d were found", len(lines))
	}
	readAsCommands(t, lines)
}

func glob(t *testing.T, pattern string) []string {
	t.Helper()
	paths, err := filepath.Glob(pattern)
	if err != nil || len(paths) == 0 {
		t.Fatal(err, "nothing is at "+pattern)
	}
	return slices.DeleteFunc(paths, func(p string) bool { return strings.HasSuffix(p, "_test.go") })
}

// readAsCommands parses lines as the command line does.
func readAsCommands(t *testing.T, lines map[string]bool) {
	t.Helper()
	for line := range lines {
		line, _, _ = strings.Cut(line, " > ")
		fillsIn(t, "tasker "+line, shellWords(line))
		_, root := tree()
		cmd, rest, err := root.Find(shellWords(line))
		if err == nil {
			err = cmd.ParseFlags(rest)
		}
		if err == nil {
			err = cmd.ValidateArgs(cmd.Flags().Args())
		}
		if err != nil || cmd == root {
			t.Errorf("tasker %s: %v", line, err)
		}
	}
}

// gap matches a word in capitals, which stands for what the reader fills in.
var gap = regexp.MustCompile(`^[A-Z]+(=[A-Z]+)?,?…?$`)

// fillsIn checks that a printed command that leaves something to be filled in is refused as it stands.
func fillsIn(t *testing.T, line string, args []string) {
	t.Helper()
	for _, word := range args {
		if !gap.MatchString(word) {
			continue
		}
		if _, known := hint.Placeholder(word); !known {
			t.Errorf("%s: nothing says what %s stands for; hint.Placeholder has to", line, word)
		} else if _, _, found := hint.Unfilled(args); !found {
			t.Errorf("%s: it is taken as it stands", line)
		}
	}
}

// TestNoCommandOfHelpStoresItsPlaceholder reads the usage of every command, and its examples, which leave nothing open.
func TestNoCommandOfHelpStoresItsPlaceholder(t *testing.T) {
	_, root := tree()
	open := strings.NewReplacer("[", "", "]", "", "|", " ")
	var read func(cmd *cobra.Command)
	read = func(cmd *cobra.Command) {
		fillsIn(t, cmd.CommandPath()+" "+cmd.Use, strings.Fields(open.Replace(cmd.Use)))
		for line := range strings.Lines(cmd.Example) {
			line, _, _ = strings.Cut(strings.TrimSpace(line), "   #")
			if word, _, found := hint.Unfilled(shellWords(line)); found {
				t.Errorf("the example %q leaves %s to be filled in", line, word)
			}
		}
		for _, child := range cmd.Commands() {
			read(child)
		}
	}
	read(root)
}

// TestWhatStandsInPlaceOfAWordIsRefused names what a line leaves open.
func TestWhatStandsInPlaceOfAWordIsRefused(t *testing.T) {
	for line, want := range map[string]string{
		"answer 7 'TEXT'": "TEXT", "return demo-1 --because=TEXT": "TEXT", "evidence demo-1 K=V": "K=V", "done --check N,…": "N",
		"prove demo-1 --kind tests -- CMD": "CMD", "prove -- grep TEXT notes": "", "note demo-1 'the TEXT is wrong'": "", "note demo-1 text": "",
		"import csv plan.csv --map key=ID": "", "add TITLE": "TITLE", "note demo-1 -": "", "check demo-1 N…": "N",
	} {
		got, means, found := hint.Unfilled(shellWords(line))
		if got != want || found != (want != "") || found && means == "" {
			t.Errorf("%s: %q (%q, %t), want %q", line, got, means, found, want)
		}
	}
}

// literalCommands returns the arguments of hint.Command and hint.Here in the sources, with 4 for values known only at
// run time.
func literalCommands(t *testing.T) (out []string) {
	t.Helper()
	err := filepath.WalkDir("..", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") {
			return err
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		ast.Inspect(file, func(n ast.Node) bool {
			if call, ok := n.(*ast.CallExpr); ok {
				if fn, ok := call.Fun.(*ast.SelectorExpr); ok && (fn.Sel.Name == "Command" || fn.Sel.Name == "Here") {
					if in, ok := fn.X.(*ast.Ident); ok && in.Name == "hint" {
						if line := literal(call.Args[0]); line != "4" { // a command of the table
							out = append(out, filled.Replace(line))
						}
					}
				}
			}
			return true
		})
		return nil
	})
	if err != nil || len(out) == 0 {
		t.Fatal(err, "no command was found")
	}
	return out
}

// filled replaces values known only at run time with something that fits.
var filled = strings.NewReplacer("%d", "4", "--status 4", "--status open", "STATUS", "open")

// literal returns the text of a string literal, and 4 for any other expression.
func literal(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.BasicLit:
		text, _ := strconv.Unquote(e.Value)
		return text
	case *ast.BinaryExpr:
		return literal(e.X) + literal(e.Y)
	case *ast.CallExpr:
		if fn, ok := e.Fun.(*ast.SelectorExpr); ok && fn.Sel.Name == "Sprintf" {
			return literal(e.Args[0])
		}
	}
	return "4"
}

// shellWords splits a line at spaces outside of quotes.
func shellWords(line string) (out []string) {
	word, quoted := "", false
	for _, r := range line + " " {
		switch {
		case r == '\'':
			quoted = !quoted
		case r == ' ' && !quoted:
			out, word = append(out, word), ""
		default:
			word += string(r)
		}
	}
	return out
}

func TestACommandOfAHintCarriesWhatWasGiven(t *testing.T) {
	f := frame.New(frame.Process{Env: func(string) (string, bool) { return "", false }}, frame.Wiring{})
	f.Flags.Project, f.Flags.Actor, f.Flags.DB, f.Flags.Config = "demo", "bot/2", "a b.db", ""
	for _, c := range []struct {
		call fault.Call
		want string
	}{
		{hint.List(), `tasker list -p demo --actor bot/2 --db 'a b.db'`},
		{hint.ListOf("other"), `tasker list -p other --actor bot/2 --db 'a b.db'`},
		{hint.Approve("demo-1", "approval"), `tasker approve demo-1 --db 'a b.db'`},
	} {
		if got := f.AsCommand(c.call); got != c.want {
			t.Errorf("%s, want %s", got, c.want)
		}
	}
	f.Flags.DB, f.Flags.Server = "postgres://u:secret@host/db", "http://u:secret@host"
	if got := f.AsCommand(hint.List()); strings.Contains(got, "secret") {
		t.Error(got)
	}
}
