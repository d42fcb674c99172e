package places_test

import (
	"slices"
	"testing"
	"time"

	"tasker/internal/core/coretest"
	"tasker/internal/core/places"
	"tasker/internal/core/work"
	"tasker/internal/fault"
	"tasker/internal/task"
	"tasker/internal/task/place"
)

func workspace(id task.ID, ports ...int) place.Workspace {
	return place.Workspace{
		Task: id, Host: "here", Root: "/repo", Path: "/repo/.worktrees/" + string(id), Strategy: place.Worktree, Branch: "tasker/" + string(id), Base: "main",
		OwnTree: true, Ports: ports,
	}
}

// opened begins a workspace and makes it open.
func opened(k *coretest.Kit, id task.ID, ports ...int) places.View {
	k.Helper()
	v, err := k.Places.Begin(coretest.Bot, places.BeginIn{Workspace: workspace(id, ports...)})
	k.Must(err)
	w := *v.Record
	w.State = place.Open
	v, err = k.Places.Save(coretest.Bot, places.Made{Workspace: w, From: place.Opening, Opened: true})
	k.Must(err)
	return v
}

func TestAWorkspaceIsRecordedBeforeItIsMadeAndUntilItIsGone(t *testing.T) {
	coretest.Each(t, func(k *coretest.Kit) {
		k.Tasks(`{"key": "a", "title": "A"}, {"key": "b", "title": "B"}`)
		v, err := k.Places.Begin(coretest.Bot, places.BeginIn{Workspace: workspace("demo-1", 4000, 4001)})
		k.Must(err)
		if v.State != place.Opening || slices.Contains(k.Events("demo-1"), task.WorkspaceOpened) {
			k.Errorf("%+v", v)
		}
		_, err = k.Places.Begin(coretest.Bot, places.BeginIn{Workspace: workspace("demo-1")})
		k.Refused(err, fault.Conflict, "demo-1 has a workspace on here already")
		_, err = k.Places.Begin(coretest.Bot, places.BeginIn{Workspace: workspace("demo-2", 4001)})
		k.Refused(err, fault.Conflict)
		taken, err := k.Places.Ports(coretest.Ann, places.PortsIn{Host: "here"})
		if k.Must(err); len(taken) != 2 || taken[4000] != "demo-1" {
			k.Errorf("%v", taken)
		}
		w := *v.Record
		step := place.Step{Name: "install", ExitCode: 3, DurationMs: 12, Optional: true}
		w.Steps = append(w.Steps, step)
		_, err = k.Places.Save(coretest.Bot, places.Made{Workspace: w, From: place.Opening, Step: &step, Phase: "setup", Asked: ".tasker.json:8"})
		k.Must(err)
		w.State, w.Seen = place.Open, &place.Seen{Dirty: true, Ahead: 2}
		v, err = k.Places.Save(coretest.Bot, places.Made{Workspace: w, From: place.Opening, Opened: true})
		if k.Must(err); v.State != place.Open || len(v.Steps) != 1 || v.Record.Seen.CheckedAt == 0 {
			k.Errorf("%+v", v)
		}
		if _, err := k.Places.Save(coretest.Bot, places.Made{Workspace: w, From: place.Opening}); err == nil {
			k.Error("it was saved from a state that it is no longer in")
		}
		if b := k.Show("demo-1").Workspace; b == nil || b.Dirty == nil || !*b.Dirty || b.Ahead == nil || *b.Ahead != 2 {
			k.Errorf("the bundle has %+v", b)
		}
		for range 2 { // a second time it is gone already
			_, err = k.Places.Drop(coretest.Bot, places.DropIn{Task: "demo-1", Host: "here", Kind: task.WorkspaceClosed, Removed: true, Kept: "refs/x"})
			k.Must(err)
		}
		want := []task.Kind{task.WorkspaceStep, task.WorkspaceOpened, task.WorkspaceClosed}
		if got := k.Events("demo-1"); !slices.Equal(got[len(got)-3:], want) {
			k.Errorf("the events are %v", got)
		}
		if taken, err := k.Places.Ports(coretest.Ann, places.PortsIn{Host: "here"}); err != nil || len(taken) != 0 {
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
		_, err := k.Places.Save(other, places.Made{Workspace: *v.Record, From: place.Open, Check: "run something in its workspace"})
		k.Refused(err, fault.Declined, "other may not run something in its workspace")
		_, err = k.Places.Drop(other, places.DropIn{Task: "demo-1", Host: "here"})
		k.Refused(err, fault.Declined)
		_, err = k.Places.Save(coretest.Ann, places.Made{Workspace: *v.Record, From: place.Open})
		k.Must(err)
		_, err = k.Work.Release(coretest.Bot, work.ReleaseIn{Task: "demo-1"})
		k.Must(err)
		state := func() place.State {
			list, err := k.Places.List(coretest.Ann, places.ListIn{Project: "demo", Host: "here"})
			if k.Must(err); len(list) != 1 {
				k.Fatalf("%+v", list)
			}
			return list[0].State
		}
		if got := state(); got != place.Abandoned {
			k.Errorf("given back, it is %s", got)
		}
		_, err = k.Places.Save(other, places.Made{Workspace: *v.Record, From: place.Open}) // nobody holds it
		k.Must(err)
		k.Move(coretest.Ann, work.MoveIn{Task: "demo-2", To: "cancelled"})
		_, err = k.Places.Begin(coretest.Bot, places.BeginIn{Workspace: workspace("demo-2")})
		k.Refused(err, fault.Declined, "needs no workspace")
		if list, err := k.Places.List(coretest.Ann, places.ListIn{Host: "elsewhere"}); err != nil || len(list) != 0 {
			k.Errorf("%+v %v", list, err)
		}
		k.Pass(time.Second)
		k.Healthy()
	})
}

func TestWhereWorkLandedIsRecordedOfWhatIsDone(t *testing.T) {
	coretest.Each(t, func(k *coretest.Kit) {
		k.Tasks(`{"key": "a", "title": "A"}`)
		l := place.Landing{Task: "demo-1", Host: "here", Base: "main", Where: place.Local}
		if _, err := k.Places.Landed(coretest.Bot, places.LandedIn{Landing: l}); err == nil {
			k.Error("where the work on an open task has landed was recorded")
		}
		k.Done(coretest.Ann, "demo-1")
		unlanded := func() int {
			k.Helper()
			_, err := k.Places.Landed(coretest.Bot, places.LandedIn{Landing: l})
			k.Must(err)
			out, err := k.Places.Unlanded(coretest.Ann, places.UnlandedIn{Project: "demo"})
			k.Must(err)
			return len(out)
		}
		if n := unlanded(); n != 1 || slices.Contains(k.Events("demo-1"), task.TaskLanded) {
			k.Errorf("%d, %v", n, k.Events("demo-1"))
		}
		l.Where = place.Landed
		if n := unlanded(); n != 0 || !slices.Contains(k.Events("demo-1"), task.TaskLanded) {
			k.Errorf("%d, %v", n, k.Events("demo-1"))
		}
		events := len(k.Events("demo-1"))
		if unlanded(); len(k.Events("demo-1")) != events {
			k.Error("that it has landed is an event twice")
		}
	})
}
