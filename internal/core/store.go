package core

import (
	"context"

	"tasker/internal/task"
)

// Store stores everything. A read sees one consistent snapshot; writes take turns, so that a rule sees one serial
// history. fn may run more than once and must have no effect outside the transaction.
type Store interface {
	Read(ctx context.Context, fn func(*ReadTx) error) error
	// Write returns after the commit.
	Write(ctx context.Context, by task.By, fn func(*WriteTx) error) error
	// WriteThen is Write followed by a short read for the answer: then sees a snapshot that begins after the commit,
	// whatever has become of ctx meanwhile. Answers of several writes may share a snapshot.
	WriteThen(ctx context.Context, by task.By, fn func(*WriteTx) error, then func(*ReadTx) error) error
	// Version returns the schema version of the database, 0 where there is none yet.
	Version(ctx context.Context) (int, error)
	// Wait returns when events past after may be visible, or ctx ends.
	Wait(ctx context.Context, after int64) error
}

// Clock is the time of a transaction.
type Clock interface {
	// Now returns the later of the clock and the newest event's time.
	Now() task.Time
}

// Moments returns a snapshot as it is read at another moment: whether a claim has lapsed or a date has passed is decided by that.
// Records are as they are.
type Moments interface {
	At(task.Time) *ReadTx
}

// ReadTx is a snapshot, by what is read in it. A lapsed claim is read as it will be swept.
type ReadTx struct {
	Clock
	Moments
	Projects    ProjectReader
	Pace        PaceReader
	Tasks       TaskReader
	Planned     PlanReader
	Graph       GraphReader
	Annotations AnnotationReader
	Guidance    GuidanceReader
	Workspaces  WorkspaceReader
	Links       LinkReader
	Notices     NoticeReader
	Frontier    FrontierReader
	Log         LogReader
	Waiting     WaitingReader
	Marks       MarkReader
	Sessions    SessionReader
	Deliveries  DeliveryReader
	Index       SearchReader
	Replies     ReplyReader
	Records     RecordReader
}

// WriteTx is one member's part of a turn: a snapshot that includes what the member wrote, and what it can write.
// Loading a task with a lapsed claim sweeps it first.
type WriteTx struct {
	ReadTx
	Keeper
	Projects    ProjectStore
	Tasks       TaskStore
	Annotations AnnotationStore
	Decisions   DecisionWriter
	Guidance    GuidanceStore
	Workspaces  WorkspaceStore
	Links       LinkStore
	Sync        SyncStore
	Notices     NoticeStore
	Log         LogStore
	Marks       MarkStore
	Sessions    SessionStore
	Deliveries  DeliveryStore
	Replies     ReplyStore
	Records     RecordWriter
}

// Keeper decides what becomes of a member that fails.
type Keeper interface {
	// Keep makes what was written stay although the operation returns an error.
	Keep()
}

// What a turn both reads and writes.
type (
	// ProjectStore reads and writes projects.
	ProjectStore interface {
		ProjectReader
		ProjectWriter
	}
	// TaskStore reads and writes tasks.
	TaskStore interface {
		TaskReader
		TaskWriter
	}
	// AnnotationStore reads and writes annotations of tasks.
	AnnotationStore interface {
		AnnotationReader
		AnnotationWriter
	}
	// GuidanceStore reads and writes fingerprints of guidance.
	GuidanceStore interface {
		GuidanceReader
		GuidanceWriter
	}
	// WorkspaceStore reads and writes workspaces.
	WorkspaceStore interface {
		WorkspaceReader
		WorkspaceWriter
	}
	// LinkStore reads and writes the records of links to other systems.
	LinkStore interface {
		LinkReader
		LinkWriter
	}
	// NoticeStore reads and writes notices.
	NoticeStore interface {
		NoticeReader
		NoticeWriter
	}
	// LogStore reads and writes the log.
	LogStore interface {
		LogReader
		LogWriter
	}
	// MarkStore reads and writes the marks of readers.
	MarkStore interface {
		MarkReader
		MarkWriter
	}
	// SessionStore reads and writes sessions.
	SessionStore interface {
		SessionReader
		SessionWriter
	}
	// DeliveryStore reads and writes deliveries.
	DeliveryStore interface {
		DeliveryReader
		DeliveryWriter
	}
	// ReplyStore reads and writes answers that are stored under a key.
	ReplyStore interface {
		ReplyReader
		ReplyWriter
	}
)
