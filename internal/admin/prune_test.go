package admin_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"tasker/internal/admin"
	"tasker/internal/fault"
	"tasker/internal/plan"
	"tasker/internal/planning"
	"tasker/internal/store"
	"tasker/internal/store/notifydb"
	"tasker/internal/task"
	"tasker/internal/task/delivery"
	"tasker/internal/task/query"
	"tasker/internal/testkit/coretest"
	"tasker/internal/views/reading"
	"tasker/internal/work"
)

// pruning returns a request that prunes everything before now into a list.
func pruning(k *coretest.Kit, into *[]int64) admin.EventsPruneIn {
	return admin.EventsPruneIn{
		Before: k.Now().String(), Name: "archive",
		Add:   func(ev *task.Event) error { *into = append(*into, ev.ID); return nil },
		Close: func() (string, error) { return "sum", nil },
	}
}

// worked creates a log with a closed and an open task.
func worked(k *coretest.Kit) {
	k.Tasks(`{"key": "a", "title": "A"}, {"key": "b", "title": "B"}`)
	for _, id := range []string{"demo-1", "demo-2"} {
		k.Claim(coretest.Bot, id)
		for range 3 {
			k.Note(coretest.Bot, id, "so far")
		}
	}
	k.Done(coretest.Bot, "demo-1")
	k.Pass(time.Second)
	k.Note(coretest.Ann, "demo-2", "the newest")
	k.Pass(time.Second)
}

func TestNothingIsPrunedBeforeTheArchiveIsWhole(t *testing.T) {
	coretest.Each(t, func(k *coretest.Kit) {
		worked(k)
		all := len(k.Events("demo-1"))
		var archived []int64
		in := pruning(k, &archived)
		in.Close = func() (string, error) { return "", errors.New("the disk is full") }
		if _, err := k.Admin.EventsPrune(coretest.Ann, in); err == nil {
			t.Error("it went on without an archive")
		}
		coretest.Equal(k, "events of a closed task", len(k.Events("demo-1")), all)
		none := int64(0)
		_, err := k.Reading.Events(coretest.Ann, reading.EventsIn{SinceID: &none})
		k.Must(err)

		archived = nil
		out, err := k.Admin.EventsPrune(coretest.Ann, pruning(k, &archived))
		k.Must(err)
		coretest.Equal(k, "archived", len(archived), out.Archived)
		coretest.Equal(k, "archived up to", archived[len(archived)-1], out.FirstEvent-1)
		coretest.Equal(k, "pruned: of three notes neither the newest nor that which introduced the actor", out.Pruned, 1)
		_, err = k.Reading.Events(coretest.Ann, reading.EventsIn{SinceID: &none})
		k.Refused(err, fault.Gone, "the log begins with event")
		_, err = k.Planning.Undo(coretest.Ann, planning.UndoIn{Number: 5})
		k.Refused(err, fault.Gone)
		for _, err := range k.Reading.Follow(coretest.Ann, reading.FollowIn{From: 1}) {
			k.Refused(err, fault.Gone)
		}
		k.Healthy()

		// If a prune was interrupted after its event, the next one removes the rest.
		again, err := k.Admin.EventsPrune(coretest.Ann, pruning(k, &archived))
		k.Must(err)
		coretest.Equal(k, "pruned again", again.Pruned, 0)
		coretest.Equal(k, "the log still begins with", again.FirstEvent, out.FirstEvent)
	})
}

// TestWhereNothingIsPrunedTheLogBeginsWhereItDid: the log begins where it did, although everything in it is older than
// the requested time.
func TestWhereNothingIsPrunedTheLogBeginsWhereItDid(t *testing.T) {
	coretest.Each(t, func(k *coretest.Kit) {
		k.Tasks(`{"key": "a", "title": "A"}, {"key": "b", "title": "B"}`)
		k.Pass(time.Second)
		var archived []int64
		for _, dry := range []bool{true, false} {
			in := pruning(k, &archived)
			in.DryRun = dry
			out, err := k.Admin.EventsPrune(coretest.Ann, in)
			k.Must(err)
			coretest.Equal(k, "pruned", out.Pruned, 0)
			coretest.Equal(k, "the log begins with", out.FirstEvent, 1)
		}
		first, err := k.Reading.Events(coretest.Ann, reading.EventsIn{SinceID: new(int64(0)), Limit: new(1)})
		k.Must(err)
		coretest.Equal(k, "the first event", first[0].ID, 1)
	})
}

func TestWhatAChannelHasNotSeenIsNotPruned(t *testing.T) {
	coretest.Each(t, func(k *coretest.Kit) {
		worked(k)
		k.Must(k.Store.Write(coretest.Ann, task.By{}, func(tx *store.Tx) error {
			return notifydb.SaveQueue(tx, delivery.Queue{Channel: "slow", Cursor: 8})
		}))
		var archived []int64
		out, err := k.Admin.EventsPrune(coretest.Ann, pruning(k, &archived))
		k.Must(err)
		coretest.Equal(k, "the log begins with", out.FirstEvent, 9)
		coretest.Equal(k, "held back at", *out.HeldBack, 8)
		k.Healthy()
	})
}

func TestPruningGoesOnWhereAWindowEnds(t *testing.T) {
	coretest.Each(t, func(k *coretest.Kit) {
		worked(k)
		_, err := k.Work.Release(coretest.Bot, work.ReleaseIn{Task: "demo-2"})
		k.Must(err)
		count := func(limit int) (total int) {
			for from := int64(1); from != 0; {
				k.Must(k.Store.Read(coretest.Ann, func(tx *store.Tx) error {
					n, next, err := tx.Unneeded(from, tx.LastEvent(), limit)
					total, from = total+n, next
					return err
				}))
			}
			return total
		}
		coretest.Equal(k, "counted by threes", count(3), count(1000))
		var start query.LogStart
		k.Must(k.Store.Read(coretest.Ann, func(tx *store.Tx) (err error) { start, err = tx.LogStart(); return err }))
		coretest.Equal(k, "the log begins with", start, query.LogStart{First: 1})
	})
}

var errEnded = errors.New("the process has ended")

// mortal is a process that ends before its nth turn.
type mortal struct {
	is    bool
	turns int
}

func (m *mortal) observe(_ context.Context, write bool) store.Observed {
	if !write || !m.is {
		return store.Observed{}
	}
	return store.Observed{First: func(*store.Tx) error {
		if m.turns--; m.turns < 0 {
			return errEnded
		}
		return nil
	}}
}

// changedOften creates a log that takes several turns to prune: closed tasks, each changed twice.
func changedOften(k *coretest.Kit) {
	for i := range 3 {
		var defs []string
		for n := range 400 {
			defs = append(defs, fmt.Sprintf(`{"key": "t%d", "title": "T%d"}`, n, i))
		}
		k.Tasks(strings.Join(defs, ","))
	}
	doc, err := plan.Decode([]byte(`{"project": "demo", "tasks": [{"key": "last", "title": "The last"}]}`))
	k.Must(err)
	_, err = k.Planning.Apply(coretest.Ann, planning.ApplyIn{Doc: doc, Prune: true})
	k.Must(err)
	k.Pass(time.Second)
}

func TestAPruneThatEndsBetweenTwoTurnsLosesNoEvent(t *testing.T) {
	coretest.Each(t, func(k *coretest.Kit) {
		changedOften(k)
		stored := func() map[int64]bool {
			out, after := map[int64]bool{}, int64(0)
			for {
				var page []task.Event
				k.Must(k.Store.Read(coretest.Ann, func(tx *store.Tx) (err error) {
					page, err = tx.Events(query.Events{SinceID: &after, Limit: 1000})
					return err
				}))
				if len(page) == 0 {
					return out
				}
				for _, ev := range page {
					out[ev.ID], after = true, ev.ID
				}
			}
		}
		process := &mortal{}
		k.Store.Observe(process.observe)
		before, counts := stored(), []int{}
		archived := map[int64]bool{}
		for turns := 0; ; turns++ {
			var archive []int64
			*process = mortal{true, turns}
			_, err := k.Admin.EventsPrune(coretest.Ann, pruning(k, &archive))
			process.is = false
			for _, id := range archive {
				archived[id] = true
			}
			left := stored()
			for id := range before {
				if !left[id] && !archived[id] {
					t.Fatalf("event %d is lost where a prune ends after %d turns", id, turns)
				}
			}
			counts = append(counts, len(left))
			if err == nil {
				k.Healthy()
				break
			}
			if !errors.Is(err, errEnded) {
				t.Fatal(err)
			}
		}
		if last := counts[len(counts)-1]; len(counts) < 3 || last > len(before)-390 {
			t.Errorf("%d events became %v", len(before), counts)
		}
	})
}

// A stream positioned before the point that the log is pruned to ends with a fault, and skips nothing.
func TestAStreamThatAPruneOvertakesEnds(t *testing.T) {
	coretest.Each(t, func(k *coretest.Kit) {
		changedOften(k)
		var archive []int64
		pages := 0
		for page, err := range k.Reading.Follow(coretest.Ann, reading.FollowIn{}) {
			if pages++; pages == 2 {
				k.Refused(err, fault.Gone, "the log begins with event")
				break
			}
			k.Must(err)
			coretest.Equal(k, "the first event of the stream", page[0].ID, 1)
			_, err = k.Admin.EventsPrune(coretest.Ann, pruning(k, &archive))
			k.Must(err)
		}
		coretest.Equal(k, "pages", pages, 2)
	})
}
