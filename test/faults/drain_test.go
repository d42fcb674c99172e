package faults

import (
	"fmt"
	"strconv"
	"sync"
	"testing"

	"github.com/go-json-experiment/json"

	"tasker/internal/task"
	"tasker/internal/work"
)

// How many callers drain how many tasks. A process takes far longer than a request, so requests are paced by the
// commands: a few for each command that has ended.
var (
	frontier   = often(80, 600)
	requesters = often(24, 48) // half of them on each of two servers
	commanders = often(6, 16)
)

const requestsEach = 5 // for each command

// claimed is a claim, and the way it was made.
type claimed struct {
	way   string
	claim task.Claim
}

func TestNoTaskIsGivenToTwoCallers(t *testing.T) {
	t.Parallel()
	each(t, func(w *world) {
		w.apply(flat("demo", frontier))
		servers := []*server{w.serve("bot"), w.serve("bee")}

		var mu sync.Mutex
		var got []claimed
		// took records what a caller was given, and reports whether there was anything.
		took := func(way, actor string, body []byte) bool {
			var out work.NextOut
			if err := json.Unmarshal(body, &out); err != nil {
				w.Errorf("%s: %v: %s", way, err, body)
				return false
			}
			if out.Task == nil {
				return false
			}
			if out.Claimed == nil || out.Claimed.Task != out.Task.ID || out.Claimed.Actor != actor || out.Bundle == nil {
				w.Errorf("%s as %s was answered with %s", way, actor, body)
				return false
			}
			mu.Lock()
			defer mu.Unlock()
			got = append(got, claimed{way, *out.Claimed})
			return true
		}

		pace := make(chan struct{}, requesters+(frontier+commanders)*requestsEach)
		for range requesters {
			pace <- struct{}{}
		}
		var requests, commands sync.WaitGroup
		for i := range requesters {
			s, actor, instance := servers[i%2], []string{"bot", "bee"}[i%2], ""
			if i%4 < 2 { // the others share one name
				instance = strconv.Itoa(i)
				actor += "/" + instance
			}
			requests.Go(func() {
				for more := true; more; {
					<-pace // or it is closed: then as fast as possible
					r, err := s.call(who{instance: instance}, "/v1/next", object{"project": "demo"})
					if err != nil || r.status != 200 {
						w.Errorf("POST /v1/next: %v %d %s", err, r.status, r.body)
						return
					}
					more = took("HTTP", actor, r.body)
				}
			})
		}
		for i := range commanders {
			actor := "bot" // also the name of a server
			if i%2 == 0 {
				actor = fmt.Sprintf("worker/%d", i)
			}
			commands.Go(func() {
				for more := true; more; {
					end, err := w.try(actor, "", "next", "--claim", "--json")
					if err != nil || end.code != 0 {
						w.Errorf("tasker next --claim: %v %d %s", err, end.code, end.err)
						return
					}
					more = took("command", actor, end.out)
					for range requestsEach {
						pace <- struct{}{}
					}
				}
			})
		}
		commands.Wait()
		close(pace)
		requests.Wait()

		ways, holders := map[string]int{}, map[task.ID]string{}
		for _, c := range got {
			ways[c.way]++
			if first, twice := holders[c.claim.Task]; twice || c.claim.Fence != 1 {
				w.Errorf("%s was claimed by %s and by %s, fence %d", c.claim.Task, first, c.claim.Actor, c.claim.Fence)
			}
			holders[c.claim.Task] = c.claim.Actor
		}
		if len(holders) != frontier {
			w.Errorf("%d of %d tasks were claimed", len(holders), frontier)
		}
		if ways["HTTP"] == 0 || ways["command"] == 0 {
			w.Errorf("claims by each way: %v, want some of both", ways)
		}
		l := newLedger()
		servers[0].follow(l)
		servers[1].agree(l, "demo")
		for id, holder := range holders {
			if l.tasks[id].holder != holder || l.tasks[id].fence != 1 {
				w.Errorf("%s was claimed by %s, and its events say %s, fence %d", id, holder, l.tasks[id].holder, l.tasks[id].fence)
			}
		}
		w.healthy()
		w.Logf("given away: %v", ways)
	})
}
