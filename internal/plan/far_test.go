package plan

import (
	"fmt"
	"strings"
	"testing"

	"tasker/internal/fault"
	"tasker/internal/task"
	"tasker/internal/task/query"
)

// line is a chain in which each task depends on the one before it.
type line struct {
	n, statements int
}

func (l *line) ties() Ties {
	read := func(ties func(n int) []query.Tie) func([]task.ID) ([]query.Tie, error) {
		return func(ids []task.ID) (out []query.Tie, err error) {
			l.statements += (len(ids) + readAtOnce - 1) / readAtOnce
			for _, id := range ids {
				out = append(out, ties(int(number(id)))...)
			}
			return out, nil
		}
	}
	between := func(from, to int) []query.Tie {
		if min(from, to) < 1 || max(from, to) > l.n {
			return nil
		}
		return []query.Tie{{From: linked(from), To: linked(to)}}
	}
	return Ties{
		From:    read(func(n int) []query.Tie { return between(n, n-1) }),
		To:      read(func(n int) []query.Tie { return between(n+1, n) }),
		Circles: func() (bool, error) { return false, nil },
	}
}

func linked(n int) task.ID { return task.MakeID("demo", int64(n)) }

// A change in the middle of a long chain takes a bounded number of statements, and is decided as in a short one.
func TestAChangeInALongChainHasABoundInStatements(t *testing.T) {
	for _, n := range []int{300, 20_000} {
		l := &line{n: n}
		middle, after := linked(n/2), linked(n/2+50)
		before := &task.Task{ID: middle, Deps: []task.ID{linked(n/2 - 1)}}
		change := func(deps ...task.ID) error {
			l.statements = 0
			_, err := Rewire(before, &task.Task{ID: before.ID, Deps: append(deps, before.Deps...)}, l.ties().Far("demo", int64(n+1)))
			if most := nearReads + 3*(n/readAtOnce+1); l.statements > most {
				t.Errorf("of %d tasks: %d statements, want at most %d", n, l.statements, most)
			}
			return err
		}
		if err := change(linked(n/2 - 50)); err != nil {
			t.Errorf("of %d tasks: a shortcut is refused: %v", n, err)
		}
		err := change(after)
		if !fault.Is(err, fault.Invalid) || !strings.HasPrefix(fmt.Sprint(missing(err)), fmt.Sprintf("[a cycle through deps: %s -> %s -> ", middle, after)) {
			t.Errorf("of %d tasks: %v %q", n, err, missing(err))
		}
	}
}

// If even that would be too much, the change is refused with a hint; a change that needs only nearby tasks is not.
func TestAChangeAmongTooManyTasksIsRefused(t *testing.T) {
	l := &line{n: farTasks + 1}
	add := func(at, dep int) error {
		_, err := Rewire(&task.Task{ID: linked(at)}, &task.Task{ID: linked(at), Deps: []task.ID{linked(dep)}}, l.ties().Far("demo", int64(l.n+1)))
		return err
	}
	if err := add(farTasks/2, farTasks/2-7); !fault.Is(err, fault.Declined) || fault.Of(err).Hint == "" {
		t.Errorf("in the middle: %v", err)
	}
	if err := add(20, 3); err != nil {
		t.Errorf("near an end: %v", err)
	}
}
