package notify_test

import (
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"

	"tasker/internal/core"
	"tasker/internal/fault"
	"tasker/internal/inbox"
	"tasker/internal/links"
	"tasker/internal/notify"
	"tasker/internal/store"
	"tasker/internal/task/delivery"
	"tasker/internal/task/merge"
	"tasker/internal/testkit/coretest"
	"tasker/internal/work"
)

func (k kit) ask(id string) int64 {
	k.Helper()
	q, err := k.Work.Ask(coretest.Bot, work.AskIn{Task: id, Text: "which?", Blocking: true})
	k.Must(err)
	return q.ID
}

func TestChannelsGetWhatTheyAreFor(t *testing.T) {
	each(t, []delivery.Channel{channel("plain"), channel("reviews", "review", "override"), channel("mute", "nothing")}, func(k kit) {
		all := func() {
			for i := range k.channels {
				k.deliver(k.server(i, "s"))
			}
		}
		k.ask("demo-2")
		_, err := k.Work.Move(coretest.Bot, work.MoveIn{Task: "demo-1", To: "done"})
		k.Refused(err, fault.Declined, "missing approvals")
		all()
		k.got("a question, and what a gate asks for", "plain blocking_question demo-2", "plain approval_requested demo-1", "plain verification_requested demo-1")

		k.Move(coretest.Bot, work.MoveIn{Task: "demo-1", To: "in_review"})
		all()
		k.got("nothing new")

		_, err = k.Work.Approve(coretest.Ann, work.ApproveIn{Task: "demo-1"})
		k.Must(err)
		all()
		k.got("one of two approvals")
		verify := func() {
			k.Helper()
			_, err := k.Work.Approve(coretest.Bob, work.ApproveIn{Task: "demo-1", Kind: "verification"})
			k.Must(err)
			all()
		}
		verify()
		k.got("the last approval settles it")
		k.ask("demo-1")
		verify()
		k.got("an approval leaves a review while a question is open", "plain blocking_question demo-1", "reviews review demo-1")

		k.Edit(coretest.Ann, "demo-1", `{"title": "Another"}`)
		all()
		k.got("an edit makes the approvals stale", "plain approval_requested demo-1", "plain verification_requested demo-1")
		k.Edit(coretest.Ann, "demo-1", `{"priority": 0}`)
		k.Note(coretest.Ann, "demo-1", "so")
		all()
		k.got("nothing that asks again")

		k.ConfigFile = `{"version": 1, "project": "demo", "notifications": {"onBlockingQuestion": false, "onApprovalRequested": false}}`
		k.ask("demo-3")
		k.Edit(coretest.Ann, "demo-1", `{"title": "A third"}`)
		all()
		k.got("triggers that are off")
		k.ConfigFile = `{"version": 1, "project": "demo"}`
		all()
		k.got("what was caused while they were off")
		k.ask("demo-3")
		all()
		k.got("what is caused once they are on", "plain blocking_question demo-3")
	})
}

func TestAMessageIsTheItemOfTheInbox(t *testing.T) {
	each(t, []delivery.Channel{channel("x")}, func(k kit) {
		q := k.ask("demo-2")
		var got delivery.Message
		k.outcome = func(m delivery.Message) delivery.Outcome { got = m; return delivery.Outcome{} }
		k.deliver(k.server(0, "s"))
		out, err := k.Inbox.Inbox(coretest.Ann, inbox.InboxIn{Slug: "demo", All: true})
		k.Must(err)
		want, err := json.Marshal(out.Items[0])
		k.Must(err)
		if got.Body != string(want) || got.Kind != "blocking_question" || got.Project != "demo" || got.Task != "demo-2" {
			k.Errorf("%+v, and the inbox has %s", got, want)
		}
		log := k.log()
		if len(log) != 1 || log[0].State != delivery.Delivered || log[0].Item != "blocking_question:demo-2:"+strconv.FormatInt(q, 10) ||
			log[0].Attempts != 1 || log[0].DeliveredAt == 0 || log[0].NextAt != 0 || log[0].LastError != "" || log[0].Channel != "exec x" {
			k.Errorf("%+v", log)
		}
		if last := k.last(); last.Kind != "notification.delivered" || last.Actor != "tasker" || last.Task != "" {
			k.Errorf("%+v", last)
		}
	})
}

func TestWhatWasThereBeforeAChannelIsNotSentToIt(t *testing.T) {
	each(t, []delivery.Channel{channel("first")}, func(k kit) {
		k.ask("demo-2")
		k.channels = append(k.channels, channel("second"))
		k.begin()
		k.ask("demo-3")
		k.deliver(k.server(0, "s"))
		k.deliver(k.server(1, "s"))
		k.got("both", "first blocking_question demo-2", "first blocking_question demo-3", "second blocking_question demo-3")
	})
}

func TestWhatHasToBeRepeatedHoldsUpWhatIsBehindIt(t *testing.T) {
	each(t, []delivery.Channel{channel("x"), channel("y")}, func(k kit) {
		k.ask("demo-2")
		k.ask("demo-3")
		k.outcome = func(delivery.Message) delivery.Outcome { return delivery.Outcome{Error: "busy"} }
		s := k.server(0, "s")
		began := k.Now()
		if out, next := k.deliver(s); out != (notify.Tally{Retried: 1}) || next < began || next > k.Now().Add(5000) {
			k.Errorf("%+v, next at %s", out, next)
		}
		k.got("one attempt", "x blocking_question demo-2")
		k.deliver(s)
		k.got("it is not time yet")
		k.outcome = nil
		k.deliver(k.server(1, "s"))
		k.got("another channel", "y blocking_question demo-2", "y blocking_question demo-3")
		if log := k.log(); log[0].State != delivery.Pending || log[0].LastError != "busy" || log[0].Attempts != 1 || log[1].Attempts != 0 {
			k.Errorf("%+v", log)
		}
		k.Pass(4 * time.Second)
		fares, err := k.Links.Fares(k.Context(), core.None{})
		if k.Must(err); fares.Pending != 2 || fares.OldestMs < 4000 {
			k.Errorf("%+v", fares)
		}
		k.deliver(s)
		if fares, err = k.Links.Fares(k.Context(), core.None{}); err != nil || fares.Pending != 0 || fares.OldestMs != 0 {
			k.Errorf("%+v %v", fares, err)
		}
		k.got("in order", "x blocking_question demo-2", "x blocking_question demo-3")
	})
}

func TestWhatCannotBeDeliveredIsGivenUpAndTheNextOneGoes(t *testing.T) {
	each(t, []delivery.Channel{channel("x")}, func(k kit) {
		k.ask("demo-2")
		k.ask("demo-3")
		k.outcome = func(m delivery.Message) delivery.Outcome {
			if m.Task == "demo-2" {
				return delivery.Outcome{Error: "h answered 404", Final: true}
			}
			return delivery.Outcome{}
		}
		if out, _ := k.deliver(k.server(0, "s")); out != (notify.Tally{Delivered: 1, Failed: 1}) {
			k.Errorf("%+v", out)
		}
		log := k.log()
		if log[0].State != delivery.Failed || log[0].LastError != "h answered 404" || log[1].State != delivery.Delivered {
			k.Errorf("%+v", log)
		}
		k.taken()
		k.outcome = nil
		again, err := k.Notify.Redeliver(coretest.Ann, notify.DeliveryIn{ID: log[0].ID})
		k.Must(err)
		if again.State != delivery.Pending || again.Attempts != 0 {
			k.Errorf("%+v", again)
		}
		k.deliver(k.server(0, "s"))
		k.got("again", "x blocking_question demo-2")
	})
}

func TestADroppedDeliveryIsNotSent(t *testing.T) {
	each(t, []delivery.Channel{channel("x")}, func(k kit) {
		k.ask("demo-2")
		k.ask("demo-3")
		k.outcome = func(delivery.Message) delivery.Outcome { return delivery.Outcome{Error: "busy"} }
		k.deliver(k.server(0, "s"))
		k.taken()
		k.outcome = nil
		gone, err := k.Notify.Drop(coretest.Ann, notify.DeliveryIn{ID: k.log()[0].ID})
		k.Must(err)
		if gone.State != delivery.Failed || gone.LastError != "dropped by ann; before that: busy" {
			k.Errorf("%+v", gone)
		}
		if last := k.last(); last.Kind != "notification.failed" {
			k.Errorf("%+v", last)
		}
		k.deliver(k.server(0, "s"))
		k.got("the next one", "x blocking_question demo-3")
		_, err = k.Notify.Drop(coretest.Ann, notify.DeliveryIn{ID: k.log()[1].ID})
		k.Refused(err, fault.Declined, "is delivered")
		_, err = k.Notify.Redeliver(coretest.Ann, notify.DeliveryIn{ID: 4711})
		k.Refused(err, fault.NotFound, "no delivery 4711")
	})
}

func TestOfTwoServersTheOneWithTheLeaseDelivers(t *testing.T) {
	each(t, []delivery.Channel{channel("x")}, func(k kit) {
		one := k.server(0, "one")
		if mine, err := k.Notify.Hold(k.Context(), "two", k.channels); err != nil || len(mine) > 0 {
			k.Fatalf("two have the lease: %v, %v", mine, err)
		}
		two := k.Notify.Worker(k.channels[0], "two")
		k.ask("demo-2")
		k.deliver(two)
		k.got("without the lease")
		k.Must(two.Caught(k.Context()))
		k.got("a command while a server runs")
		k.deliver(one)
		k.got("with it", "x blocking_question demo-2")
		k.ask("demo-3")
		k.Must(k.Notify.Release(k.Context(), "two", k.channels)) // two does not hold it, and cannot give it back
		k.deliver(two)
		k.got("still without the lease")
		k.Must(k.Notify.Release(k.Context(), "one", k.channels))
		k.deliver(k.server(0, "two"))
		k.got("the other, once it has it", "x blocking_question demo-3")
	})
}

func TestALeaseThatRanOutIsTakenOver(t *testing.T) {
	each(t, []delivery.Channel{channel("x")}, func(k kit) {
		dead := k.server(0, "dead")
		k.ask("demo-2")
		if _, _, err := dead.Collect(k.Context()); err != nil { // and then its process ends
			k.Fatal(err)
		}
		k.expire()
		k.deliver(k.server(0, "next"))
		k.got("what another had queued", "x blocking_question demo-2")
		k.outcome = func(delivery.Message) delivery.Outcome { return delivery.Outcome{Error: "late", Final: true} }
		k.deliver(dead)
		k.got("nothing is left for it")
	})
}

func TestWhoLostItsLeaseInTheMiddleSettlesNothing(t *testing.T) {
	each(t, []delivery.Channel{channel("x")}, func(k kit) {
		slow := k.server(0, "slow")
		k.ask("demo-2")
		k.outcome = func(delivery.Message) delivery.Outcome {
			k.outcome = nil
			k.Must(k.Notify.Release(k.Context(), "slow", k.channels))
			k.server(0, "fast")
			return delivery.Outcome{Error: "no", Final: true}
		}
		k.deliver(slow)
		if log := k.log(); log[0].State != delivery.Pending || log[0].Attempts != 0 {
			k.Errorf("%+v", log)
		}
	})
}

func TestACommandDeliversWhatItCausedAndNothingElse(t *testing.T) {
	each(t, []delivery.Channel{channel("x")}, func(k kit) {
		command := k.Notify.Worker(k.channels[0], "command")
		k.outcome = func(delivery.Message) delivery.Outcome { return delivery.Outcome{Error: "busy"} }
		k.ask("demo-2")
		k.Must(command.Caught(k.Context()))
		k.got("one attempt", "x blocking_question demo-2")
		k.Note(coretest.Ann, "demo-1", "so")
		k.Must(command.Caught(k.Context()))
		k.got("a command that causes nothing")
		k.outcome = nil
		k.ask("demo-3")
		k.Must(k.Notify.Worker(k.channels[0], "another").Caught(k.Context()))
		k.got("the next that causes one", "x blocking_question demo-2", "x blocking_question demo-3")
	})
}

func TestFlushDoesNotWait(t *testing.T) {
	each(t, []delivery.Channel{channel("x"), channel("y")}, func(k kit) {
		k.ask("demo-2")
		k.outcome = func(delivery.Message) delivery.Outcome { return delivery.Outcome{Error: "busy"} }
		flush := func(want notify.FlushOut) {
			k.Helper()
			out, err := k.Notify.Flush(coretest.Ann, notify.FlushIn{Holder: "flush"})
			k.Must(err)
			coretest.Equal(k.Kit, "flush", out, want)
		}
		flush(notify.FlushOut{Pending: 2})
		flush(notify.FlushOut{Pending: 2})
		k.outcome = nil
		k.server(1, "server")
		flush(notify.FlushOut{Delivered: 1, Pending: 1})
		if n := len(k.taken()); n != 5 {
			k.Errorf("%d attempts", n)
		}
	})
}

func TestATaskThatStallsIsToldOfOnce(t *testing.T) {
	each(t, []delivery.Channel{channel("x", "stalled")}, func(k kit) {
		lease := int64(8000)
		_, err := k.Work.Claim(coretest.Bot, work.ClaimIn{Task: "demo-2", LeaseMs: &lease})
		k.Must(err)
		s := k.server(0, "s")
		k.deliver(s)
		k.got("not yet")
		k.Pass(4100 * time.Millisecond)
		k.deliver(s)
		k.got("half of the lease is over", "x stalled demo-2")
		k.deliver(s)
		k.deliver(k.server(0, "s"))
		k.got("once")
	})
}

func TestATestGoesToEveryChannelAndIsNotStored(t *testing.T) {
	each(t, []delivery.Channel{channel("x"), channel("y", "stalled")}, func(k kit) {
		k.outcome = func(m delivery.Message) delivery.Outcome {
			if !strings.Contains(m.Body, `"kind":"test"`) {
				return delivery.Outcome{Error: "what is " + m.Body}
			}
			return delivery.Outcome{}
		}
		out, err := k.Notify.Test(coretest.Ann, notify.TestIn{Project: "demo"})
		k.Must(err)
		if len(out) != 2 || !out[0].Delivered || !out[1].Delivered || out[1].Channel != "exec y" || len(out[0].Kinds) != 4 || len(out[1].Kinds) != 1 {
			k.Errorf("%+v", out)
		}
		if log := k.log(); len(log) > 0 {
			k.Errorf("%+v", log)
		}
		k.channels = nil
		_, err = k.Notify.Test(coretest.Ann, notify.TestIn{})
		k.Refused(err, fault.Declined, "no channel is declared")
	})
}

func TestAProjectThatIsDeletedTakesItsDeliveriesWithIt(t *testing.T) {
	each(t, []delivery.Channel{channel("x")}, func(k kit) {
		k.ask("demo-2")
		k.deliver(k.server(0, "s"))
		k.Must(k.Store.Write(coretest.Ann, core.By(coretest.Ann), func(tx *store.Tx) error { return tx.DeleteProject("demo") }))
		if log := k.log(); len(log) > 0 {
			k.Errorf("%+v", log)
		}
		k.taken()
		k.Apply(`{"project": "other", "tasks": [{"key": "a", "title": "A"}]}`)
		k.ask("other-1")
		k.deliver(k.server(0, "s"))
		k.got("what comes after it", "x blocking_question other-1")
	})
}

func TestManyItemsAreDeliveredInTheOrderOfTheirEvents(t *testing.T) {
	each(t, []delivery.Channel{channel("x", "review")}, func(k kit) {
		var tasks, want []string
		for i := range 520 {
			tasks = append(tasks, `{"key": "k`+strconv.Itoa(i)+`", "title": "T", "status": "in_review"}`)
			want = append(want, "x review demo-"+strconv.Itoa(i+4))
		}
		k.Apply(`{"project": "demo", "tasks": [` + strings.Join(tasks, ",") + `]}`)
		k.deliver(k.server(0, "s"))
		k.got("all of them", want...)
	})
}

// A disagreement found by a pull goes to all channels, and what a code host merged or names goes to the channels that
// ask for it.
func TestWhatOtherSystemsCauseIsDelivered(t *testing.T) {
	each(t, []delivery.Channel{channel("plain"), channel("reviews", "review")}, func(k kit) {
		all := func() {
			for i := range k.channels {
				k.deliver(k.server(i, "s"))
			}
		}
		k.ConfigFile = `{"version": 1, "project": "demo", "integrations": {"issue_tracker": {"baseUrl": "https://site.example.org"},
			"code_host": {"repos": ["own/code"]}}}`
		_, err := k.Links.Bind(coretest.Ann, links.BindIn{Task: "demo-2", Ref: "DEMO-1"})
		k.Must(err)
		pull := func(updated, status string) {
			_, err := k.Links.Merge(coretest.Ann, links.MergeIn{Project: "demo", System: merge.IssueTracker, Seen: []merge.Issue{
				{Ref: "DEMO-1", Updated: updated, Values: merge.Values{"status": status}},
			}})
			k.Must(err)
		}
		pull("1", "open")
		all()
		k.got("both sides agree")
		pull("2", "in_review") // we own the field
		all()
		k.got("a disagreement", "plain divergence demo-2")
		pull("3", "open")
		all()
		k.got("they agree again")

		_, err = k.Links.Requests(coretest.Ann, links.RequestsIn{Project: "demo", Requests: []merge.Request{
			{Repo: "own/code", Number: 1, Title: "demo-3: or so", Branch: "x", State: merge.RequestOpen, Updated: "1"},
			{Repo: "own/code", Number: 2, Title: "x", Text: "Task: demo-2", Branch: "y", State: merge.RequestMerged, Merge: "abc", Updated: "1"},
			{Repo: "own/other", Number: 3, Title: "demo-3", Text: "Task: demo-2", Branch: "z", State: merge.RequestMerged, Updated: "1"},
		}})
		k.Must(err)
		all()
		k.got("a title, and a merge", "reviews review demo-3", "reviews review demo-2")
	})
}
