package reading

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"

	"tasker/internal/fault"
	"tasker/internal/task"
	"tasker/internal/task/query"
)

// TestBottlenecksAreCountedOnceForAllWhoAsk holds the first count until all other requests wait for it.
func TestBottlenecksAreCountedOnceForAllWhoAsk(t *testing.T) {
	k, f := newPressures(), flow{project: "demo", version: 7}
	var counts atomic.Int32
	began, free := make(chan struct{}), make(chan struct{})
	count := func() (*pressure, error) {
		counts.Add(1)
		close(began)
		<-free
		return &pressure{version: 7}, nil
	}
	var wg sync.WaitGroup
	wg.Go(func() {
		if err := k.count(t.Context(), f, count); err != nil {
			t.Error(err)
		}
	})
	<-began
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	if err := k.count(gone, f, count); !fault.Is(err, fault.Unavailable) || !errors.Is(err, context.Canceled) {
		t.Errorf("a cancelled wait returns %v", err)
	}
	if err := k.count(gone, flow{project: "other"}, count); !errors.Is(err, context.Canceled) {
		t.Errorf("another project is counted at the same time: %v", err)
	}
	var waiting sync.WaitGroup
	for range 10 {
		waiting.Add(1)
		wg.Go(func() {
			k.mu.Lock()
			over := k.counting[f.key()]
			k.mu.Unlock()
			waiting.Done()
			if err := awaited(t.Context(), over); err != nil {
				t.Error(err)
			}
			if p := k.stored(f); p == nil || !p.serves(f) {
				t.Errorf("the stored count is %+v", p)
			}
		})
	}
	waiting.Wait()
	close(free)
	wg.Wait()
	if n := counts.Load(); n != 1 {
		t.Errorf("counted %d times", n)
	}
}

func TestACountThatFailsIsTriedAgainByTheNext(t *testing.T) {
	k, f := newPressures(), flow{project: "demo"}
	no := errors.New("no")
	if err := k.count(t.Context(), f, func() (*pressure, error) { return nil, no }); !errors.Is(err, no) || k.stored(f) != nil {
		t.Errorf("%v, stored %v", err, k.stored(f))
	}
	if err := k.count(t.Context(), f, func() (*pressure, error) { return &pressure{}, nil }); err != nil || k.stored(f) == nil {
		t.Errorf("%v, stored %v", err, k.stored(f))
	}
}

func TestBottlenecksAreOfTheNewestEventUnlessTheProjectIsLarge(t *testing.T) {
	const now = 1_000_000_000
	p := &pressure{version: 5, at: now}
	for _, c := range []struct {
		name string
		f    flow
		want bool
	}{
		{"the same version", flow{version: 5, now: now}, true},
		{"an older snapshot", flow{version: 4, now: now}, true},
		{"a change since", flow{version: 6, now: now, open: manyOpen}, false},
		{"a change since, many open", flow{version: 6, now: now + 30_000_000, open: manyOpen + 1}, true},
		{"a change since, many open, later", flow{version: 6, now: now + 30_000_001, open: manyOpen + 1}, false},
	} {
		if got := p.serves(c.f); got != c.want {
			t.Errorf("%s: serves = %v", c.name, got)
		}
	}
}

// TestBottlenecksThatTakeTooLongToCountAreEstimates counts a chain once with enough steps, and once with too few.
func TestBottlenecksThatTakeTooLongToCountAreEstimates(t *testing.T) {
	const n = 20_000
	var ids []task.ID
	var edges []query.Edge
	for i := range n {
		ids = append(ids, task.MakeID("demo", int64(i+1)))
		if i > 0 {
			edges = append(edges, query.Edge{From: ids[i], To: ids[i-1]})
		}
	}
	exact := weigh(t.Context(), ids, edges, loadSteps)
	if exact.estimated || exact.ids[0] != "demo-1" || exact.loads[0].Transitive != n-1 {
		t.Errorf("with enough steps: estimated %v, %s holds up %d", exact.estimated, exact.ids[0], exact.loads[0].Transitive)
	}
	some := weigh(t.Context(), ids, edges, 1_000_000)
	if !some.estimated || some.loads[0].Direct != 1 || some.loads[0].Transitive < n/2 || some.loads[0].Transitive > 2*n {
		t.Errorf("with few steps: estimated %v, %+v", some.estimated, some.loads[0])
	}
}
