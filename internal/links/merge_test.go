package links_test

import (
	"slices"
	"strings"
	"testing"

	"tasker/internal/core"
	"tasker/internal/fault"
	"tasker/internal/inbox"
	"tasker/internal/links"
	"tasker/internal/task"
	"tasker/internal/task/merge"
	"tasker/internal/testkit/coretest"
	"tasker/internal/work"
)

var demo = core.ProjectIn{Slug: "demo"}

// site is a tracker with one issue, DEMO-1, to which demo-1 is bound.
type site struct {
	*coretest.Kit
	issue merge.Values
	clock byte
}

func bound(k *coretest.Kit) *site {
	k.Helper()
	k.ConfigFile = `{"version": 1, "project": "demo", "integrations": {"issue_tracker": {"baseUrl": "https://site.example.org"}}}`
	k.Tasks(`{"key": "a", "title": "A", "criteria": ["it works"]}`)
	s := &site{Kit: k, clock: 'a', issue: merge.Values{
		"title": "A", "body": "", "severity": "", "due": "", "sprint": "", "rank": "0|a", "priority": "2", "status": "open",
	}}
	_, err := k.Links.Bind(coretest.Ann, links.BindIn{Task: "demo-1", Ref: "DEMO-1"})
	k.Must(err)
	s.pull()
	return s
}

func (s *site) pull() links.MergeOut {
	s.Helper()
	s.clock++
	values := merge.Values{}
	for f, v := range s.issue {
		values[f] = v
	}
	out, err := s.Links.Merge(coretest.Ann, links.MergeIn{Project: "demo", System: merge.IssueTracker, Seen: []merge.Issue{
		{Ref: "DEMO-1", Updated: string(s.clock), Values: values}, {Ref: "DEMO-99", Updated: "z", Values: values},
	}})
	s.Must(err)
	return out
}

// push carries out what is planned.
func (s *site) push() {
	s.Helper()
	s.Must(s.Links.Settle(coretest.Ann, "demo"))
	due, err := s.Links.DueWrites(coretest.Ann, links.DueIn{Project: "demo"})
	s.Must(err)
	for _, d := range due {
		s.issue[d.Field] = d.To
		_, err := s.Links.Sent(coretest.Ann, links.SentIn{Write: d.Write, Seen: merge.Issue{Ref: d.Ref, Values: s.issue}})
		s.Must(err)
	}
}

func (s *site) conflict() links.Conflict {
	s.Helper()
	out, err := s.Links.Conflicts(coretest.Ann, demo)
	s.Must(err)
	if len(out.Items) != 1 {
		s.Fatalf("%d conflicts: %+v", len(out.Items), out)
	}
	return out.Items[0]
}

func (s *site) noConflict() {
	s.Helper()
	out, err := s.Links.Conflicts(coretest.Ann, demo)
	s.Must(err)
	if out.Total != 0 {
		s.Errorf("conflicts: %+v", out.Items)
	}
}

func (s *site) plan() []links.Planned {
	s.Helper()
	out, err := s.Links.Plan(coretest.Ann, demo)
	s.Must(err)
	return out.Writes
}

func (s *site) resolve(id int64, how string) links.ResolveOut {
	s.Helper()
	in := links.ResolveIn{Conflict: id, Resolution: how}
	if how == merge.SetValue {
		in.Value = new("neither")
	}
	out, err := s.Links.Resolve(coretest.Ann, in)
	s.Must(err)
	return out
}

func TestAPullTakesWhatTheTrackerOwns(t *testing.T) {
	coretest.Each(t, func(k *coretest.Kit) {
		s := bound(k)
		s.issue["title"], s.issue["priority"], s.issue["severity"] = "B", "0", "1"
		out := s.pull()
		if len(out.Updated) != 1 || !slices.Equal(out.Updated[0].Fields, []string{"title", "severity", "priority"}) {
			k.Errorf("%+v", out)
		}
		got := k.Task("demo-1")
		if got.Title != "B" || got.Priority != 0 || got.Severity != 1 || got.Version != 3 { // the rank came with the first pull
			k.Errorf("%+v", got)
		}
		before := k.Task("demo-1").Version
		events := len(k.Events(""))
		s.clock--
		if out := s.pull(); out.Unchanged != 1 || len(out.Updated) != 0 || len(k.Events("")) != events || k.Task("demo-1").Version != before {
			k.Errorf("pulling again wrote something: %+v", out)
		}
		// An old copy of the issue changes nothing back.
		s.clock -= 2
		s.issue["title"] = "A"
		if out := s.pull(); len(out.Updated) != 0 || k.Task("demo-1").Title != "B" {
			k.Errorf("%+v", out)
		}
	})
}

func TestAChangeOfWhatWeOwnIsAConflictAndAChangeHereIsPlanned(t *testing.T) {
	coretest.Rule(t, func(k *coretest.Kit) {
		s := bound(k)
		k.Claim(coretest.Bot, "demo-1")
		plan := s.plan()
		if len(plan) != 1 || plan[0].Field != "status" || plan[0].From != "open" || plan[0].To != "in_progress" {
			k.Fatalf("%+v", plan)
		}
		s.push()
		if s.issue["status"] != "in_progress" || len(s.plan()) != 0 {
			k.Errorf("%v %+v", s.issue, s.plan())
		}
		if out := s.pull(); len(out.Updated) != 0 || out.Conflicts != 0 {
			k.Errorf("our own write came back as news: %+v", out)
		}
		s.issue["status"] = "done"
		if out := s.pull(); out.Conflicts != 1 {
			k.Errorf("%+v", out)
		}
		c := s.conflict()
		if c.Ours != "in_progress" || c.Theirs != "done" || c.Base != "in_progress" || len(c.Resolutions) != 5 {
			k.Errorf("%+v", c)
		}
		box, err := k.Inbox.Inbox(coretest.Ann, inbox.InboxIn{Slug: "demo"})
		k.Must(err)
		if len(box.Items) != 1 || box.Items[0].Kind != "divergence" {
			k.Errorf("%+v", box.Items)
		}
		k.Healthy()
	})
}

func TestEveryResolutionAndItsUndoing(t *testing.T) {
	for _, owner := range []string{"local", "tracker"} {
		coretest.Rule(t, func(k *coretest.Kit) {
			s := bound(k)
			_, err := k.Links.SetOwnership(coretest.Ann, links.OwnershipSetIn{Slug: "demo", Changes: []string{"title=" + owner}})
			k.Must(err)
			k.Edit(coretest.Ann, "demo-1", `{"title": "ours"}`)
			s.issue["title"] = "theirs"
			s.pull()
			id := s.conflict().ID
			want := map[string]string{merge.KeepLocal: "ours", merge.TakeRemote: "theirs", merge.SetValue: "neither", merge.HandOver: "theirs", merge.Defer: "ours"}
			if owner == "tracker" {
				want[merge.HandOver] = "ours"
			}
			for _, first := range []string{merge.KeepLocal, merge.TakeRemote, merge.SetValue, merge.HandOver, merge.Defer} {
				for _, second := range []string{merge.Defer, merge.HandOver, merge.SetValue, merge.TakeRemote, merge.KeepLocal} {
					for _, how := range []string{first, second} {
						if got := s.resolve(id, how); got.Value != want[how] || k.Task("demo-1").Title != want[how] {
							k.Errorf("%s then %s: %+v, title %q", first, second, got, k.Task("demo-1").Title)
						}
						own, err := k.Links.Ownership(coretest.Ann, demo)
						k.Must(err)
						is := owner
						if how == merge.HandOver {
							is = map[string]string{"local": "tracker", "tracker": "local"}[owner]
						}
						if own.Fields[0].Owner != is {
							k.Errorf("%s then %s: the title is owned by %s", first, second, own.Fields[0].Owner)
						}
						if writes := s.plan(); (len(writes) == 1) != (want[how] != "theirs" && how != merge.Defer) {
							k.Errorf("%s then %s plans %+v", first, second, writes)
						}
					}
				}
			}
			s.push()
			s.pull()
			s.noConflict()
			if s.issue["title"] != "ours" || len(s.plan()) != 0 {
				k.Errorf("there: %v, to write: %+v", s.issue, s.plan())
			}
			_, err = k.Links.Resolve(coretest.Bot, links.ResolveIn{Conflict: 999999, Resolution: merge.Defer})
			k.Refused(err, fault.NotFound, "there is no conflict")
			_, err = k.Links.Resolve(coretest.Ann, links.ResolveIn{Conflict: id, Resolution: "shrug"})
			k.Refused(err, fault.Invalid, "there is no resolution")
			k.Healthy()
		})
	}
}

func TestADeferredConflictComesBackWithTheNextChange(t *testing.T) {
	coretest.Rule(t, func(k *coretest.Kit) {
		s := bound(k)
		k.Edit(coretest.Ann, "demo-1", `{"title": "ours"}`)
		s.pull()
		s.resolve(s.conflict().ID, merge.Defer)
		if s.pull(); !s.conflict().Deferred {
			k.Error("it is not deferred")
		}
		box, err := k.Inbox.Inbox(coretest.Ann, inbox.InboxIn{Slug: "demo"})
		if k.Must(err); len(box.Items) != 0 {
			k.Errorf("%+v", box.Items)
		}
		s.issue["title"] = "theirs"
		if s.pull(); s.conflict().Deferred {
			k.Error("it is still deferred")
		}
		k.Edit(coretest.Ann, "demo-1", `{"title": "theirs"}`)
		s.pull()
		s.noConflict()
	})
}

func TestAnEditAndADocumentOfWhatTheTrackerOwns(t *testing.T) {
	coretest.Rule(t, func(k *coretest.Kit) {
		s := bound(k)
		out, err := k.EditAs(coretest.Ann, "demo-1", `{"title": "ours", "autonomy": "supervised"}`)
		k.Must(err)
		coretest.Contains(k, out.Warnings, "title belongs to the tracker (DEMO-1)")
		s.issue["title"] = "ours"
		s.pull()
		applied := k.Tasks(`{"key": "a", "title": "by document", "priority": 0, "autonomy": "autonomous"}`)
		coretest.Contains(k, applied.Warnings, "demo-1: title, priority belong to the tracker (DEMO-1) and stayed as they are")
		if got := k.Task("demo-1"); got.Title != "ours" || got.Autonomy != "autonomous" {
			k.Errorf("%+v", got)
		}
		if again := k.Tasks(`{"key": "a", "title": "by document", "autonomy": "autonomous"}`); again.Differs() {
			k.Errorf("%+v", again)
		}
	})
}

func TestAClosingThatTheRulesDeclineIsForPeople(t *testing.T) {
	coretest.Rule(t, func(k *coretest.Kit) {
		s := bound(k)
		_, err := k.Links.SetOwnership(coretest.Ann, links.OwnershipSetIn{Slug: "demo", Changes: []string{"tracker"}})
		k.Must(err)
		s.issue["status"], s.issue["title"] = "done", "B"
		out := s.pull()
		coretest.Contains(k, out.Warnings, "criterion 1: it works")
		if got := k.Task("demo-1"); got.Status != task.Open || got.Title != "B" {
			k.Errorf("%+v", got)
		}
		events := len(k.Events(""))
		s.pull()
		if n := len(k.Events("")); n != events {
			k.Errorf("the second pull wrote %d events", n-events)
		}
		box, err := k.Inbox.Inbox(coretest.Ann, inbox.InboxIn{Slug: "demo"})
		k.Must(err)
		if len(box.Items) != 1 || box.Items[0].Kind != "review" || box.Items[0].ID != "review:demo-1:elsewhere" {
			k.Fatalf("%+v", box.Items)
		}
		_, err = k.Work.Tick(coretest.Ann, work.TickIn{Task: "demo-1", Indexes: []int{1}})
		k.Must(err)
		k.Must(k.Links.Settle(coretest.Ann, "demo"))
		if got := k.Task("demo-1"); got.Status != task.Done {
			k.Errorf("%+v", got)
		}
		box, err = k.Inbox.Inbox(coretest.Ann, inbox.InboxIn{Slug: "demo"})
		if k.Must(err); len(box.Items) != 0 {
			k.Errorf("%+v", box.Items)
		}
	})
}

func TestBindings(t *testing.T) {
	coretest.Each(t, func(k *coretest.Kit) {
		s := bound(k)
		k.Tasks(`{"key": "b", "title": "B"}`)
		same, err := k.Links.Bind(coretest.Ann, links.BindIn{Task: "demo-1", Ref: "DEMO-1"})
		if k.Must(err); same.Ref != "DEMO-1" {
			k.Errorf("%+v", same)
		}
		_, err = k.Links.Bind(coretest.Ann, links.BindIn{Task: "demo-1", Ref: "DEMO-2"})
		k.Refused(err, fault.Declined, "demo-1 is already bound to the issue DEMO-1")
		_, err = k.Links.Bind(coretest.Ann, links.BindIn{Task: "demo-2", Ref: "DEMO-1"})
		k.Refused(err, fault.Declined, "DEMO-1 is already bound to demo-1")
		_, err = k.Links.Unbind(coretest.Ann, links.BindIn{Task: "demo-2", Ref: "DEMO-1"})
		k.Refused(err, fault.NotFound, "demo-2 is not bound")
		k.Edit(coretest.Ann, "demo-1", `{"title": "ours"}`)
		s.pull()
		s.conflict()
		_, err = k.Links.Unbind(coretest.Ann, links.BindIn{Task: "demo-1", Ref: "DEMO-1"})
		k.Must(err)
		s.noConflict()
		if b := k.Show("demo-1").Bindings; len(b) != 0 {
			k.Errorf("%+v", b)
		}
		k.Healthy()
	})
}

func TestWritesAreTriedAgainAndGivenUp(t *testing.T) {
	coretest.Each(t, func(k *coretest.Kit) {
		s := bound(k)
		k.Claim(coretest.Bot, "demo-1")
		k.Must(k.Links.Settle(coretest.Ann, "demo"))
		due := func(all bool) []links.Due {
			out, err := k.Links.DueWrites(coretest.Ann, links.DueIn{Project: "demo", All: all})
			k.Must(err)
			return out
		}
		w := due(false)[0].Write
		_, err := k.Links.Failed(coretest.Ann, links.FailedIn{Write: w, WaitMs: 60_000, Problem: "429"})
		k.Must(err)
		if len(due(false)) != 0 || len(due(true)) != 1 {
			k.Error("it does not wait")
		}
		_, err = k.Links.Failed(coretest.Ann, links.FailedIn{Write: w, ForGood: true, Problem: "403"})
		k.Must(err)
		sync, err := k.Links.Sync(coretest.Ann, demo)
		if k.Must(err); len(sync.Links) != 1 || sync.Links[0].FailedWrites != 1 || sync.Links[0].PendingWrites != 0 {
			k.Errorf("%+v", sync)
		}
		box, err := k.Inbox.Inbox(coretest.Ann, inbox.InboxIn{Slug: "demo"})
		if k.Must(err); len(box.Items) != 1 || box.Items[0].Kind != "sync_failed" {
			k.Errorf("%+v", box.Items)
		}
		_, err = k.Links.Retry(coretest.Ann, links.WriteIn{ID: w.ID})
		k.Must(err)
		if len(due(false)) != 1 {
			k.Error("it is not tried again")
		}
		_, err = k.Links.Drop(coretest.Ann, links.WriteIn{ID: w.ID})
		k.Must(err)
		if len(s.plan()) != 0 {
			k.Errorf("%+v", s.plan())
		}
		log, err := k.Links.Log(coretest.Ann, links.LogIn{Slug: "demo"})
		k.Must(err)
		var outcomes []string
		for _, e := range log {
			outcomes = append(outcomes, e.Direction+" "+e.Outcome)
		}
		coretest.EqualSlices(k, "the log", outcomes, "in taken", "out planned", "out retrying", "out failed", "out retry", "out dropped")
		_, err = k.Links.Drop(coretest.Ann, links.WriteIn{ID: w.ID})
		k.Refused(err, fault.NotFound, "there is no outbound write")
	})
}

func TestOnlyAHumanHandsFieldsOver(t *testing.T) {
	coretest.Rule(t, func(k *coretest.Kit) {
		s := bound(k)
		k.Policy.DeclaresHuman = true
		_, err := k.Links.SetOwnership(coretest.Bot, links.OwnershipSetIn{Slug: "demo", Changes: []string{"local"}})
		k.Refused(err, fault.Declined, "only a human may decide")
		k.Edit(coretest.Ann, "demo-1", `{"title": "ours"}`)
		s.pull()
		_, err = k.Links.Resolve(coretest.Bot, links.ResolveIn{Conflict: s.conflict().ID, Resolution: merge.HandOver})
		k.Refused(err, fault.Declined, "only a human may decide")
		if k.Task("demo-1").Title != "ours" {
			k.Error("a refused resolution has changed the title")
		}
	})
}

// A pull that reads an issue before a push writes it, and merges it afterwards, brings no news.
func TestACopyFromBeforeAPushIsNoNews(t *testing.T) {
	coretest.Rule(t, func(k *coretest.Kit) {
		s := bound(k)
		k.Move(coretest.Ann, work.MoveIn{Task: "demo-1", To: "in_review"})
		old := merge.Values{}
		for f, v := range s.issue {
			old[f] = v
		}
		before := string(s.clock) // when the pull read it
		s.Must(s.Links.Settle(coretest.Ann, "demo"))
		due, err := s.Links.DueWrites(coretest.Ann, links.DueIn{Project: "demo"})
		k.Must(err)
		if len(due) != 1 {
			t.Fatalf("%+v", due)
		}
		s.issue["status"] = due[0].To
		s.clock++
		_, err = s.Links.Sent(coretest.Ann, links.SentIn{Write: due[0].Write, Seen: merge.Issue{Ref: "DEMO-1", Updated: string(s.clock), Values: s.issue}})
		k.Must(err)
		out, err := s.Links.Merge(coretest.Ann, links.MergeIn{Project: "demo", System: merge.IssueTracker, Seen: []merge.Issue{
			{Ref: "DEMO-1", Updated: before, Values: old},
		}})
		k.Must(err)
		if out.Conflicts+out.Planned+len(out.Updated) != 0 {
			t.Errorf("%+v", out)
		}
		s.noConflict()
		if got := k.Task("demo-1").Status; got != task.InReview {
			t.Errorf("it is %s", got)
		}
	})
}

func TestASystemThatCannotBePulledIsInTheInbox(t *testing.T) {
	coretest.Each(t, func(k *coretest.Kit) {
		bound(k)
		look := func(problem string) {
			t.Helper()
			_, err := k.Links.Looked(coretest.Ann, links.LookedIn{Project: "demo", System: merge.IssueTracker, Auth: merge.AuthOK, Problem: problem, Started: 1})
			k.Must(err)
		}
		items := func() (out []string) {
			t.Helper()
			in, err := k.Inbox.Inbox(coretest.Ann, inbox.InboxIn{Slug: "demo", All: true})
			k.Must(err)
			for _, i := range in.Items {
				out = append(out, i.ID+" "+string(i.Kind)+" "+i.Why)
			}
			return out
		}
		const want = "sync_failed:demo-1:pull:issue_tracker sync_failed what has changed at the issue tracker cannot be read: the tracker answers 500"
		look("the tracker answers 500")
		look("the tracker answers 502")
		if got := items(); !slices.Equal(got, []string{want}) {
			t.Errorf("%q", got)
		}
		log, err := k.Links.Log(coretest.Ann, links.LogIn{Slug: "demo"})
		k.Must(err)
		if n := len(log); n == 0 || log[n-1].Outcome != "failed" || log[n-1].Direction != "in" {
			t.Errorf("%+v", log)
		}
		look("")
		if got := items(); len(got) != 0 {
			t.Errorf("%q", got)
		}
		k.Move(coretest.Ann, work.MoveIn{Task: "demo-1", To: "cancelled"})
		look("the tracker answers 500") // no task is open: the item is attached to the bound one
		if got := items(); !slices.Equal(got, []string{want}) {
			t.Errorf("%q", got)
		}
		look("")
		k.Tasks(`{"key": "b", "title": "B"}`)
		look("the tracker answers 500") // no open task is bound: the item is attached to the first open one
		if got := items(); !slices.Equal(got, []string{strings.Replace(want, "demo-1", "demo-2", 1)}) {
			t.Errorf("%q", got)
		}
		k.Move(coretest.Ann, work.MoveIn{Task: "demo-2", To: "cancelled"})
		if got := items(); len(got) != 1 {
			t.Errorf("it is attached to an unrelated task: %q", got)
		}
		look("")
		if got := items(); len(got) != 0 {
			t.Errorf("%q", got)
		}
	})
}
