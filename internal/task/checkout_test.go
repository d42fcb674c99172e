package task_test

import (
	"slices"
	"testing"

	"tasker/internal/task"
)

func TestWhoSharesACheckout(t *testing.T) {
	t.Parallel()
	codex := task.Actor{Name: "codex", Instance: "1"}
	held := func(names ...string) (out []task.HeldIn) {
		for _, name := range names {
			out = append(out, task.HeldIn{Holder: name})
		}
		return out
	}
	mine := task.Task{Status: task.InProgress, Claim: &task.Claim{Actor: "codex/1"}, LastHolder: "codex/1"}
	touching, free, handed := mine, task.Task{Status: task.Open}, mine
	touching.Touches = []string{"src/**"}
	handed.Status, handed.Claim = task.InReview, nil
	for _, c := range []struct {
		about string
		task  task.Task
		actor task.Actor
		held  []task.HeldIn
		want  []string
	}{
		{"nobody else", mine, codex, nil, nil},
		{"itself", mine, codex, held("codex/1"), nil},
		{"its plain name", mine, codex, held("codex"), nil},
		{"another instance", mine, codex, held("codex/2"), []string{"codex/2"}},
		{"two others, one of them twice", mine, codex, held("robot", "ann", "robot"), []string{"ann", "robot"}},
		{"a name that begins alike", mine, codex, held("codex-2"), []string{"codex-2"}},
		{"another in a work tree of its own", mine, codex, []task.HeldIn{{Holder: "robot", Apart: true}}, nil},
		{"a task with touches", touching, codex, held("robot"), nil},
		{"nobody holds it", free, codex, held("codex/1", "robot"), []string{"robot"}},
		{"a human closes what its holder works on besides", mine, task.Actor{Name: "ann", Human: true}, held("codex/1"), nil},
		{"its last holder closes it from review", handed, codex, held("codex/1"), nil},
	} {
		if got := c.task.SharedBy(c.actor, c.held); !slices.Equal(got, c.want) {
			t.Errorf("%s: shared by %v, not %v", c.about, got, c.want)
		}
	}
}
