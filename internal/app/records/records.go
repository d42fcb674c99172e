// Package records shows the store as the core asks for it: transactions by what is read and written in them, within what
// the caller may see.
package records

import (
	"context"

	"tasker/internal/core"
	"tasker/internal/db"
	"tasker/internal/store"
	"tasker/internal/store/annotation"
	"tasker/internal/store/delivery"
	"tasker/internal/store/linkage"
	"tasker/internal/store/pace"
	"tasker/internal/store/waiting"
	"tasker/internal/store/wsrows"
	"tasker/internal/task"
	"tasker/internal/telemetry/traces"
)

// Store is a store that answers the core.
type Store struct{ *store.Store }

var _ core.Store = Store{}

// Read runs fn on one snapshot of what the caller may see.
func (s Store) Read(ctx context.Context, fn func(*core.ReadTx) error) error {
	caller := core.CallerOf(ctx)
	scope := caller.Scope
	named := db.As(ctx, core.DoingOf(ctx), caller.Actor.Full())
	if core.Charges(ctx) {
		named = db.Metered(named, func(bytes int64) error { return core.Charge(ctx, bytes) })
	}
	span := traces.Child(ctx)
	err := s.Store.Read(named, func(r *store.Reader) error {
		r.Within(scope.Projects)
		return counted(span, r.Conn(), func() error { return fn(Read(r)) })
	})
	ended(span, spanSnapshot, err)
	return err
}

// Write runs fn in a turn, within what the caller may see. Who may only read has none. Every operation comes this way or
// by WriteThen, so none can forget to ask.
func (s Store) Write(ctx context.Context, by task.By, fn func(*core.WriteTx) error) error {
	scope := core.CallerOf(ctx).Scope
	if scope.ReadOnly {
		return core.MayOnlyRead()
	}
	span := traces.Child(ctx)
	err := s.Store.Write(named(ctx, by), by, func(w *store.Writer) error {
		w.Within(scope.Projects)
		return counted(span, w.Conn(), func() error { return fn(Write(w)) })
	})
	ended(span, spanTurn, err)
	return err
}

// WriteThen is Write, and then a read of what the caller may see.
func (s Store) WriteThen(ctx context.Context, by task.By, fn func(*core.WriteTx) error, then func(*core.ReadTx) error) error {
	scope := core.CallerOf(ctx).Scope
	if scope.ReadOnly {
		return core.MayOnlyRead()
	}
	span := traces.Child(ctx)
	err := s.Store.WriteThen(named(ctx, by), by, func(w *store.Writer) error {
		w.Within(scope.Projects)
		return counted(span, w.Conn(), func() error { return fn(Write(w)) })
	}, func(r *store.Reader) error {
		r.Within(scope.Projects)
		return counted(span, r.Conn(), func() error { return then(Read(r)) })
	})
	ended(span, spanTurn, err)
	return err
}

// named says what the turn is taken for, to others that wait for it.
func named(ctx context.Context, by task.By) context.Context {
	return db.As(ctx, core.DoingOf(ctx), by.Actor.Full())
}

// Read returns a snapshot of the store as the core reads it.
func Read(r *store.Reader) *core.ReadTx {
	tx := reads(r)
	return &tx
}

// moments is a snapshot that can be read at other moments.
type moments struct{ r *store.Reader }

// At returns the snapshot as it is read at a moment.
func (m moments) At(t task.Time) *core.ReadTx { return Read(store.ReaderAt(m.r, t)) }

// Write returns a member's part of a turn as the core writes it.
func Write(w *store.Writer) *core.WriteTx {
	t := &turn{
		projects:    projects{w.ProjectReader, w.ProjectWriter},
		tasks:       tasks{w.TaskReader, w.TaskWriter},
		annotations: annotations{w.Reader.Reader, w.Writer, w.Asker},
		workspaces: workspaces{wsrows.Reader{Tx: w.Tx}, wsrows.Writer{Member: w.Asker.Member}},
		links:       links{w.Links, w.LinkWriter},
		log:         log{w.LogReader, w.LogWriter},
		marks:       marks{w.MarkReader, w.MarkWriter},
		sessions:    sessions{w.SessionReader, w.SessionWriter},
		deliveries:  deliveries{w.Deliveries, w.Delivering},
		replies:     replies{w.AnswerReader, w.AnswerWriter},
	}
	t.tx = core.WriteTx{
		ReadTx: reads(w.Reader), Keeper: w, Projects: &t.projects, Tasks: &t.tasks, Annotations: &t.annotations,
		Decisions: &t.annotations, Guidance: &t.annotations, Workspaces: &t.workspaces,
		Links: &t.links, Sync: &t.links, Notices: &t.links, Log: &t.log, Marks: &t.marks, Sessions: &t.sessions,
		Deliveries: &t.deliveries, Replies: &t.replies,
		Records: w.RecordWriter,
	}
	return &t.tx
}

// turn is a WriteTx together with the stores that it points to, so that a write allocates once.
type turn struct {
	tx          core.WriteTx
	projects    projects
	tasks       tasks
	annotations annotations
	workspaces  workspaces
	links       links
	log         log
	marks       marks
	sessions    sessions
	deliveries  deliveries
	replies     replies
}

// The stores of a turn: what reads a kind of record, and what writes it. Guidance and workspaces are stored
// with the annotations.
type (
	projects struct {
		store.ProjectReader
		store.ProjectWriter
	}
	tasks struct {
		store.TaskReader
		store.TaskWriter
	}
	annotations struct {
		annotation.Reader
		annotation.Writer
		annotation.Asker
	}
	workspaces struct {
		wsrows.Reader
		wsrows.Writer
	}
	links struct {
		linkage.Reader
		linkage.Writer
	}
	log struct {
		store.LogReader
		store.LogWriter
	}
	marks struct {
		waiting.MarkReader
		waiting.MarkWriter
	}
	sessions struct {
		store.SessionReader
		store.SessionWriter
	}
	deliveries struct {
		delivery.Reader
		delivery.Writer
	}
	replies struct {
		store.AnswerReader
		store.AnswerWriter
	}
)

func reads(r *store.Reader) core.ReadTx {
	return core.ReadTx{
		Clock: r.Tx, Moments: moments{r}, Projects: r.ProjectReader, Pace: pace.Reader{Tx: r.Tx}, Tasks: r.TaskReader, Planned: r.PlanReader, Graph: r.GraphReader,
		Annotations: r.Reader, Guidance: r.Reader, Workspaces: wsrows.Reader{Tx: r.Tx}, Links: r.Links,
		Notices: r.Links, Frontier: r.FrontierReader, Log: r.LogReader, Waiting: r.Lister,
		Marks:    r.MarkReader,
		Sessions: r.SessionReader, Deliveries: r.Deliveries, Index: r.SearchReader, Replies: r.AnswerReader, Records: r.RecordReader,
	}
}
