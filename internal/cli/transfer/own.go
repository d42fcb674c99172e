package transfer

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"

	"tasker/internal/admin"
	"tasker/internal/cli/frame"
	"tasker/internal/core"
	"tasker/internal/fault"
	"tasker/internal/hint"
	"tasker/internal/op"
	"tasker/internal/planning"
	"tasker/internal/task/query"
	"tasker/internal/text/words"
	"tasker/internal/transfer/exporter"
	"tasker/internal/transfer/importer"
)

// ownKind is the kind of our own export.
const ownKind = "tasker"

// kinds lists everything that can be imported.
func kinds() []string {
	return append(append([]string{}, importer.Kinds...), ownKind, importer.TrackerKind)
}

// runOwn imports our own export: record by record into an empty database, or as a plan into any other.
func (o *importOptions) runOwn(ctx context.Context, f *frame.Factory, name string) error {
	file, err := openSource(f, name)
	if err != nil {
		return err
	}
	defer func() { _ = file.Close() }()
	src := bufio.NewReaderSize(file, 64<<10)
	if start, _ := src.Peek(1 << 10); bytes.Contains(start, []byte(`"tasks"`)) && !bytes.Contains(start, []byte(`"tasker"`)) {
		return fault.Bad("this is a plan, not an export of whole records").WithHint("apply it: %s", hint.Command("apply -f FILE"))
	}
	records, err := exporter.ReadRecords(src)
	if err != nil {
		return err
	}
	empty, err := isEmpty(ctx, f)
	if err != nil {
		return err
	}
	if empty && f.Flags.Project == "" && !o.hold && !o.plan {
		return o.load(ctx, f, records)
	}
	project, err := o.project(f)
	if err != nil {
		return err
	}
	batch, err := importer.FromRecords(project, records.Next)
	if err != nil {
		return err
	}
	return o.apply(ctx, f, batch)
}

// isEmpty reports whether the database has neither projects nor events.
func isEmpty(ctx context.Context, f *frame.Factory) (bool, error) {
	if f.NoDatabase() {
		return true, nil
	}
	all, err := frame.Call(ctx, f, op.Projects, core.None{})
	if err != nil || len(all) > 0 {
		return false, err
	}
	newest, err := frame.Call(ctx, f, op.Newest, core.None{})
	return newest == 0, err
}

// load writes the records or, in a dry run, only reads them.
func (o *importOptions) load(ctx context.Context, f *frame.Factory, records *exporter.Records) error {
	bar := f.Progress("importing records", 0)
	next := func() (*query.Record, error) {
		bar.Add(1)
		return records.Next()
	}
	n := 0
	var err error
	if o.dry {
		for err == nil {
			var rec *query.Record
			if rec, err = next(); rec == nil {
				break
			}
			n++
		}
	} else {
		var out admin.LoadOut
		out, err = frame.Call(ctx, f, op.Load, admin.LoadIn{Of: records.Of, Next: next})
		n = out.Records
	}
	bar.End()
	if err != nil {
		return err
	}
	out := planning.ImportOut{Source: ownKind, Read: n, ApplyOut: planning.ApplyOut{DryRun: o.dry}}
	return f.Answer(out, func() {
		f.Say("%s %s\n", words.Count(n, "record", "records"),
			words.Either(o.dry, "would be written", "written: the database is the one that was exported"))
	})
}

// openSource opens the file to import.
func openSource(f *frame.Factory, name string) (io.ReadCloser, error) {
	if name == "-" {
		return io.NopCloser(f.Process.Stdin), nil
	}
	file, err := os.Open(f.Path(name))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fault.Bad("there is no file %s", name)
	}
	if err != nil {
		return nil, fault.Bad("%s cannot be read: %v", name, err).WithCause(err)
	}
	return file, nil
}
