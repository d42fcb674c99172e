package task_test

import (
	"testing"

	"tasker/internal/task"
)

func TestAQuestionThatBlocksNothingAsksPeopleOrAgents(t *testing.T) {
	declared := []task.Actor{{Name: "nina", Human: true, Roles: []string{"lead"}}, {Name: "codex", Roles: []string{"lead", "tester"}}}
	for _, c := range []struct {
		to    task.Opt
		wrote bool
		want  task.Answerers
	}{
		{"", false, task.AskedPeople},
		{"nina", false, task.AskedHuman},
		{"lead", false, task.AskedHuman}, // an agent has the role too
		{"codex", false, task.AskedAgent},
		{"tester", false, task.AskedAgent},
		{"gemini", true, task.AskedAgent},
		{"nnina", false, task.AskedPeople}, // nobody's: any human
	} {
		q := task.Question{To: c.to}
		if got := q.Asks(declared, c.wrote); got != c.want {
			t.Errorf("a question to %q, wrote %v, asks %s, want %s", c.to, c.wrote, got, c.want)
		}
	}
}

func TestAQuestionIsAboutTheFailuresOfItsAskerOrAfterThem(t *testing.T) {
	failing := &task.Task{Failing: 20, LastHolder: "bot/1"}
	for _, c := range []struct {
		q    task.Question
		on   *task.Task
		want bool
	}{
		{task.Question{ID: 9, Actor: "bot/1", Blocking: true}, failing, true}, // asked before the release, as the runner does
		{task.Question{ID: 21, Actor: "ann", Blocking: true}, failing, true},
		{task.Question{ID: 9, Actor: "ann", Blocking: true}, failing, false},
		{task.Question{ID: 21, Actor: "bot/1"}, failing, false},
		{task.Question{ID: 9, Actor: "bot/1", Blocking: true}, &task.Task{LastHolder: "bot/1"}, false},
		{task.Question{ID: 9, Actor: "ann", Blocking: true}, &task.Task{Failing: task.ThisEvent}, false},
		{task.Question{ID: 9, Actor: "bot", Blocking: true}, &task.Task{Failing: task.ThisEvent, LastHolder: "bot"}, true},
	} {
		if got := c.q.AboutFailures(c.on); got != c.want {
			t.Errorf("%+v about %+v: %v, want %v", c.q, c.on, got, c.want)
		}
	}
}
