package workspaces

import (
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"
)

func TestTwentyAreOpenedAndClosedAtOnce(t *testing.T) {
	w := newWorld(t)
	const n = 20
	for i := range n {
		w.run("add", fmt.Sprintf("Task %d", i+1))
	}
	each := func(fn func(id string) error) {
		var all sync.WaitGroup
		faults := make([]error, n)
		for i := range n {
			all.Go(func() { faults[i] = fn(fmt.Sprintf("shop-%d", i+1)) })
		}
		all.Wait()
		for i, err := range faults {
			if err != nil {
				t.Errorf("shop-%d: %v", i+1, err)
			}
		}
	}
	try := func(args ...string) error {
		if out, err := w.try(nil, args...); err != nil {
			return fmt.Errorf("%w: %s", err, out)
		}
		return nil
	}
	each(func(id string) error { return try("workspace", "open", id) })
	list := answer[[]listed](w, "workspace", "list")
	ports := map[int]string{}
	for _, one := range list {
		for _, port := range one.Ports {
			if other := ports[port]; other != "" {
				t.Errorf("%s and %s both have port %d", other, one.Task, port)
			}
			ports[port] = one.Task
		}
		if _, err := os.Stat(filepath.Join(one.Path, "made.log")); err != nil {
			t.Error(err)
		}
	}
	if len(list) != n || len(ports) != n {
		t.Errorf("%d workspaces with %d ports", len(list), len(ports))
	}
	each(func(id string) error { return try("workspace", "close", id) })
	spotless(t, w, true)
}

func TestOneTaskOpenedByManyIsOpenedOnce(t *testing.T) {
	w := newWorld(t)
	w.run("add", "Build a cart")
	var all sync.WaitGroup
	var mu sync.Mutex
	opened := 0
	for range 8 {
		all.Go(func() {
			if _, err := w.try(nil, "workspace", "open", "shop-1"); err == nil {
				mu.Lock()
				opened++
				mu.Unlock()
			}
		})
	}
	all.Wait()
	if list := answer[[]listed](w, "workspace", "list"); opened == 0 || len(list) != 1 || list[0].State != "open" {
		t.Errorf("%d calls succeeded, and the list is %+v", opened, list)
	}
	if events := answer[[]any](w, "events", "--kind", "workspace.opened"); len(events) != 1 {
		t.Errorf("the workspace was opened %d times", len(events))
	}
}
