package work_test

import (
	"fmt"
	"testing"
	"time"

	"tasker/internal/admin"
	"tasker/internal/fault"
	"tasker/internal/planning"
	"tasker/internal/testkit/coretest"
	"tasker/internal/views/reading"
	"tasker/internal/work"
)

// changedAndLater returns what a task's bundle says about the paths that the task changed.
func changedAndLater(k *coretest.Kit, id string) string {
	k.Helper()
	b := k.Show(id)
	said := "nothing"
	if b.Changed != nil {
		said = fmt.Sprint(b.Changed.Paths, b.Changed.Total)
	}
	if later := b.LaterWork.Words(); later != "" {
		said += "; " + later
	}
	out, err := k.Reading.ProofOf(coretest.Ann, reading.ProofIn{Slug: "demo"})
	k.Must(err)
	coretest.Equal(k, "closed work by the tally", out.Tally.Total, len(out.Closed))
	for _, p := range out.Closed { // which says the same
		if string(p.Task) == id && (fmt.Sprint(p.Changed) != fmt.Sprint(b.Changed) || p.LaterWork.Words() != b.LaterWork.Words()) {
			k.Errorf("proof says %v, %q of %s, and its bundle %v, %q", p.Changed, p.LaterWork.Words(), id, b.Changed, b.LaterWork.Words())
		}
	}
	return said
}

func TestPathsAreRecordedWithAClosingAndLaterWorkOnThemIsNamed(t *testing.T) {
	coretest.Each(t, func(k *coretest.Kit) {
		k.Tasks(`{"key": "a", "title": "A"}, {"key": "b", "title": "B"}, {"key": "c", "title": "C"}, {"key": "d", "title": "D"}`)
		move := func(id, to string, paths ...string) {
			k.Helper()
			k.Pass(2 * time.Millisecond)
			k.Move(coretest.Bot, work.MoveIn{Task: id, To: to, Paths: paths})
		}
		says := func(id, want string) {
			k.Helper()
			coretest.Equal(k, "what is said of "+id, changedAndLater(k, id), want)
		}
		move("demo-4", "done", "a.go") // earlier than the others
		move("demo-1", "done", "b.go", "a.go")
		says("demo-1", "[a.go b.go] 2")
		move("demo-2", "in_review", "a.go", "c.go", "b.go")
		says("demo-2", "[a.go b.go c.go] 3")
		says("demo-1", "[a.go b.go] 2") // it is not closed yet
		move("demo-2", "done")
		says("demo-2", "[a.go b.go c.go] 3") // what its review recorded
		says("demo-1", "[a.go b.go] 2; later work changed the same files: demo-2 (a.go, b.go)")
		move("demo-3", "done", "c.go", "b.go")
		says("demo-1", "[a.go b.go] 2; later work changed the same files: demo-2 (a.go, b.go), demo-3 (b.go)")
		says("demo-4", "[a.go] 1; later work changed the same files: demo-1 (a.go), demo-2 (a.go)")

		move("demo-2", "open") // not done any more
		says("demo-2", "nothing")
		says("demo-1", "[a.go b.go] 2; later work changed the same files: demo-3 (b.go)")
		move("demo-2", "in_review") // a review that records nothing does not show what an earlier one did
		says("demo-2", "nothing")
		move("demo-2", "done", "z.go")
		says("demo-2", "[z.go] 1")
		says("demo-1", "[a.go b.go] 2; later work changed the same files: demo-3 (b.go)")
		move("demo-3", "cancelled", "b.go") // which proves nothing
		says("demo-1", "[a.go b.go] 2")
		_, err := k.Work.Move(coretest.Bot, work.MoveIn{Task: "demo-2", To: "open", Paths: []string{"/etc/passwd"}})
		coretest.EqualSlices(k, "missing", k.Refused(err, fault.Invalid, "is outside the repository").Missing, "paths[0]")
		k.Healthy()
	})
}

func TestAReopeningThatIsTakenBackKeepsThePaths(t *testing.T) {
	coretest.Each(t, func(k *coretest.Kit) {
		k.Tasks(`{"key": "a", "title": "A"}, {"key": "b", "title": "B"}`)
		k.Move(coretest.Ann, work.MoveIn{Task: "demo-1", To: "done", Paths: []string{"a.go"}})
		k.Pass(2 * time.Millisecond)
		k.Move(coretest.Ann, work.MoveIn{Task: "demo-2", To: "done", Paths: []string{"a.go"}})
		k.Move(coretest.Ann, work.MoveIn{Task: "demo-2", To: "open"})
		coretest.Equal(k, "the first", changedAndLater(k, "demo-1"), "[a.go] 1")
		last, _ := k.Last("demo-2")
		_, err := k.Planning.Undo(coretest.Ann, planning.UndoIn{Number: last.ID, Event: true})
		k.Must(err)
		coretest.Equal(k, "the first", changedAndLater(k, "demo-1"), "[a.go] 1; later work changed the same files: demo-2 (a.go)")
		_, err = k.Admin.ProjectRename(coretest.Ann, admin.ProjectRenameIn{Slug: "demo", To: "shop"})
		k.Must(err)
		coretest.Equal(k, "the renamed one", k.Show("shop-1").LaterWork.Words(), "later work changed the same files: shop-2 (a.go)")
		k.Healthy()
	})
}

func TestAFileThatIsChangedOftenCostsNoMore(t *testing.T) {
	coretest.Each(t, func(k *coretest.Kit) {
		plan := `{"key": "t0", "title": "A"}`
		for i := range 30 {
			plan += fmt.Sprintf(`, {"key": "t%d", "title": "A"}`, i+1)
		}
		k.Tasks(plan)
		for i := range 31 {
			k.Pass(2 * time.Millisecond)
			k.Move(coretest.Ann, work.MoveIn{Task: fmt.Sprintf("demo-%d", i+1), To: "done", Paths: []string{"go.mod", fmt.Sprint(i % 5), "x", "y", "z"}})
		}
		coretest.Equal(k, "the first", k.Show("demo-1").LaterWork.Words(), "later work changed the same files: demo-2 (go.mod, x, y, z), demo-3 (go.mod, x, y, z), "+
			"demo-4 (go.mod, x, y, z) and at least 19 more")
	})
}
