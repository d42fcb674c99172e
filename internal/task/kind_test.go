package task_test

import (
	"slices"
	"strings"
	"testing"

	"tasker/internal/task"
)

func TestAKindThatBeginsWithADollarAndABlankIsACommand(t *testing.T) {
	for _, c := range []struct {
		kind, line string
		command    bool
		bad        bool
	}{
		{"$ go test ./...", "go test ./...", true, false},
		{"$   make test  ", "make test", true, false},
		{"tests", "", false, false},
		{"$tests", "", false, true}, // a reader would take these for commands, and a typed text would meet them
		{" $ true", "", false, true},
		{"$\u00a0true", "", false, true},
		{"\u200b$ true", "", false, true},
		{"$\u200b true", "", false, true},
		{"＄ true", "", false, true},
		{"﹩true", "", false, true},
		{"costs $5", "", false, false},
		{"$ ", "", true, true},
		{"$ one\ntwo", "one\ntwo", true, true},
		{"$ one\rtwo", "one\rtwo", true, true},
		{"$ one\u2028two", "one\u2028two", true, true},
		{"$ " + strings.Repeat("é", task.MaxKind-2), strings.Repeat("é", task.MaxKind-2), true, false},
		{"$ " + strings.Repeat("é", task.MaxKind-1), strings.Repeat("é", task.MaxKind-1), true, true},
		{"two\nlines", "", false, false},
	} {
		line, ok := task.CommandLine(c.kind)
		if ok != c.command || ok && line != c.line || (task.BadCommand(c.kind) != "") != c.bad {
			t.Errorf("%q: the line is %q (%t), and the check says %q", c.kind, line, ok, task.BadCommand(c.kind))
		}
	}
}

func TestWordsAreALineOnlyWhereAShellWouldReadThemAlike(t *testing.T) {
	for line, want := range map[string][]string{
		"go test ./...":   {"go", "test", "./..."},
		"make\t  test":    {"make", "test"},
		"go test -run=A":  nil,
		"FOO=1 make":      nil,
		"a && b":          nil,
		"echo 'x'":        nil,
		"ls *.go":         nil,
		"test -n $HOME":   nil,
		"a # b":           nil,
		"date +%s":        nil,
		"cat <x":          nil,
		"echo a\\ b":      nil,
		"echo ~":          nil,
		"(true)":          nil,
		"echo `true`":     nil,
		"ls [a]":          nil,
		"ls a?":           nil,
		"true; true":      nil,
		`echo "x"`:        nil,
		"npm run test:ci": {"npm", "run", "test:ci"},
	} {
		got, ok := task.CommandWords(line)
		if ok != (want != nil) || !slices.Equal(got, want) {
			t.Errorf("%q: %q (%t)", line, got, ok)
		}
	}
}
