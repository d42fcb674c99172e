package task_test

import (
	"fmt"
	"testing"

	"tasker/internal/task/drift"
)

func prints(pairs ...string) []drift.Fingerprint {
	var out []drift.Fingerprint
	for i := 0; i < len(pairs); i += 2 {
		out = append(out, drift.Fingerprint{Path: pairs[i], Hash: pairs[i+1]})
	}
	return out
}

func TestADirectoryThatCannotBeReadIsChangedAsAWhole(t *testing.T) {
	for _, c := range []struct {
		what      string
		then, now []drift.Fingerprint
		want      string
	}{
		{"files", prints("a", "1", "b", "1", "c", "1"), prints("b", "2", "c", "1", "d", "1"), "[{a removed} {b changed} {d added}]"},
		{"shut since", prints("docs/a", "1", "docs/b", "1", "docs2", "1"), prints("docs/", "", "docs2", "1"), "[{docs/ changed}]"},
		{"opened since", prints("docs/deep/", "", "x", "1"), prints("docs/a", "1", "docs/deep/b", "1", "x", "1"), "[{docs/a added} {docs/deep/ changed}]"},
		{"shut then and now", prints("docs/", ""), prints("docs/", ""), "[]"},
		{"shut further up", prints("docs/a", "1", "docs/deep/", ""), prints("docs/", ""), "[{docs/ changed}]"},
		{"all shut", prints("a", "1"), prints("./", ""), "[{./ changed}]"},
	} {
		if got := fmt.Sprint(drift.Drifted(c.then, c.now)); got != c.want {
			t.Errorf("%s: %s, want %s", c.what, got, c.want)
		}
	}
}
