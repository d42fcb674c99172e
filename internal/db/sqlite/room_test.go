package sqlite_test

import (
	"strings"
	"testing"

	"tasker/internal/db"
	"tasker/internal/db/sqlite"
	"tasker/internal/dbtest"
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
