package admin_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"tasker/internal/admin"
	"tasker/internal/core"
	"tasker/internal/db"
	"tasker/internal/fault"
	"tasker/internal/inbox"
	"tasker/internal/links"
	"tasker/internal/store"
	"tasker/internal/task"
	"tasker/internal/task/merge"
	"tasker/internal/testkit/coretest"
	"tasker/internal/testkit/dbtest"
	"tasker/internal/testkit/storetest"
	"tasker/internal/work"
	"tasker/internal/workspace"
)

// linkedTo returns a configuration file that links a project to a tracker.
func linkedTo(project string) string {
	return `{"version": 1, "project": "` + project + `", "integrations": {"issue_tracker": {"baseUrl": "https://site.example.org"}}}`
}

// pulled merges an issue with the given title, and records that the pull succeeded.
func pulled(k *coretest.Kit, project, ref, title, updated string) {
	k.Helper()
	_, err := k.Links.Merge(coretest.Ann, links.MergeIn{Project: project, System: merge.IssueTracker, Seen: []merge.Issue{{
		Ref: ref, Updated: updated,
		Values: merge.Values{"title": title, "body": "", "severity": "", "due": "", "sprint": "", "rank": "0|a", "priority": "2", "status": "open"},
	}}})
	k.Must(err)
	_, err = k.Links.Looked(coretest.Ann, links.LookedIn{Project: project, System: merge.IssueTracker, URL: "https://site.example.org", Started: k.Now()})
	k.Must(err)
}

var demo = core.ProjectIn{Slug: "demo"}

func merged(k *coretest.Kit, in admin.ProjectMergeIn) admin.ProjectMergeOut {
	k.Helper()
	out, err := k.Admin.ProjectMerge(coretest.Ann, in)
	k.Must(err)
	return out
}

func TestLinksAndQuestionsSurviveAMerge(t *testing.T) {
	coretest.Each(t, func(k *coretest.Kit) {
		for _, project := range []string{"demo", "old"} { // DEMO-1 and OLD-1, both in agreement
			k.ConfigFile = linkedTo(project)
			k.Apply(`{"project": "` + project + `", "tasks": [{"key": "a", "title": "A", "links": [{"kind": "url", "ref": "https://x"}]}]}`)
			_, err := k.Links.Bind(coretest.Ann, links.BindIn{Task: project + "-1", Ref: strings.ToUpper(project) + "-1"})
			k.Must(err)
			pulled(k, project, strings.ToUpper(project)+"-1", "A", "a")
		}
		k.Edit(coretest.Ann, "old-1", `{"title": "Ours"}`)
		pulled(k, "old", "OLD-1", "Theirs", "b") // a conflict
		k.Claim(coretest.Bot, "old-1")           // and a pending write
		q, err := k.Work.Ask(coretest.Bot, work.AskIn{Task: "old-1", Text: "why?", Blocking: true})
		k.Must(err)
		before, err := k.Links.Plan(coretest.Ann, core.ProjectIn{Slug: "old"})
		k.Must(err)
		coretest.Equal(k, "writes planned before", len(before.Writes), 1)
		k.ConfigFile = linkedTo("demo")
		merged(k, admin.ProjectMergeIn{Slug: "old", Into: "demo"})
		k.Healthy()
		b := k.Show("demo-2")
		if len(b.Bindings) != 1 || b.Bindings[0].Ref != "OLD-1" || len(b.Task.Links) != 1 || len(b.Questions) != 1 || b.Task.Claim == nil {
			k.Errorf("bindings %+v, links %+v, questions %+v", b.Bindings, b.Task.Links, b.Questions)
		}
		after, err := k.Links.Plan(coretest.Ann, demo)
		k.Must(err)
		if len(after.Writes) != 1 || after.Writes[0].ID != before.Writes[0].ID || after.Writes[0].Task != "demo-2" {
			k.Errorf("planned %+v, was %+v", after.Writes, before.Writes)
		}
		open, err := k.Links.Conflicts(coretest.Ann, demo)
		k.Must(err)
		if open.Total != 1 || open.Items[0].Task != "demo-2" || open.Items[0].Ours != "Ours" || open.Items[0].Theirs != "Theirs" {
			k.Fatalf("conflicts %+v", open)
		}
		coretest.EqualSlices(k, "the inbox", inboxOf(coretest.Ann, k),
			fmt.Sprintf("divergence:demo-2:%d", open.Items[0].ID), fmt.Sprintf("blocking_question:demo-2:%d", q.ID))

		// Everything continues to work: the question is answered, the conflict is resolved, and what both sides last agreed
		// on is known.
		_, err = k.Work.Answer(coretest.Ann, work.AnswerIn{Question: q.ID, Text: "so"})
		k.Must(err)
		_, err = k.Links.Resolve(coretest.Ann, links.ResolveIn{Conflict: open.Items[0].ID, Resolution: merge.TakeRemote})
		k.Must(err)
		pulled(k, "demo", "OLD-1", "Theirs", "c")
		coretest.Equal(k, "the title", k.Task("demo-2").Title, "Theirs")
		coretest.EqualSlices(k, "the inbox", inboxOf(coretest.Ann, k))
	})
}

// TestWhatBothProjectsPulledIsPulledAnewAfterAMerge: the next pull fetches everything, because one project has seen
// changes that the other has not.
func TestWhatBothProjectsPulledIsPulledAnewAfterAMerge(t *testing.T) {
	coretest.Each(t, func(k *coretest.Kit) {
		for _, project := range []string{"demo", "old", "new"} {
			k.Apply(`{"project": "` + project + `", "tasks": [{"key": "a", "title": "A"}]}`)
			if project != "new" {
				pulled(k, project, "X-1", "A", "a")
			}
		}
		started := func(project string) task.Time {
			k.Helper()
			out, err := k.Links.Standing(coretest.Ann, links.StandingIn{Project: project, System: merge.IssueTracker})
			k.Must(err)
			if out.Health.LastPull == 0 {
				k.Errorf("%s does not know that it was pulled", project)
			}
			return out.Health.Started
		}
		was := started("old")
		merged(k, admin.ProjectMergeIn{Slug: "old", Into: "new"})
		coretest.Equal(k, "from where the only one goes on", started("new"), was)
		merged(k, admin.ProjectMergeIn{Slug: "new", Into: "demo"})
		coretest.Equal(k, "from where both go on", started("demo"), 0)
	})
}

// TestWhatWasPutAwayStaysSoAfterAMergeAndNothingElseIs uses overrides and unsupervised ends that alternate between two
// projects.
func TestWhatWasPutAwayStaysSoAfterAMergeAndNothingElseIs(t *testing.T) {
	coretest.Each(t, func(k *coretest.Kit) {
		for _, project := range []string{"demo", "old"} {
			k.Apply(`{"project": "` + project + `", "tasks": [{"key": "a", "title": "A", "criteria": ["x"]},
				{"key": "b", "title": "B", "autonomy": "supervised"}, {"key": "c", "title": "C", "autonomy": "supervised"}]}`)
		}
		force := func(id string) {
			k.Helper()
			k.Move(coretest.Bob, work.MoveIn{Task: id, To: "done", Force: true})
			k.Move(coretest.Bob, work.MoveIn{Task: id, To: "open"})
		}
		put := func(project string, n int) {
			k.Helper()
			out, err := k.Inbox.Inbox(coretest.Ann, inbox.InboxIn{Slug: project})
			k.Must(err)
			for _, it := range out.Items[:n] {
				_, err := k.Inbox.Ack(coretest.Ann, inbox.AckIn{Slug: project, Items: []string{it.ID}})
				k.Must(err)
			}
		}
		force("old-1")
		force("demo-1")
		k.Done(coretest.Bot, "demo-2")
		k.Done(coretest.Bot, "old-2")
		put("demo", 2)
		put("old", 2)
		force("old-1") // not put away, and older than what demo has put away
		k.Done(coretest.Bot, "old-3")
		force("demo-1")
		k.Done(coretest.Bot, "demo-3")
		put("demo", 2)
		force("demo-1")
		rest := []string{}
		for _, project := range []string{"old", "demo"} {
			out, err := k.Inbox.Inbox(coretest.Ann, inbox.InboxIn{Slug: project})
			k.Must(err)
			for _, it := range out.Items {
				rest = append(rest, strings.NewReplacer("old-1", "demo-4", "old-3", "demo-6").Replace(it.ID))
			}
		}
		coretest.Equal(k, "what was not put away", len(rest), 3)
		theirs := len(inboxOf(coretest.Bob, k)) + len(itemsOf(coretest.Bob, k, "old"))
		merged(k, admin.ProjectMergeIn{Slug: "old", Into: "demo"})
		coretest.EqualSlices(k, "ann's", inboxOf(coretest.Ann, k), rest...)
		coretest.Equal(k, "bob's, who has put nothing away", len(inboxOf(coretest.Bob, k)), theirs)
		put("demo", 3)
		coretest.EqualSlices(k, "ann's, with all put away", inboxOf(coretest.Ann, k))
		k.Healthy()
	})
}

func inboxOf(ctx context.Context, k *coretest.Kit) []string { return itemsOf(ctx, k, "demo") }

// itemsOf returns the ids of the caller's items in a project.
func itemsOf(ctx context.Context, k *coretest.Kit, project string) (ids []string) {
	k.Helper()
	out, err := k.Inbox.Inbox(ctx, inbox.InboxIn{Slug: project})
	k.Must(err)
	for _, it := range out.Items {
		ids = append(ids, it.ID)
	}
	return ids
}

func TestAMergeIsRefusedWithEverythingThatStandsInItsWay(t *testing.T) {
	coretest.Rule(t, func(k *coretest.Kit) {
		long := strings.Repeat("k", task.MaxKey)
		k.Apply(`{"project": "old", "gates": {"ship": ["test"]}, "tasks": [{"key": "a", "title": "A"}, {"key": "b", "title": "B"},
			{"key": "` + long + `", "title": "C"}]}`)
		k.Apply(`{"project": "demo", "tasks": [{"key": "a", "title": "A"}, {"key": "old:a", "title": "Taken"}, {"key": "` + long + `", "title": "C"},
			{"key": "d", "title": "D", "status": "done"}]}`)
		for _, project := range []string{"old", "demo"} {
			k.ConfigFile = linkedTo(project)
			_, err := k.Links.Bind(coretest.Ann, links.BindIn{Task: project + "-1", Ref: "X-1"})
			k.Must(err)
		}
		_, err := k.Workspaces.Begin(coretest.Ann, workspace.BeginIn{Workspace: workspace.Workspace{
			Task: "old-2", Host: "here", Root: "/repo", Path: "/repo/w", Strategy: workspace.Worktree, Branch: "b", Base: "main", OwnTree: true,
		}})
		k.Must(err)
		events := len(k.Events(""))
		for _, c := range []struct {
			in    admin.ProjectMergeIn
			kind  fault.Kind
			words []string
		}{
			{admin.ProjectMergeIn{Slug: "old", Into: "old"}, fault.Invalid, []string{"cannot be merged into itself"}},
			{admin.ProjectMergeIn{Slug: "none", Into: "demo"}, fault.NotFound, []string{`there is no project "none"`}},
			{admin.ProjectMergeIn{Slug: "old", Into: "none"}, fault.NotFound, []string{`there is no project "none"`}},
			{admin.ProjectMergeIn{Slug: "old", Into: "demo", Under: "demo-9"}, fault.NotFound, []string{"demo-9"}},
			{admin.ProjectMergeIn{Slug: "old", Into: "demo", Under: "old-2"}, fault.Invalid, []string{"old-2"}},
			{admin.ProjectMergeIn{Slug: "old", Into: "demo", Under: "demo-4"}, fault.Declined, []string{"demo-4 is done, and cannot be the parent of open tasks"}},
			{admin.ProjectMergeIn{Slug: "old", Into: "demo"}, fault.Declined, []string{
				"gate ship: demo does not define it as old does",
				"key a: both have it, and old:a is taken too",
				"key " + long + ": both have it, and prefixed with old it would be too long",
				"issue X-1: old-1 and demo-1 are bound to it",
				"workspace of old-2 on here: it is named after the id, so close it first",
			}},
		} {
			for _, dry := range []bool{true, false} {
				c.in.DryRun = dry
				_, err := k.Admin.ProjectMerge(coretest.Ann, c.in)
				k.Refused(err, c.kind, c.words...)
			}
		}
		k.Policy.DeclaresHuman = true
		_, err = k.Admin.ProjectMerge(coretest.Bot, admin.ProjectMergeIn{Slug: "old", Into: "demo"})
		k.Refused(err, fault.Declined, "an agent may not merge the project old")
		for _, c := range [][2]string{{"old", "demo"}, {"demo", "old"}} {
			_, err = k.Admin.ProjectArchive(coretest.Ann, admin.ProjectArchiveIn{Slug: "old"})
			k.Must(err)
			_, err = k.Admin.ProjectMerge(coretest.Ann, admin.ProjectMergeIn{Slug: c[0], Into: c[1]})
			k.Refused(err, fault.Declined, "old is archived")
		}
		coretest.Equal(k, "events of refusals", len(k.Events(""))-events, 1) // the event of the archive
	})
}

func TestAMergeOfMoreThanOneTurnCanRecountIsRefused(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, path string) {
		k := &coretest.Kit{T: t}
		within(k, path, func() {
			k.Apply(`{"project": "old", "tasks": [{"key": "a", "title": "A"}]}`)
			k.Apply(`{"project": "demo", "tasks": [{"key": "b", "title": "B"}]}`)
		})
		raw := db.New(storetest.Engine(t, path, db.Setup{Migrations: store.Schema()}), db.Hooks{})
		err := raw.Write(t.Context(), db.Request{Alone: true}, func(turn *db.Turn) error { return turn.Exec(1, `UPDATE project SET n_open=100000 WHERE slug='old'`) })
		k.Must(errors.Join(err, raw.Close()))
		within(k, path, func() {
			_, err := k.Admin.ProjectMerge(coretest.Ann, admin.ProjectMergeIn{Slug: "old", Into: "demo"})
			k.Refused(err, fault.Declined, "old and demo have 100001 tasks, and at most 100000 can be merged")
		})
	})
}
