package admin

import (
	"context"

	"tasker/internal/core"
	"tasker/internal/fault"
	"tasker/internal/store"
	"tasker/internal/store/dump"
	"tasker/internal/task/proven"
	"tasker/internal/task/query"
)

// DumpIn asks for every record of a project, or of the database, as it is stored. Begin receives where they come from,
// and Record receives one after another.
type DumpIn struct {
	Project string
	Outputs bool // what runs printed too
	Begin   func(query.Dumped) error
	Record  func(query.Record) error
}

// DumpOut counts the records.
type DumpOut struct {
	Records int `json:"records"`
}

// Dump passes on the records of one snapshot, with one page of them in memory at a time. Sessions are not included.
func (s *Service) Dump(ctx context.Context, in DumpIn) (DumpOut, error) {
	if scope := core.CallerOf(ctx).Scope; len(scope.Projects) > 0 && !scope.Covers(in.Project) {
		return DumpOut{}, fault.Decline("only a caller that may see all projects may read all records").WithHint("name one project")
	}
	return core.Read(ctx, s.Env, func(tx *store.Tx) (out DumpOut, err error) {
		of, err := dump.Dumped(tx, in.Project)
		if err == nil {
			err = in.Begin(of)
		}
		if err != nil {
			return out, err
		}
		err = dump.EachRecord(tx, in.Project, in.Outputs, func(rec query.Record) error {
			out.Records++
			return in.Record(rec)
		})
		return out, err
	})
}

// LoadIn supplies records as Dump passes them on, until Next returns nil.
type LoadIn struct {
	Of   query.Dumped
	Next func() (*query.Record, error)
}

// LoadOut counts what was written.
type LoadOut struct {
	Records int `json:"records"`
}

// Load writes records into an empty database, in one transaction and without an event: afterwards it equals the database
// that they come from. Next is read only once, so a turn that would have to run again is refused.
func (s *Service) Load(ctx context.Context, in LoadIn) (LoadOut, error) {
	begun := false
	return core.WriteAlone(ctx, s.Env, func(tx *store.Tx) (LoadOut, error) {
		if begun {
			return LoadOut{}, fault.Unready("the database broke off in the middle of the import").WithHint("nothing was written; import again")
		}
		begun = true
		n, err := dump.LoadRecords(tx, in.Of, run(in.Next))
		return LoadOut{Records: n}, err
	})
}

// run declines records of evidence whose kind is a command and whose value is not a run of it. A restore takes a database
// as it was.
func run(next func() (*query.Record, error)) func() (*query.Record, error) {
	n := 0
	return func() (*query.Record, error) {
		rec, err := next()
		if err != nil || rec == nil || rec.Table != "evidence" {
			return rec, err
		}
		n++
		var kind, value string
		for i, c := range rec.Columns {
			switch text, _ := rec.Values[i].(string); c {
			case "kind":
				kind = text
			case "value":
				value = text
			}
		}
		if !proven.Accepts(kind, value) {
			return nil, fault.Decline("record %d of evidence, %q, is a run of that command: it is run, not typed", n, kind).
				WithHint("leave it out; nothing was written")
		}
		return rec, nil
	}
}
