package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestWhatAnOverclaimIs(t *testing.T) {
	repo := t.TempDir()
	if err := os.Mkdir(filepath.Join(repo, "tests"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(repo, "tests", "own.sh"), []byte("bin/own < 50000.txt\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	const ran = `{"line": "sh tests/run", "exitCode": 0}`
	evidence := []item{
		{ID: 1, Actor: "bot", Kind: gateKind, Value: ran}, {ID: 2, Actor: "bot", Kind: "bench", Value: `{"command": ["sh", "bench/day"], "exitCode": 0}`},
	}
	by := func(id int64) *int64 { return &id }
	wrong := []failure{{criterion: 1, why: "it is wrong"}}
	for _, c := range []struct {
		name     string
		job      string
		tick     tick
		evidence []item
		failing  []failure
		want     []string
	}{
		{"a run, and the check holds", "day", tick{1, true, "bot", by(1), "run"}, evidence, nil, nil},
		{"nothing, and the check holds", "day", tick{1, true, "bot", nil, "nothing"}, evidence, nil, nil},
		{"nothing, and the check fails", "day", tick{1, true, "bot", nil, "nothing"}, evidence, wrong, []string{"criterion 1 rests on nothing, and it is wrong"}},
		{"a look, and the check fails", "day", tick{1, true, "bot", nil, "seen"}, evidence, wrong, []string{"criterion 1 rests on a look, and it is wrong"}},
		{"a run, and the check fails", "day", tick{1, true, "bot", by(1), "run"}, evidence, wrong, []string{"criterion 1 rests on `sh tests/run`, and it is wrong"}},
		{"a tick of the person", "day", tick{1, true, person, nil, "nothing"}, evidence, wrong, nil},
		{"no tick", "day", tick{Index: 1}, evidence, wrong, nil},
		{"nothing, and a check of none in particular fails", "day", tick{1, true, "bot", nil, "nothing"}, evidence, []failure{{why: "it is wrong"}},
			[]string{"criterion 1 rests on nothing, and it is wrong"}},
		{"a run that does not show it", "day", tick{2, true, "bot", by(1), "run"}, evidence, nil, []string{"criterion 2 rests on `sh tests/run`, which does not show it"}},
		{"a run that shows it", "day", tick{2, true, "bot", by(2), "run"}, evidence, nil, nil},
		{"a test of its own that shows it", "own", tick{2, true, "bot", by(1), "run"}, evidence, nil, nil},
		{"typed evidence for the gate", "day", tick{Index: 1}, []item{{ID: 3, Actor: "bot", Kind: gateKind, Value: "ok"}}, nil,
			[]string{`evidence 3, for the gate, was typed: "ok"`}},
		{"typed evidence for something else", "day", tick{Index: 1}, []item{{ID: 3, Actor: "bot", Kind: "review", Value: "ok"}}, nil, nil},
	} {
		j := job{name: c.job, shown: map[int]string{2: "bench/day|50,?000"}}
		if diff := cmp.Diff(c.want, overclaims(j, done{criteria: []tick{c.tick}, evidence: c.evidence}, c.failing, repo)); diff != "" {
			t.Errorf("%s (-want +is):\n%s", c.name, diff)
		}
	}
}
