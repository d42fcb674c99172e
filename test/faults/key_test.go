package faults

import (
	"fmt"
	"sync"
	"testing"

	"tasker/internal/work"
)

// Clients repeat one request, to any server, while the first is still in progress.
func TestARequestUnderOneKeyIsCarriedOutOnce(t *testing.T) {
	t.Parallel()
	const keys, senders = 12, 8
	each(t, func(w *world) {
		w.apply(flat("demo", 2*keys))
		servers := []*server{w.serve("bot"), w.serve("bot")}
		var all sync.WaitGroup
		var answers [keys][senders]work.NextOut
		for k := range keys {
			for i := range senders {
				all.Go(func() {
					r, err := servers[i%2].call(who{key: fmt.Sprintf("key %d", k)}, "/v1/next", object{"project": "demo"})
					if err == nil && r.status == 200 {
						err = r.into(&answers[k][i])
					}
					if err != nil || r.status != 200 {
						w.Errorf("%v %d %s", err, r.status, r.body)
					}
				})
			}
		}
		all.Wait()
		given := map[string]int{}
		for k := range keys {
			first := answers[k][0].Claimed
			if first == nil {
				w.Fatalf("key %d has no claim", k)
			}
			for i, a := range answers[k] {
				if a.Claimed == nil || *a.Claimed != *first {
					w.Errorf("key %d was answered with %+v, and sender %d %+v", k, first, i, a.Claimed)
				}
			}
			given[string(first.Task)]++
		}
		l := newLedger()
		servers[0].follow(l)
		claims := 0
		for _, a := range l.tasks {
			claims += len(a.claims)
		}
		if len(given) != keys || claims != keys {
			w.Errorf("%d keys have %d tasks, and there were %d claims", keys, len(given), claims)
		}
		w.healthy()
	})
}
