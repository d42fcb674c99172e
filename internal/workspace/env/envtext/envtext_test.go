package envtext_test

import (
	"strings"
	"testing"

	"tasker/internal/workspace/env/envtext"
)

func lookup(name string) (string, bool) {
	value, ok := map[string]string{"HOME": "/home/me", "EMPTY": ""}[name]
	return value, ok
}

func TestTheDotenvGrammar(t *testing.T) {
	for text, want := range map[string]string{
		"A=b":                            "b",
		"\ufeffA=b\r\n":                  "b",
		"\n# c\n  A = b  # comment\n":    "b",
		"export A=b":                     "b",
		"export\tA=b":                    "b",
		"A=":                             "",
		"A= # comment":                   "",
		"A=#text":                        "#text",
		"A=a#b":                          "a#b",
		"A=a b  c":                       "a b  c",
		"A=a=b==":                        "a=b==",
		`A=a\nb`:                         `a\nb`,
		`A="a\nb\t\"c\" \\ \$x \q"`:      "a\nb\t\"c\" \\ $x \\q",
		"A=\"a\nb\" # comment":           "a\nb",
		"A=\"a\\\nb\"":                   "ab",
		`A="it's"`:                       "it's",
		`A='a\n${HOME} "x"'`:             `a\n${HOME} "x"`,
		"A='a\nb'\t":                     "a\nb",
		"A=`it's \"x\"`":                 `it's "x"`,
		"A=it's":                         "it's",
		`A=''`:                           "",
		`A=$(id) $HOME`:                  "$(id) $HOME",
		"A=\"`id`$(id)\"":                "`id`$(id)",
		"A=${HOME}/x":                    "/home/me/x",
		`A="${HOME}/x"`:                  "/home/me/x",
		"B=1\nA=${B}${B}":                "11",
		"HOME=2\nA=${HOME}":              "2",
		"A=${NONE:-x y}":                 "x y",
		"A=${EMPTY:-x}":                  "x",
		"A=${EMPTY-x}":                   "",
		"A=${NONE-}":                     "",
		`A=\${HOME}`:                     "${HOME}",
		`A="\${HOME}"`:                   "${HOME}",
		"A=1\nA=2":                       "2",
		"A=über":                         "über",
		"B='\n\n'\nA=\"x\" #\n\n#end":    "x",
		"export=1\nA=${export}":          "1",
		"export =1\nA=${export}":         "1",
		"A=\"${NONE:-}\"":                "",
		"A=\"x\"\nexport B=\"\n${A}\n\"": "x",
		"A=x\t# with a tab":              "x",
		"A=-----BEGIN KEY-----":          "-----BEGIN KEY-----",
		"A=\"-----BEGIN\nabc==\n-----\"": "-----BEGIN\nabc==\n-----",
	} {
		got := map[string]string{}
		if err := envtext.Parse(text, got, lookup); err != nil {
			t.Errorf("%q: %v", text, err)
			continue
		}
		if value, ok := got["A"]; !ok || value != want {
			t.Errorf("%q is %q, want %q", text, value, want)
		}
	}
}

func TestAMalformedLineIsNamedByItsNumber(t *testing.T) {
	for text, want := range map[string]string{
		"A=1\nhunter2":               "line 2 is not NAME=VALUE",
		"A=1\n\n1hunter2=x":          "line 3 is not NAME=VALUE",
		"export hunter2":             "line 1 is not NAME=VALUE",
		"hunter-2=x":                 "line 1 is not NAME=VALUE",
		"=hunter2":                   "line 1 is not NAME=VALUE",
		"A='x\ny'\nB=\"hunter2\nC=3": "line 3 opens a quote that is never closed",
		"A='hunter2":                 "line 1 opens a quote that is never closed",
		"A=\"x\"hunter2":             "line 1 goes on after a closing quote",
		"A=\"x\ny\" hunter2":         "line 2 goes on after a closing quote",
		"A=${hunter2}":               "line 1 refers to a variable that is not set",
		"A=\"\n${hunter2}\"":         "line 2 refers to a variable that is not set",
		"A=${hunter2:?x}":            "line 1 has a ${ that is not understood",
		"A=${hunter2":                "line 1 has a ${ that is not understood",
		"A=${}":                      "line 1 has a ${ that is not understood",
		"A=${HOME:-${hunter2}}":      "line 1 has a ${ that is not understood",
	} {
		err := envtext.Parse(text, map[string]string{}, lookup)
		if err == nil || err.Error() != want {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
}

func TestLinesAreTakenAsTheyAre(t *testing.T) {
	vars, err := envtext.Lines("A=1\r\n\n# B=2\nC='x' # y\nD=a=b\nE=\n  \n")
	got, _ := envtext.Format(envtext.Sorted(vars), envtext.JSON)
	want := "{\n  \"A\": \"1\",\n  \"C\": \"'x' # y\",\n  \"D\": \"a=b\",\n  \"E\": \"\"\n}\n"
	if err != nil || got != want {
		t.Errorf("%s, %v", got, err)
	}
	for _, text := range []string{"A=1\nhunter2", "A=1\nexport B=hunter2", "A=1\n =hunter2"} {
		if _, err := envtext.Lines(text); err == nil || err.Error() != "line 2 is not NAME=VALUE" {
			t.Errorf("%q: %v", text, err)
		}
	}
}

func TestFormats(t *testing.T) {
	vars := envtext.Sorted(map[string]string{"A": "plain-1.2:3/4", "B": "it's $HOME", "C": "", "D": "a\nb"})
	for format, want := range map[string]string{
		envtext.Shell:  "A=plain-1.2:3/4\nB='it'\\''s $HOME'\nC=''\nD='a\nb'\n",
		envtext.Direnv: "export A=plain-1.2:3/4\nexport B='it'\\''s $HOME'\nexport C=''\nexport D='a\nb'\n",
		envtext.Dotenv: "A=plain-1.2:3/4\nB=\"it's \\$HOME\"\nC=''\nD=\"a\\nb\"\n",
		envtext.JSON:   "{\n  \"A\": \"plain-1.2:3/4\",\n  \"B\": \"it's $HOME\",\n  \"C\": \"\",\n  \"D\": \"a\\nb\"\n}\n",
	} {
		if got, err := envtext.Format(vars, format); err != nil || got != want {
			t.Errorf("%s: %q, %v, want %q", format, got, err, want)
		}
	}
}

func TestAnImpossibleVariableIsRefusedByName(t *testing.T) {
	for _, c := range []struct {
		v      envtext.Variable
		format string
		want   string
	}{
		{envtext.Variable{Name: "A", Value: "hunter2\x00"}, envtext.Shell, "the value of A has a zero byte"},
		{envtext.Variable{Name: "A-B", Value: "hunter2"}, envtext.Dotenv, `"A-B" cannot name a variable`},
		{envtext.Variable{Name: "", Value: "hunter2"}, envtext.Direnv, `"" cannot name a variable`},
		{envtext.Variable{Name: "1A", Value: "hunter2"}, envtext.JSON, `"1A" cannot name a variable`},
		{envtext.Variable{Name: "A;id", Value: "hunter2"}, envtext.Shell, `"A;id" cannot name a variable`},
		{envtext.Variable{Name: "A", Value: "hunter2\xff"}, envtext.JSON, "the value of A is not UTF-8"},
		{envtext.Variable{Name: "A", Value: "hunter2"}, "shel", `there is no format "shel"; did you mean shell?`},
	} {
		_, err := envtext.Format([]envtext.Variable{c.v}, c.format)
		if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%+v: %v, want %s", c.v, err, c.want)
		}
	}
}
