package past

import (
	"tasker/internal/core"
	"tasker/internal/plan"
	"tasker/internal/task"
	"tasker/internal/task/query"
	"tasker/internal/task/rewind"
)

// snapshot is a project as it was: what is stored, read at that moment, and over it the tasks that were otherwise.
type snapshot struct {
	*overlay
	tx   *core.ReadTx
	was  *Was
	slug string
}

func newSnapshot(tx *core.ReadTx, state *rewind.State, was *Was) *snapshot {
	state.At(was.At)
	return &snapshot{overlay: newOverlay(state), tx: tx, was: was}
}

// scene returns a scene that reads the snapshot.
func (s *snapshot) scene(sc core.Scene) (core.Scene, error) {
	s.slug = sc.Project.Slug
	p, err := projects{s.tx.Projects, s}.Get(s.slug)
	if err != nil {
		return sc, err
	}
	tx := *s.tx
	of := tasks{s.tx.Tasks, s}
	tx.Projects, tx.Tasks, tx.Graph, tx.Frontier, tx.Log = projects{s.tx.Projects, s}, of, edges{s.tx.Graph, of, s}, frontier{s.tx.Frontier, s}, log{s.tx.Log, s}
	tx.Pace, tx.Annotations, tx.Waiting, tx.Guidance, tx.Workspaces = pace{s.tx.Pace, s}, beside{s.tx.Annotations, s.tx.Log, s}, waiting{},
		guidance{s.tx.Guidance}, workspaces{s.tx.Workspaces}
	sc.Tx, sc.Project = &tx, p
	return sc, nil
}

// ties returns the edges as they were.
func (s *snapshot) ties() plan.Ties {
	return s.overlay.ties(plan.Ties{From: s.tx.Graph.TiesFrom, To: s.tx.Graph.TiesTo})
}

// log is the log up to the event of a snapshot.
type log struct {
	core.LogReader
	s *snapshot
}

// Events returns events up to the one of the snapshot.
func (l log) Events(q query.Events) ([]task.Event, error) {
	end := l.s.was.Event + 1
	if q.BeforeID == nil || *q.BeforeID > end {
		q.BeforeID = &end
	}
	return l.LogReader.Events(q)
}

// LastEvent returns the event of the snapshot.
func (l log) LastEvent() int64 { return l.s.was.Event }

// projects answers of one project what it was.
type projects struct {
	core.ProjectReader
	s *snapshot
}

// Get returns the project with the counts that it had.
func (p projects) Get(slug string) (*task.Project, error) {
	found, err := p.ProjectReader.Get(slug)
	if err != nil || found.Slug != p.s.slug {
		return found, err
	}
	was := *found
	was.FlowVersion = -p.s.was.Event // of which nothing is kept
	p.s.count(func(t *task.Task, by int) {
		*was.Tasks.Of(t.Status) += by
		switch t.State() {
		case task.StateReady:
			was.Ready += by
		case task.StateWaiting:
			was.Waiting += by
		case task.StateHeld:
			was.Held += by
		default:
		}
	})
	return &was, nil
}

// Overdue counts the open tasks whose due moment had passed.
func (p projects) Overdue(slug string) (int, error) {
	n, err := p.ProjectReader.Overdue(slug)
	p.s.count(func(t *task.Task, by int) {
		if end, ok := t.Deadline(); ok && end < p.s.was.At {
			n += by
		}
	})
	return n, err
}

// ClosedSince counts the closed tasks that were closed at since or later.
func (p projects) ClosedSince(slug string, since task.Time) (int, error) {
	n, err := p.ProjectReader.ClosedSince(slug, since)
	p.s.count(func(t *task.Task, by int) {
		if t.Status.Closed() && t.ClosedAt >= since {
			n += by
		}
	})
	return n, err
}

// ReadyBy returns the ready tasks by what they declare for routing, and how many a blocking question kept back. A count may be
// below zero: it is taken from one before it.
func (p projects) ReadyBy(slug string) (ready []query.RouteCount, keptBack int, err error) {
	ready, keptBack, err = p.ProjectReader.ReadyBy(slug)
	p.s.count(func(t *task.Task, by int) {
		if t.Ready() {
			ready = append(ready, query.RouteCount{Autonomy: t.Autonomy, MayExecute: t.MayExecute, Ready: by})
		}
		if t.KeptBack() {
			keptBack += by
		}
	})
	return ready, keptBack, err
}
