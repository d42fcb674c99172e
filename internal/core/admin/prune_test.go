package admin_test

import (
	"errors"
	"testing"
	"time"

	"tasker/internal/core"
	"tasker/internal/core/admin"
	"tasker/internal/core/coretest"
	"tasker/internal/core/planning"
	"tasker/internal/core/reading"
	"tasker/internal/core/work"
	"tasker/internal/fault"
	"tasker/internal/task"
	"tasker/internal/task/delivery"
	"tasker/internal/task/query"
)

// pruning returns what prunes everything before now into a list.
func pruning(k *coretest.Kit, into *[]int64) admin.EventsPruneIn {
	return admin.EventsPruneIn{
		Before: k.Now().String(), Name: "archive",
		Add:   func(ev *task.Event) error { *into = append(*into, ev.ID); return nil },
		Close: func() (string, error) { return "sum", nil },
	}
}

// worked makes a log of a closed and an open task.
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

		// Where it was broken off after its event, the next one removes the rest.
		again, err := k.Admin.EventsPrune(coretest.Ann, pruning(k, &archived))
		k.Must(err)
		coretest.Equal(k, "pruned again", again.Pruned, 0)
	})
}

func TestWhatAChannelHasNotSeenIsNotPruned(t *testing.T) {
	coretest.Each(t, func(k *coretest.Kit) {
		worked(k)
		k.Must(k.Store.Write(coretest.Ann, task.By{}, func(tx *core.WriteTx) error {
			return tx.Deliveries.SaveQueue(delivery.Queue{Channel: "slow", Cursor: 6})
		}))
		var archived []int64
		out, err := k.Admin.EventsPrune(coretest.Ann, pruning(k, &archived))
		k.Must(err)
		coretest.Equal(k, "the log begins with", out.FirstEvent, 7)
		coretest.Equal(k, "held back at", *out.HeldBack, 6)
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
				k.Must(k.Store.Read(coretest.Ann, func(tx *core.ReadTx) error {
					n, next, err := tx.Log.Unneeded(from, tx.Log.LastEvent(), limit)
					total, from = total+n, next
					return err
				}))
			}
			return total
		}
		coretest.Equal(k, "counted by threes", count(3), count(1000))
		var start query.LogStart
		k.Must(k.Store.Read(coretest.Ann, func(tx *core.ReadTx) (err error) { start, err = tx.Log.Start(); return err }))
		coretest.Equal(k, "the log begins with", start, query.LogStart{First: 1})
	})
}
