package workspace_test

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"tasker/internal/fault"
	"tasker/internal/task"
	"tasker/internal/task/proven"
	"tasker/internal/testkit/coretest"
	"tasker/internal/work"
	"tasker/internal/workspace"
)

func made(id task.ID, ports ...int) workspace.Workspace {
	return workspace.Workspace{
		Task: id, Host: "here", Root: "/repo", Path: "/repo/.worktrees/" + string(id), Strategy: workspace.Worktree, Branch: "tasker/" + string(id), Base: "main",
		OwnTree: true, Ports: ports,
	}
}

// opened begins a workspace and opens it.
func opened(k *coretest.Kit, id task.ID, ports ...int) workspace.View {
	k.Helper()
	v, err := k.Workspaces.Begin(coretest.Bot, workspace.BeginIn{Workspace: made(id, ports...)})
	k.Must(err)
	w := *v.Record
	w.State = workspace.Open
	v, err = k.Workspaces.Save(coretest.Bot, workspace.Made{Workspace: w, From: workspace.Opening, Opened: true})
	k.Must(err)
	return v
}

func TestAWorkspaceIsRecordedBeforeItIsMadeAndUntilItIsGone(t *testing.T) {
	coretest.Each(t, func(k *coretest.Kit) {
		k.Tasks(`{"key": "a", "title": "A"}, {"key": "b", "title": "B"}`)
		v, err := k.Workspaces.Begin(coretest.Bot, workspace.BeginIn{Workspace: made("demo-1", 4000, 4001)})
		k.Must(err)
		if v.State != workspace.Opening || slices.Contains(k.Events("demo-1"), task.WorkspaceOpened) {
			k.Errorf("%+v", v)
		}
		_, err = k.Workspaces.Begin(coretest.Bot, workspace.BeginIn{Workspace: made("demo-1")})
		k.Refused(err, fault.Conflict, "demo-1 already has a workspace on here")
		_, err = k.Workspaces.Begin(coretest.Bot, workspace.BeginIn{Workspace: made("demo-2", 4001)})
		k.Refused(err, fault.Conflict)
		taken, err := k.Workspaces.Ports(coretest.Ann, workspace.PortsIn{Host: "here"})
		if k.Must(err); len(taken) != 2 || taken[4000] != "demo-1" {
			k.Errorf("%v", taken)
		}
		w := *v.Record
		step := workspace.Step{Name: "install", ExitCode: 3, DurationMs: 12, Optional: true}
		w.Steps = append(w.Steps, step)
		_, err = k.Workspaces.Save(coretest.Bot, workspace.Made{Workspace: w, From: workspace.Opening, Step: &step, Phase: "setup", Asked: ".tasker.json:8"})
		k.Must(err)
		w.State, w.Seen = workspace.Open, &workspace.Seen{Dirty: true, Ahead: 2}
		v, err = k.Workspaces.Save(coretest.Bot, workspace.Made{Workspace: w, From: workspace.Opening, Opened: true})
		if k.Must(err); v.State != workspace.Open || len(v.Steps) != 1 || v.Record.Seen.CheckedAt == 0 {
			k.Errorf("%+v", v)
		}
		if _, err := k.Workspaces.Save(coretest.Bot, workspace.Made{Workspace: w, From: workspace.Opening}); err == nil {
			k.Error("it was saved from a state that it is no longer in")
		}
		if b := k.Show("demo-1").Workspace; b == nil || b.Dirty == nil || !*b.Dirty || b.Ahead == nil || *b.Ahead != 2 {
			k.Errorf("the bundle has %+v", b)
		}
		for range 2 { // the second time it is already gone
			_, err = k.Workspaces.Drop(coretest.Bot, workspace.DropIn{Task: "demo-1", Host: "here", Kind: task.WorkspaceClosed, Removed: true, Kept: "refs/x"})
			k.Must(err)
		}
		want := []task.Kind{task.WorkspaceStep, task.WorkspaceOpened, task.WorkspaceClosed}
		if got := k.Events("demo-1"); !slices.Equal(got[len(got)-3:], want) {
			k.Errorf("the events are %v", got)
		}
		if taken, err := k.Workspaces.Ports(coretest.Ann, workspace.PortsIn{Host: "here"}); err != nil || len(taken) != 0 {
			k.Errorf("%v %v", taken, err)
		}
		k.Healthy()
	})
}

func TestAWorkspaceIsItsHoldersAHumansOrAnybodys(t *testing.T) {
	coretest.Each(t, func(k *coretest.Kit) {
		k.Tasks(`{"key": "a", "title": "A"}, {"key": "b", "title": "B"}`)
		k.Claim(coretest.Bot, "demo-1")
		v := opened(k, "demo-1")
		if v.Claim == nil || v.Record.Fence != v.Claim.Fence {
			k.Errorf("%+v", v)
		}
		other := coretest.Agent("other")
		_, err := k.Workspaces.Save(other, workspace.Made{Workspace: *v.Record, From: workspace.Open, To: workspace.ToClose})
		k.Refused(err, fault.Declined, "other may not close its workspace")
		_, err = k.Workspaces.Drop(other, workspace.DropIn{Task: "demo-1", Host: "here"})
		k.Refused(err, fault.Declined)
		_, err = k.Workspaces.Save(coretest.Ann, workspace.Made{Workspace: *v.Record, From: workspace.Open})
		k.Must(err)
		_, err = k.Work.Release(coretest.Bot, work.ReleaseIn{Task: "demo-1"})
		k.Must(err)
		state := func() workspace.State {
			list, err := k.Workspaces.List(coretest.Ann, workspace.Query{Project: "demo", Host: "here"})
			if k.Must(err); len(list) != 1 {
				k.Fatalf("%+v", list)
			}
			return list[0].State
		}
		if got := state(); got != workspace.Abandoned {
			k.Errorf("given back, it is %s", got)
		}
		_, err = k.Workspaces.Save(other, workspace.Made{Workspace: *v.Record, From: workspace.Open}) // nobody holds it
		k.Must(err)
		k.Move(coretest.Ann, work.MoveIn{Task: "demo-2", To: "cancelled"})
		_, err = k.Workspaces.Begin(coretest.Bot, workspace.BeginIn{Workspace: made("demo-2")})
		k.Refused(err, fault.Declined, "needs no workspace")
		if list, err := k.Workspaces.List(coretest.Ann, workspace.Query{Host: "elsewhere"}); err != nil || len(list) != 0 {
			k.Errorf("%+v %v", list, err)
		}
		k.Pass(time.Second)
		k.Healthy()
	})
}

func TestEachInstanceOfANameIsAnActorOfItsOwnToAPlace(t *testing.T) {
	coretest.Each(t, func(k *coretest.Kit) {
		k.Tasks(`{"key": "a", "title": "A"}, {"key": "b", "title": "B"}`)
		at := func(instance string) context.Context {
			return coretest.As(task.Actor{Name: "bot", Instance: instance, Declared: true})
		}
		one, two, plain := at("1"), at("2"), at("")
		claim := k.Claim(one, "demo-1")
		uses := []workspace.Use{workspace.ToOpen, workspace.ToRead, workspace.ToExec, workspace.ToRefresh, workspace.ToClose, workspace.ToPrune}
		may := func(who context.Context, fence *int64) (bool, error) {
			var all error
			var holds bool
			for i, to := range uses {
				used, err := k.Workspaces.Use(who, workspace.UseIn{Task: "demo-1", To: to, Fence: fence})
				if i > 0 && (err == nil) != (all == nil) {
					k.Errorf("to %s is answered with %v, and another act %v", to, err, all)
				}
				holds, all = used.Holds, err
			}
			return holds, all
		}
		if holds, err := may(one, nil); err != nil || !holds {
			k.Errorf("the holder may not: %v", err)
		}
		if holds, err := may(plain, nil); err != nil || !holds { // the only instance of its name that holds anything
			k.Errorf("the plain name may not: %v", err)
		}
		_, err := may(two, nil)
		k.Refused(err, fault.Declined, "demo-1 is held by bot/1", "bot/2 may not clear away its workspace")
		_, err = may(two, &claim.Fence)
		k.Refused(err, fault.Declined, "bot/2 may not")
		if holds, err := may(coretest.Ann, nil); err != nil || holds {
			k.Errorf("a human may not: %v", err)
		}

		k.Claim(two, "demo-2") // now it is unclear which of them the plain name means
		_, err = may(plain, nil)
		k.Refused(err, fault.Declined, "bot may not")
		if _, err := may(plain, &claim.Fence); err != nil {
			k.Errorf("with the fence the plain name may not: %v", err)
		}

		_, err = k.Work.Release(one, work.ReleaseIn{Task: "demo-1"})
		k.Must(err)
		again := k.Claim(one, "demo-1")
		_, err = may(one, &claim.Fence) // a worker that slept, under the same name
		k.Refused(err, fault.Conflict, "has been claimed again since fence 1")
		_, err = may(coretest.Ann, &claim.Fence)
		k.Refused(err, fault.Conflict, "has been claimed again since fence 1")
		if _, err := may(one, &again.Fence); err != nil {
			k.Errorf("the holder may not: %v", err)
		}
		_, err = k.Work.Release(one, work.ReleaseIn{Task: "demo-1"})
		k.Must(err)
		if holds, err := may(two, nil); err != nil || holds {
			k.Errorf("where nobody holds it anybody may: %v", err)
		}
	})
}

func TestWhatWasSeenOfAPlaceIsAnybodysToRecordAndChangesNothingElse(t *testing.T) {
	coretest.Each(t, func(k *coretest.Kit) {
		k.Tasks(`{"key": "a", "title": "A"}`)
		k.Claim(coretest.Bot, "demo-1")
		stale := opened(k, "demo-1")
		w := *stale.Record
		w.Base = "main + demo-9 (not landed)"
		_, err := k.Workspaces.Save(coretest.Bot, workspace.Made{Workspace: w, From: workspace.Open, To: workspace.ToRefresh})
		k.Must(err)
		looked := *stale.Record // read before it was refreshed
		looked.Seen = &workspace.Seen{Dirty: true}
		v, err := k.Workspaces.Save(coretest.Agent("other"), workspace.Made{Workspace: looked, From: workspace.Open, Looked: true})
		if k.Must(err); string(v.Base) != w.Base || v.Record.Seen == nil || !v.Record.Seen.Dirty {
			k.Errorf("%+v", v)
		}
	})
}

func TestWhereWorkLandedIsRecordedOfWhatIsDone(t *testing.T) {
	coretest.Each(t, func(k *coretest.Kit) {
		k.Tasks(`{"key": "a", "title": "A"}`)
		l := workspace.Landing{Task: "demo-1", Host: "here", Base: "main", Where: workspace.Local}
		if _, err := k.Workspaces.Landed(coretest.Bot, workspace.LandedIn{Landing: l}); err == nil {
			k.Error("the landing of an open task was recorded")
		}
		k.Done(coretest.Ann, "demo-1")
		unlanded := func() int {
			k.Helper()
			_, err := k.Workspaces.Landed(coretest.Bot, workspace.LandedIn{Landing: l})
			k.Must(err)
			out, err := k.Workspaces.Unlanded(coretest.Ann, workspace.UnlandedIn{Project: "demo"})
			k.Must(err)
			return len(out)
		}
		if n := unlanded(); n != 1 || slices.Contains(k.Events("demo-1"), task.TaskLanded) {
			k.Errorf("%d, %v", n, k.Events("demo-1"))
		}
		l.Where = workspace.Landed
		if n := unlanded(); n != 0 || !slices.Contains(k.Events("demo-1"), task.TaskLanded) {
			k.Errorf("%d, %v", n, k.Events("demo-1"))
		}
		events := len(k.Events("demo-1"))
		if unlanded(); len(k.Events("demo-1")) != events {
			k.Error("the landing has two events")
		}
	})
}

func TestTracesShowWhereTheWorkIs(t *testing.T) {
	coretest.Each(t, func(k *coretest.Kit) {
		k.Tasks(`{"key": "a", "title": "A"}, {"key": "b", "title": "B"}`)
		traces := func(id string) workspace.Traces {
			k.Helper()
			out, err := k.Workspaces.Traces(coretest.Bot, workspace.TracesIn{Task: id})
			k.Must(err)
			return out
		}
		if got := traces("demo-1"); got.Task != "demo-1" || len(got.Marks) != 0 || got.Workspace {
			k.Errorf("of a task without any: %+v", got)
		}
		add := func(kind, value string) {
			k.Helper()
			_, err := k.Work.Evidence(coretest.Bot, work.EvidenceIn{Task: "demo-1", Items: []task.EvidenceItem{{Kind: kind, Value: value}}})
			k.Must(err)
		}
		ran := func(kind string, r proven.Run) {
			k.Helper()
			r.Command, r.Output = []string{"make", "test"}, strings.Repeat("0", 64)
			value, err := r.Value()
			k.Must(err)
			add(kind, value)
		}
		ran("test", proven.Run{Commit: "old"})
		ran("test", proven.Run{Commit: "new", Tree: "tree", Dirty: true})
		ran("lint", proven.Run{Commit: "new"})
		add("lint", "ci/1")        // newer, but not run
		ran("build", proven.Run{}) // outside a repository
		want := []workspace.Mark{{Proved: "test", Commit: "new", Tree: "tree", Dirty: true}}
		if got := traces("demo-1"); !slices.Equal(got.Marks, want) || got.Workspace {
			k.Errorf("%+v", got)
		}
		opened(k, "demo-2")
		if got := traces("demo-2"); !got.Workspace {
			k.Errorf("of a task with a workspace: %+v", got)
		}
	})
}
