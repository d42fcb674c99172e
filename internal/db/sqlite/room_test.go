package sqlite_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"tasker/internal/db"
	"tasker/internal/db/sqlite"
	"tasker/internal/fault"
	"tasker/internal/store"
	"tasker/internal/testkit/dbtest"
)

// cramped is a disk without room.
type cramped struct{ db.Files }

func (cramped) Room(string) (bytes int64, known bool) { return 12, true }

func TestAnExaminationTellsOfADiskWithoutRoom(t *testing.T) {
	e, err := sqlite.Open(dbtest.SQLite(t), db.Setup{World: db.World{Files: cramped{db.Setup{}.Filled().World.Files}}})
	if err != nil {
		t.Fatal(err)
	}
	d := db.New(e, db.Hooks{})
	defer func() { _ = d.Close() }()
	found, err := d.Examine(t.Context())
	if err != nil || len(found) != 1 || found[0].Name != db.OfDatabase || !strings.Contains(found[0].Err.Error(), "12 bytes are free") {
		t.Errorf("%+v %v", found, err)
	}
}

// crowded is a disk on which no more files can be created.
type crowded struct{ db.Files }

func (crowded) Names(string) (free int64, known bool) { return 0, true }

func (c crowded) Create(path string) error {
	return &fs.PathError{Op: "open", Path: path, Err: syscall.ENOSPC}
}

// The log, or the database itself, cannot be created. That has nothing to do with permissions, and more bytes do not help.
func TestADiskWithoutInodesIsSaid(t *testing.T) {
	there := filepath.Join(t.TempDir(), "tasker.db")
	setup := func(files db.Files) db.Setup {
		return db.Setup{Migrations: store.Schema(), World: db.World{Files: files}}
	}
	first, err := sqlite.Open(there, setup(nil))
	if err != nil {
		t.Fatal(err)
	}
	d := db.New(first, db.Hooks{})
	if err := errors.Join(d.Write(t.Context(), db.Request{}, func(*db.Turn) error { return nil }), d.Close()); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(there+"-wal", 0o700); err != nil { // SQLite cannot create its log
		t.Fatal(err)
	}
	for _, path := range []string{there, filepath.Join(t.TempDir(), "new.db")} {
		e, err := sqlite.Open(path, setup(crowded{db.Setup{}.Filled().World.Files}))
		if err != nil {
			t.Fatal(err)
		}
		d := db.New(e, db.Hooks{})
		err = d.Write(t.Context(), db.Request{}, func(*db.Turn) error { return nil })
		if f := fault.Of(err); !fault.Is(err, fault.Unavailable) || !strings.Contains(f.Message, "has no inode left") || strings.Contains(f.Hint, "may read") {
			t.Errorf("%s: %v (%+v)", path, err, f)
		}
		_ = d.Close()
	}
}
