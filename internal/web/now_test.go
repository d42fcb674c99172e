package web

import (
	"testing"

	"tasker/internal/bundle"
	"tasker/internal/core/reading"
	"tasker/internal/task"
)

// TestAQuestionToTheReaderLeadsThePage has somebody hold a task and ask meanwhile: nothing else on the page is for the reader.
func TestAQuestionToTheReaderLeadsThePage(t *testing.T) {
	held := &task.Task{ID: "demo-1", Project: "demo", Status: task.InProgress, Claim: &task.Claim{Actor: "bot/3"}}
	ask := func(q task.Question, reader string) nowBanner {
		b := &bundle.Bundle{Task: held, Questions: []task.Question{q}}
		return nowOf(b, reading.ExplainOut{Actor: reader, Kind: "human", Status: task.InProgress}, false)
	}
	q := task.Question{ID: 7, Actor: "bot/3", To: "ann", Text: "Euro or pound?"}
	if n := ask(q, "ann"); n.Tone != "go" || n.Text != q.Text || len(n.Commands) != 1 || n.Commands[0] != "tasker answer 7 'TEXT'" {
		t.Errorf("the page leads with %+v", n)
	}
	if n := ask(q, "bob"); n.Text != "" || n.Say != "bot/3 holds it." {
		t.Errorf("to another reader the page leads with %+v", n)
	}
	q.AnsweredAt = 9
	if n := ask(q, "ann"); n.Text != "" {
		t.Errorf("once it is answered the page leads with %+v", n)
	}
}
