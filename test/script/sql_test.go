package script_test

import (
	"context"
	"errors"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"
	zombie "zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"

	"tasker/internal/db"
	"tasker/internal/db/postgres"
	"tasker/internal/db/sqlite"
	"tasker/internal/store"
)

// sql runs a statement on the script's database, bypassing everything that keeps it consistent.
func sql(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: sql STATEMENT")
	}
	ts.Check(carryOut(ts.Value(stateKey{}).(*state).db, args[0]))
}

// another runs a script on an SQLite file as another program does.
func another(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: another FILE SCRIPT")
	}
	c, err := zombie.OpenConn(ts.MkAbs(args[0]), zombie.OpenReadWrite)
	ts.Check(err)
	ts.Check(errors.Join(sqlitex.ExecuteScript(c, args[1], nil), c.Close()))
}

// carryOut runs a statement on a database.
func carryOut(path, statement string) error {
	var e db.Engine
	var err error
	if setup := (db.Setup{Migrations: store.Schema()}); strings.Contains(path, "://") {
		e, err = postgres.Open(path, setup)
	} else {
		e, err = sqlite.Open(path, setup)
	}
	if err != nil {
		return err
	}
	d := db.New(e, db.Hooks{})
	err = d.Write(context.Background(), db.Request{Alone: true}, func(t *db.Turn) error { return t.Exec(db.Any, statement) })
	return errors.Join(err, d.Close())
}
