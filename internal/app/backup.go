package app

import (
	"bufio"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"tasker/internal/admin"
	"tasker/internal/cli/frame"
	"tasker/internal/core"
	"tasker/internal/db"
	"tasker/internal/db/sqlite"
	"tasker/internal/fault"
	"tasker/internal/store"
	"tasker/internal/task/query"
	"tasker/internal/transfer/backup"
	"tasker/internal/transfer/exporter"
	"tasker/internal/unfinished"
)

// Backup writes a consistent snapshot of the database to a file, without blocking writers.
func (a *App) Backup(ctx context.Context, path string) (frame.Backup, error) {
	if _, err := os.Lstat(path); err == nil {
		return frame.Backup{}, fault.Decline("%s is there already", path).WithHint("name a file that is not there yet")
	}
	unfinished.Sweep(filepath.Dir(path))
	tmp, err := unfinished.Create(filepath.Dir(path), unfinished.Data)
	if err != nil {
		return frame.Backup{}, frame.Unwritable(path, err)
	}
	defer tmp.Discard()
	m, err := a.copyTo(ctx, tmp)
	if err != nil {
		return frame.Backup{}, err
	}
	added, err := a.store.DB().Additions(ctx)
	if err != nil {
		return frame.Backup{}, err
	}
	out := frame.Backup{Path: path, Schema: m.Schema, LastEvent: m.LastEvent}
	if len(added) > 0 {
		out.Warnings = []string{"this backup cannot be restored, because a restore takes tables alone, and the database has more: " + strings.Join(added, ", ")}
	}
	w, err := backup.Write(path, m, tmp.Name())
	out.Bytes, out.Sum = w.Bytes, w.Sum
	return out, err
}

// copyTo writes a snapshot into an empty file: a copy of a database file, or every record.
func (a *App) copyTo(ctx context.Context, tmp *unfinished.File) (backup.Manifest, error) {
	err := a.store.DB().Copy(ctx, tmp.Name())
	if errors.Is(err, errors.ErrUnsupported) {
		return a.exportTo(ctx, tmp)
	}
	if err != nil {
		return backup.Manifest{}, err
	}
	h, err := headOf(ctx, tmp.Name())
	return backup.Manifest{Kind: backup.SQLite, Schema: h.Schema, LastEvent: h.LastEvent, Instance: h.Instance, Generation: h.Generation}, err
}

// headOf reads the head of a database file.
func headOf(ctx context.Context, path string) (db.Head, error) {
	e, err := sqlite.Open(path, db.Setup{Migrations: store.Schema()})
	if err != nil {
		return db.Head{}, err
	}
	s, err := e.Snapshot(ctx, time.Minute, db.Point{})
	if err != nil {
		return db.Head{}, errors.Join(err, e.Close())
	}
	h := s.Head()
	s.End()
	return h, e.Close()
}

func (a *App) exportTo(ctx context.Context, tmp io.Writer) (backup.Manifest, error) {
	m := backup.Manifest{Kind: backup.Records}
	out := bufio.NewWriterSize(tmp, 64<<10)
	s := exporter.NewStream(out)
	_, err := a.Services.Admin.Dump(ctx, admin.DumpIn{Outputs: true, Record: s.Record, Begin: func(of query.Dumped) error {
		m.Schema, m.LastEvent, m.Instance, m.Generation = of.Schema, of.LastEvent, of.Instance, of.Generation
		return s.Begin(of)
	}})
	if err == nil {
		err = s.End()
	}
	return m, errors.Join(err, out.Flush())
}

// lost returns which events are gone if the log of the database was rewound; nil otherwise.
func (a *App) lost(ctx context.Context) (*admin.Lost, error) {
	lost, err := a.store.DB().Lost(ctx)
	if err != nil || lost.To == 0 {
		return nil, err
	}
	return &admin.Lost{From: lost.From, To: lost.To}, nil
}

// accept goes on with a database whose log was rewound, or whose file was copied while a server had it open.
func (a *App) accept(ctx context.Context) (out admin.AcceptOut, err error) {
	lost, err := a.lost(ctx)
	if err == nil && lost != nil {
		out, err = a.Services.Admin.Accept(ctx, admin.AcceptIn{Generation: a.now().Unix()}) // as after a restore
	}
	if err == nil {
		err = a.store.DB().Accept(ctx)
	}
	return out, err
}

// Restore replaces a database that has no project, and that is not in use, with a backup.
func (a *App) Restore(ctx context.Context, path string) (frame.Restored, error) {
	if err := a.vacant(ctx); err != nil {
		return frame.Restored{}, err
	}
	if strings.Contains(a.path, "://") {
		return a.restoreRecords(ctx, path)
	}
	return a.restoreFile(ctx, path)
}

// vacant refuses a database that has a project, or that is in use.
func (a *App) vacant(ctx context.Context) error {
	if !strings.Contains(a.path, "://") {
		if log, err := os.Stat(a.path + "-wal"); err == nil && log.Size() > 0 {
			if _, err := os.Stat(a.path); errors.Is(err, fs.ErrNotExist) {
				return fault.Decline("the log of another database is next to %s", a.path).
					WithHint("stop what uses it, and move %s-wal and %s-shm away", a.path, a.path)
			}
		}
	}
	all, err := a.Services.Reading.Projects(ctx, core.None{})
	if err != nil {
		return err
	}
	if len(all) > 0 {
		return fault.Decline("the database already holds the project %s: a restore never overwrites one", all[0].Slug).
			WithHint("name another database with TASKER_DB; or stop what uses this one, and move it away")
	}
	alone, err := a.store.DB().Alone(ctx)
	if err == nil && !alone {
		err = fault.Decline("the database is in use").WithHint("stop the server and everything else that has it open, and restore again")
	}
	return err
}

// opened reads a backup, using dir for its data, and refuses one with a newer schema than this binary knows.
func (a *App) opened(path, dir string) (*backup.Opened, error) {
	b, err := backup.Open(path, dir)
	if err != nil {
		return nil, err
	}
	if b.Schema > len(store.Schema()) {
		b.Discard()
		return nil, fault.Decline("the backup has schema version %d and this tasker knows %d", b.Schema, len(store.Schema())).
			WithHint("restore it with a newer tasker")
	}
	return b, nil
}

func (a *App) restoreRecords(ctx context.Context, path string) (frame.Restored, error) {
	b, err := a.opened(path, os.TempDir())
	if err != nil {
		return frame.Restored{}, err
	}
	defer b.Discard()
	if b.Kind != backup.Records {
		return frame.Restored{}, fault.Decline("this is the backup of a database file, and cannot be restored into PostgreSQL").
			WithHint("restore it to a file, export that, and import the export here")
	}
	out, err := a.reborn(ctx, b)
	return restored(a.path, b, out), err
}

// restoreFile builds the database next to its final path, and moves it there when it is complete.
func (a *App) restoreFile(ctx context.Context, path string) (frame.Restored, error) {
	dir := filepath.Dir(a.path)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return frame.Restored{}, frame.Unwritable(a.path, err)
	}
	b, err := a.opened(path, dir)
	if err != nil {
		return frame.Restored{}, err
	}
	defer b.Discard()
	fresh := b.Data
	if b.Kind == backup.Records {
		fresh += unfinished.Database
	}
	built, err := Open(Options{DB: fresh, Config: a.config, Version: a.Services.Binary})
	if err != nil {
		return frame.Restored{}, err
	}
	out, err := built.reborn(ctx, b)
	if err = errors.Join(err, built.Close()); err != nil {
		return frame.Restored{}, err
	}
	return restored(a.path, b, out), a.place(fresh)
}

// place moves a complete database to its path. It does not replace one that was created there in the meantime.
func (a *App) place(fresh string) error {
	err := os.Remove(a.path) // the one without a project that vacant checked
	if err == nil || errors.Is(err, fs.ErrNotExist) {
		err = os.Link(fresh, a.path)
	}
	if err != nil {
		return frame.Unwritable(a.path, err)
	}
	if d, err := os.Open(filepath.Dir(a.path)); err == nil {
		_ = d.Sync() // not every system supports it
		_ = d.Close()
	}
	return nil
}

// reborn checks the database of a backup, and takes it into use.
func (a *App) reborn(ctx context.Context, b *backup.Opened) (out admin.RestoreOut, err error) {
	in := admin.RestoreIn{
		Of:         query.Dumped{Schema: b.Schema, LastEvent: b.LastEvent, Instance: b.Instance, Generation: b.Generation},
		Generation: a.now().Unix(), // so that two restores of one backup can be distinguished
	}
	if b.Kind == backup.Records {
		file, err := os.Open(b.Data)
		if err != nil {
			return out, err
		}
		defer func() { _ = file.Close() }()
		records, err := exporter.ReadRecords(bufio.NewReaderSize(file, 64<<10))
		if err != nil {
			return out, err
		}
		in.Next = records.Next
	} else {
		added, err := a.store.DB().Additions(ctx)
		if err != nil {
			return out, err
		}
		if len(added) > 0 {
			return out, fault.Decline("the data of the backup has what no tasker makes, and a restore takes tables alone: %s", strings.Join(added, ", ")).
				WithHint("drop it where the backup was taken, or in the backup's own data (tar xf FILE data), and take a backup of that; nothing was written")
		}
		found, err := a.store.DB().Examine(ctx)
		if err != nil {
			return out, err
		}
		for _, t := range found {
			if t.Name == db.OfDatabase {
				return out, fault.Decline("the database in the backup is damaged: %s", fault.Of(t.Err).Message).WithHint("restore another backup")
			}
		}
	}
	return a.Services.Admin.Restore(ctx, in)
}

func restored(path string, b *backup.Opened, out admin.RestoreOut) frame.Restored {
	return frame.Restored{
		Backup: frame.Backup{Path: path, Bytes: b.Written.Bytes, Sum: b.Written.Sum, Schema: b.Schema, LastEvent: b.LastEvent},
		Tasks:  out.Tasks, Events: out.Events,
	}
}
