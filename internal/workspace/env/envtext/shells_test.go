//go:build unix

package envtext_test

import (
	"os/exec"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"tasker/internal/workspace/env/envtext"
)

// hostile lists pieces that mean something to a shell, a dotenv reader or a terminal.
var hostile = []string{
	"'", `"`, "`", "$", "${X}", "$(id)", "`id`", "!", "!!", "!x", `\`, `\'`, `\\`, `\n`, "\n", "\r", "\r\n", "\t",
	" ", "  ", "#", " #", "~", ":~", "=", ";", "&", "|",
	"<", ">", "(", ")", "{a,b}", "[a]", "*", "?", "%", "%s", "^", "-", "--",
	"\x01", "\x7f", "\x81", "\x88", "\xff", "ü", "日本", "\u2028", "$'x'", "$\"x\"", "\x1b[31m", "EOF", "export ",
}

func values(t *rapid.T) []envtext.Variable {
	piece := rapid.OneOf(rapid.SampledFrom(hostile), rapid.StringN(0, 8, -1))
	text := rapid.Map(rapid.SliceOfN(piece, 0, 8), func(pieces []string) string {
		return strings.ReplaceAll(strings.Join(pieces, ""), "\x00", "")
	})
	var out []envtext.Variable
	for i, value := range rapid.SliceOfN(text, 1, 12).Draw(t, "values") {
		out = append(out, envtext.Variable{Name: "_test_" + string(rune('A'+i)), Value: value})
	}
	return out
}

// shells returns the POSIX shells of this machine; sh is always one of them.
func shells(t *testing.T) [][]string {
	t.Helper()
	found := [][]string{{"sh", "-c"}}
	for _, name := range []string{"dash", "bash", "zsh", "busybox"} {
		if _, err := exec.LookPath(name); err == nil && name == "busybox" {
			found = append(found, []string{"busybox", "sh", "-c"})
		} else if err == nil {
			found = append(found, []string{name, "-c"})
		}
	}
	return found
}

func TestEveryValueSurvivesTheShells(t *testing.T) {
	for _, shell := range shells(t) {
		for format, script := range map[string]string{
			envtext.Shell:  `set -a; eval "$1"; exec env -0`,
			envtext.Direnv: `eval "$1"; exec env -0`,
		} {
			t.Run(shell[0]+"/"+format, func(t *testing.T) {
				rapid.Check(t, func(rt *rapid.T) {
					vars := values(rt)
					text, err := envtext.Format(vars, format)
					if err != nil {
						rt.Fatal(err)
					}
					args := append(shell[1:len(shell):len(shell)], script, "sh", text)
					out, err := exec.CommandContext(t.Context(), shell[0], args...).Output()
					if err != nil {
						rt.Fatalf("%v of %q", err, text)
					}
					got := map[string]string{}
					for entry := range strings.SplitSeq(string(out), "\x00") {
						name, value, _ := strings.Cut(entry, "=")
						got[name] = value
					}
					same(rt, vars, got, text)
				})
			})
		}
	}
}

func TestEveryValueSurvivesADotenvFile(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		vars := values(rt)
		text, err := envtext.Format(vars, envtext.Dotenv)
		if err != nil {
			rt.Fatal(err)
		}
		got := map[string]string{}
		if err := envtext.Parse(text, got, nil); err != nil {
			rt.Fatalf("%v of %q", err, text)
		}
		same(rt, vars, got, text)
	})
}

func same(t *rapid.T, vars []envtext.Variable, got map[string]string, text string) {
	for _, v := range vars {
		if value, ok := got[v.Name]; !ok || value != v.Value {
			t.Fatalf("%s is %q, want %q, by %q", v.Name, value, v.Value, text)
		}
	}
}

// FuzzParse checks that every text is either refused or read, and that what was read can be written
// again.
func FuzzParse(f *testing.F) {
	f.Add("A=1\nexport B=\"${A:-x}\\n\" # c\nC='\n'")
	f.Fuzz(func(t *testing.T, text string) {
		vars := map[string]string{}
		if err := envtext.Parse(text, vars, lookup); err != nil {
			return
		}
		for name := range vars {
			if !envtext.ValidName(name) {
				t.Errorf("%q is accepted as the name of a variable", name)
			}
		}
	})
}
