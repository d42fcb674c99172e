package web

import (
	"slices"
	"strings"
	"testing"
	"time"

	"tasker/internal/bundle"
	"tasker/internal/hint"
	"tasker/internal/inbox"
	"tasker/internal/task"
	"tasker/internal/task/waiting"
	"tasker/internal/views/reading"
)

// TestAQuestionToTheReaderLeadsThePage has somebody hold a task and ask a question: nothing else on the page is for the
// reader.
func TestAQuestionToTheReaderLeadsThePage(t *testing.T) {
	held := &task.Task{ID: "demo-1", Project: "demo", Status: task.InProgress, Claim: &task.Claim{Actor: "bot/3"}}
	ask := func(q task.Question, reader string, waits ...inbox.Item) nowBanner {
		b := &bundle.Bundle{Task: held, Questions: []task.Question{q}}
		return nowOf(b, reading.ExplainOut{Actor: reader, Kind: "human", Status: task.InProgress}, waits, false, time.Time{})
	}
	q := task.Question{ID: 7, Actor: "bot/3", To: "ann", Text: "Euro or pound?"}
	if n := ask(q, "ann"); n.Tone != "go" || n.Text != q.Text || len(n.Commands) != 1 || n.Commands[0] != "tasker answer 7 'TEXT'" {
		t.Errorf("the page leads with %+v", n)
	}
	if n := ask(q, "bob"); n.Text != "" || n.Say != "bot/3 holds it." {
		t.Errorf("to another reader the page leads with %+v", n)
	}
	q.Blocking = true
	if n := ask(q, "bob"); n.Tone != "wait" || n.Text != q.Text || n.Commands != nil {
		t.Errorf("a blocking question to another leads with %+v", n)
	}
	other := inbox.Item{ID: "blocking_question:demo-1:6", Kind: waiting.ItemQuestion, Settle: []string{"tasker answer 6 'TEXT'"}}
	own := inbox.Item{ID: "blocking_question:demo-1:7", Kind: waiting.ItemQuestion, Settle: []string{"tasker answer 7 --withdraw"}}
	if n := ask(q, "ann", other, own); n.Tone != "go" || !slices.Equal(n.Commands, own.Settle) {
		t.Errorf("a question that waits in the reader's inbox leads with %+v", n)
	}
	q.AnsweredAt = 9
	if n := ask(q, "ann"); n.Text != "" {
		t.Errorf("once it is answered the page leads with %+v", n)
	}
}

// TestThePageOffersWhatTheInboxOffers: the commands of the most urgent items of the reader, before what explain says.
func TestThePageOffersWhatTheInboxOffers(t *testing.T) {
	item := func(kind waiting.ItemKind, commands ...string) inbox.Item {
		return inbox.Item{ID: string(kind) + ":demo-1", Kind: kind, Task: "demo-1", Settle: commands}
	}
	approval, back := "tasker approve demo-1 --role lead", "tasker return demo-1 --because 'TEXT'"
	ack := item(waiting.ItemFailing, "tasker inbox ack failing:demo-1")
	for _, c := range []struct {
		name  string
		task  task.Task
		waits []inbox.Item
		yes   bool // it can be claimed, or closed
		want  []string
	}{
		{"two approvals", task.Task{Status: task.InReview}, []inbox.Item{ack, item(waiting.ItemApproval, approval, back), item(waiting.ItemApproval, approval, back)},
			false, []string{approval, back}},
		{"unticked", task.Task{Status: task.InReview}, []inbox.Item{item(waiting.ItemReview, back, "tasker done demo-1 --check 1")}, false,
			[]string{back, "tasker done demo-1 --check 1"}},
		{"approved by the reader", task.Task{Status: task.InReview}, nil, true, []string{"tasker done demo-1", back}},
		{"approved, and failing", task.Task{Status: task.InReview}, []inbox.Item{ack}, true, []string{"tasker done demo-1", ack.Settle[0], back}},
		{"stalled", task.Task{Status: task.InProgress, Claim: &task.Claim{Actor: "bot"}}, []inbox.Item{item(waiting.ItemStalled, "tasker release demo-1")}, false,
			[]string{"tasker release demo-1"}},
		{"in nobody's hands", task.Task{Status: task.InProgress}, []inbox.Item{item(waiting.ItemUnheld, "tasker reopen demo-1")}, true,
			[]string{"tasker start demo-1", "tasker reopen demo-1"}},
		{"failing", task.Task{Status: task.Open}, []inbox.Item{ack}, true, []string{"tasker start demo-1", ack.Settle[0]}},
		{"waiting", task.Task{Status: task.Open, OpenDeps: 1}, []inbox.Item{ack}, false, ack.Settle},
		{"forced", task.Task{Status: task.Done}, []inbox.Item{item(waiting.ItemOverride, "tasker inbox ack override:demo-1:7")}, false,
			[]string{"tasker inbox ack override:demo-1:7"}},
	} {
		c.task.ID = "demo-1"
		e := reading.ExplainOut{Actor: "ann", Kind: "human", Status: c.task.Status, Claimable: reading.Verdict{Yes: c.yes}, Closable: reading.Verdict{Yes: c.yes}}
		b := &bundle.Bundle{Task: &c.task}
		got := nowOf(b, e, c.waits, false, time.Time{}).Commands
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: the page offers %q, want %q", c.name, got, c.want)
		}
		for _, other := range commands(b, e, got, false) {
			if strings.HasPrefix(other.Text, "tasker done") && slices.ContainsFunc(got, func(o string) bool { return strings.HasPrefix(o, "tasker done") }) {
				t.Errorf("%s: %s is offered in another form", c.name, other.Text)
			}
		}
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
	if n := nowOf(b, e, nil, false, time.Time{}); n.Say != "In review. It waits for you: verification by any human" || len(n.Commands) == 0 || n.Commands[0] != want {
		t.Errorf("the banner is %+v, want %s first", n, want)
	}
	offered := func() (out []string) {
		for _, c := range commands(b, e, nil, false) {
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
	if got := offered(); !slices.Equal(got, []string{want + "ann may not give what is missing"}) {
		t.Errorf("to a reader who may not give it the commands are %q", got)
	}
}
