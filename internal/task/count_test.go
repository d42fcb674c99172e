package task_test

import (
	"testing"

	"tasker/internal/task"
)

func TestWhatIsMissingIsCounted(t *testing.T) {
	for _, c := range []struct {
		want    string
		missing []string
	}{
		{"1 criterion", []string{"criterion 1: it works"}},
		{"1 criterion and 1 kind of evidence", []string{"criterion 2: it works", "evidence tests"}},
		{"2 criteria, 1 approval and 1 note", []string{"criterion 1: a", "criterion 2: b", "approval by lead: it ships", "note: at least one on the task"}},
		{"1 kind of evidence and 4 open dependencies", []string{"evidence tests, by the policy of record", "dependency demo-2: B (open)", "dependency: 3 open ones"}},
		{"2 answers to questions, 1 open part, a human to close it and an answer to its return", []string{
			"question 7: which?", "question: 1 open blocking one", "part demo-3: C (open)", "supervised: a human closes it, from in_review", "returned: no test",
		}},
		{"", []string{"criterion 1: a", "autonomy: from supervised to autonomous"}},
		{"", nil},
	} {
		if got := task.CountMissing(c.missing); got != c.want {
			t.Errorf("%q is counted as %q, want %q", c.missing, got, c.want)
		}
	}
}
