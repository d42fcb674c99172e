package services_test

import (
	"context"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"pgregory.net/rapid"

	"tasker/internal/admin"
	"tasker/internal/app"
	"tasker/internal/store"
	"tasker/internal/task"
	"tasker/internal/testkit/dbtest"
	"tasker/internal/testkit/storetest"
)

func TestWhatWaitsForPeopleAgreesWithTheLog(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, db string) {
		var clock *atomic.Int64
		opts := app.Options{DB: db}
		if !strings.Contains(db, "://") {
			clock = new(atomic.Int64)
			clock.Store(time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC).UnixMicro())
			opts.Clock = func() time.Time { return time.UnixMicro(clock.Load()) }
		}
		a, err := app.Open(opts)
		if err != nil {
			t.Fatal(err)
		}
		defer func() {
			if err := a.Close(); err != nil {
				t.Error(err)
			}
		}()
		a.Services.Settings = house{a.Services.Settings}
		runs := 0
		storetest.Check(t, db, func(rt *rapid.T) {
			runs++
			h := &saga{t: rt, s: a.Services, slug: fmt.Sprint("p", runs), away: map[string]string{}, clock: clock,
				acknowledged: map[task.ID]int64{}}
			if clock != nil {
				clock.Add(1000) // no two projects are created at the same moment
			}
			h.serve()
			h.plan()
			defer func() { // the estate covers every project
				if err := h.s.Store.Write(context.Background(), task.By{}, func(tx *store.Tx) error { return tx.DeleteProject(h.slug) }); err != nil {
					rt.Fatal(err)
				}
			}()
			for range rapid.IntRange(1, 25).Draw(rt, "steps") {
				rapid.SampledFrom([]func(){
					h.plan, h.claim, h.claim, h.claim, h.release, h.move, h.move, h.move, h.fail, h.fail, h.approve, h.edit, h.note, h.ask, h.answer,
					h.ack, h.ack, h.seen, h.pass, h.pass,
				}).Draw(rt, "op")()
				h.check(false)
			}
			h.pass() // leases lapse, and nobody sweeps
			h.check(true)
			found, err := h.s.Admin.Doctor(as("ann"), admin.DoctorIn{Project: h.slug})
			if err != nil || !found.OK {
				rt.Fatalf("a recount finds %+v, %v", found.Checks, err)
			}
		})
	})
}
