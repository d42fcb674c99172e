package web

import (
	"slices"
	"strings"
	"testing"
	"time"

	"tasker/internal/bundle"
	"tasker/internal/fault/hint"
	"tasker/internal/reading"
	"tasker/internal/task"
)

// TestAQuestionToTheReaderLeadsThePage has somebody hold a task and ask a question: nothing else on the page is for the
// reader.
func TestAQuestionToTheReaderLeadsThePage(t *testing.T) {
	held := &task.Task{ID: "demo-1", Project: "demo", Status: task.InProgress, Claim: &task.Claim{Actor: "bot/3"}}
	ask := func(q task.Question, reader string) nowBanner {
		b := &bundle.Bundle{Task: held, Questions: []task.Question{q}}
		return nowOf(b, reading.ExplainOut{Actor: reader, Kind: "human", Status: task.InProgress}, false, time.Time{})
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

// TestThePageNamesTheKindOfWhatIsMissing: an approval instead of a verification would change nothing.
func TestThePageNamesTheKindOfWhatIsMissing(t *testing.T) {
	b := &bundle.Bundle{Task: &task.Task{ID: "demo-1", Status: task.InReview}}
	b.Approvals.Missing = []bundle.Need{{Kind: task.KindVerification}}
	e := reading.ExplainOut{Actor: "ann", Kind: "human", Status: task.InReview}
	asked := task.Requirement{Kind: task.KindVerification}
	change := hint.Advice(asked.Advice("demo-1", task.Actor{Name: "ann", Human: true}, task.Policy{}))
	e.Closable.Reasons = []reading.Reason{{Rule: "approval", Why: "missing: verification by any human", Change: change}}
	e.Approvals = []task.Requirement{asked}
	const want = "tasker approve demo-1 --kind verification"
	if n := nowOf(b, e, false, time.Time{}); n.Say != "In review. It waits for you: verification by any human" || len(n.Commands) == 0 || n.Commands[0] != want {
		t.Errorf("the banner is %+v, want %s first", n, want)
	}
	offered := func() (out []string) {
		for _, c := range commands(b, e, false) {
			if strings.HasPrefix(c.Text, "tasker approve") {
				out = append(out, c.Text+c.Off)
			}
		}
		return out
	}
	if got := offered(); !slices.Equal(got, []string{want}) {
		t.Errorf("the commands are %q, want only %s", got, want)
	}
	e.Approvals = nil
	if got := offered(); !slices.Equal(got, []string{want + "ann may give none that is missing"}) {
		t.Errorf("to one who may not give it the commands are %q", got)
	}
}
