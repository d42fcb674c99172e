package admin

import (
	"context"

	"tasker/internal/core"
	"tasker/internal/fault"
	"tasker/internal/store"
	"tasker/internal/task/query"
	"tasker/internal/transfer/dump"
)

// DumpIn asks for every record of a project, or of the database, as it is stored. Begin is told where they come from, and
// Record takes one after another.
type DumpIn struct {
	Project string
	Begin   func(query.Dumped) error
	Record  func(query.Record) error
}

// DumpOut counts what was handed over.
type DumpOut struct {
	Records int `json:"records"`
}

// Dump hands over the records of one snapshot, a page of them in memory at a time. Sessions are not among them.
func (s *Service) Dump(ctx context.Context, in DumpIn) (DumpOut, error) {
	if scope := core.CallerOf(ctx).Scope; len(scope.Projects) > 0 && !scope.Covers(in.Project) {
		return DumpOut{}, fault.Decline("all records are for those who may see all projects").WithHint("name one project")
	}
	return core.Read(ctx, s.Env, func(tx *store.Tx) (out DumpOut, err error) {
		of, err := dump.Dumped(tx, in.Project)
		if err == nil {
			err = in.Begin(of)
		}
		if err != nil {
			return out, err
		}
		err = dump.EachRecord(tx, in.Project, func(rec query.Record) error {
			out.Records++
			return in.Record(rec)
		})
		return out, err
	})
}

// LoadIn gives records as Dump hands them over, until Next returns nil.
type LoadIn struct {
	Of   query.Dumped
	Next func() (*query.Record, error)
}

// LoadOut counts what was written.
type LoadOut struct {
	Records int `json:"records"`
}

// Load writes records into an empty database, in one transaction and without an event: afterwards it is the one that they
// come from. Next is read once, so a turn that would have to be run again is refused.
func (s *Service) Load(ctx context.Context, in LoadIn) (LoadOut, error) {
	who := core.By(ctx)
	who.Alone = true
	begun := false
	return core.WriteBy(ctx, s.Env, who, func(tx *store.Tx) (LoadOut, error) {
		if begun {
			return LoadOut{}, fault.Unready("the database broke off in the middle of the import").WithHint("nothing was written; import again")
		}
		begun = true
		n, err := dump.LoadRecords(tx, in.Of, in.Next)
		return LoadOut{Records: n}, err
	})
}
