package script_test

import (
	"context"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"

	"tasker/internal/db"
	"tasker/internal/db/postgres"
	"tasker/internal/db/sqlite"
	"tasker/internal/store"
)

// sql carries out a statement on the script's database, past everything that keeps it right.
func sql(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: sql STATEMENT")
	}
	s := ts.Value(stateKey{}).(*state)
	var e db.Engine
	var err error
	if setup := (db.Setup{Migrations: store.Schema()}); strings.Contains(s.db, "://") {
		e, err = postgres.Open(s.db, setup)
	} else {
		e, err = sqlite.Open(s.db, setup)
	}
	ts.Check(err)
	d := db.New(e, db.Hooks{})
	ts.Check(d.Write(context.Background(), true, func(t *db.Turn) error { return t.Exec(db.Any, args[0]) }))
	ts.Check(d.Close())
}
