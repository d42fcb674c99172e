package task

import (
	"slices"
	"strings"
)

// Checkout is a work tree of git on a machine; the zero value means none.
type Checkout struct {
	Host string
	Root string // with links resolved
}

// HeldIn says who holds another task that was claimed in a checkout.
type HeldIn struct {
	Holder string // by whole name
	Apart  bool   // the task has a work tree of its own, and is worked on there
}

// SharedBy returns who else works in the checkout in which the actor works on the task, by whole name: the holders of other
// tasks that were claimed there. Nobody can tell then whose change a file shows, so a task without touches has no files
// of its own there. The files of a task with touches are its own wherever it is, so nobody shares them. A name and an
// instance of it are one worker, since an agent with tools and a shell is. A lapsed lease must have been read as swept: see At.
func (t *Task) SharedBy(a Actor, held []HeldIn) (by []string) {
	if len(t.Touches) > 0 {
		return nil
	}
	worker, _ := t.HoldingOf(a)
	for _, h := range held {
		if !h.Apart && !oneWorker(worker, h.Holder) {
			by = append(by, h.Holder)
		}
	}
	slices.Sort(by)
	return slices.Compact(by)
}

// oneWorker reports whether two whole names are the same, or one is the plain name of the other: an agent holds some tasks
// by its tools, which work as an instance, and others by its shell, which does not. Where these are two workers after all,
// they are judged by files that one of them did not change: a run is run again, and none counts that should not. Two
// instances are always two workers.
func oneWorker(one, other string) bool {
	return one == other || actorName(one) == actorName(other) && !(strings.Contains(one, "/") && strings.Contains(other, "/"))
}
