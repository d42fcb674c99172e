package dbtest

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"tasker/internal/testkit/dbtest/pgserver"
)

func TestEachGivesAFreshDatabaseOfBothKinds(t *testing.T) {
	var names, dbs []string
	Each(t, func(t *testing.T, db string) {
		names = append(names, t.Name()[strings.LastIndex(t.Name(), "/")+1:])
		dbs = append(dbs, db)
	})
	if len(dbs) != 2 || names[0] != "sqlite" || names[1] != "postgres" {
		t.Fatalf("Each ran %v", names)
	}
	if _, err := os.Stat(dbs[0]); !os.IsNotExist(err) {
		t.Errorf("the SQLite file is there before anybody wrote to it: %v", err)
	}
	if !strings.HasPrefix(dbs[1], "postgres://") {
		t.Errorf("the second database is %s", dbs[1])
	}
}

func TestTestsDoNotSeeOneAnothersTables(t *testing.T) {
	first, second := Postgres(t), Postgres(t)
	if err := exec(first, "CREATE TABLE thing (id int)"); err != nil {
		t.Fatal(err)
	}
	if got := scalar[bool](t, first, "SELECT to_regclass('thing') IS NOT NULL"); !got {
		t.Error("the table is not in the schema of the URL it was made with")
	}
	if got := scalar[bool](t, second, "SELECT to_regclass('thing') IS NULL"); !got {
		t.Error("the table of one test is seen by another")
	}
}

func TestTheSchemaIsDroppedWithItsTablesAfterTheTest(t *testing.T) {
	var schema string
	t.Run("uses it", func(t *testing.T) {
		db := Empty(t)
		schema = scalar[string](t, db, "SELECT current_schema()")
		if err := exec(db, "CREATE TABLE thing (id int)"); err != nil {
			t.Fatal(err)
		}
	})
	if !strings.HasPrefix(schema, "t_") {
		t.Fatalf("the test ran in schema %q", schema)
	}
	left := scalar[int](t, Empty(t), "SELECT count(*)::int FROM pg_namespace WHERE nspname = '"+schema+"'")
	if left != 0 {
		t.Error("the schema is still there")
	}
}

func TestADatabaseIsUsedAgainWithoutTheRowsOfTheTestBefore(t *testing.T) {
	templateMade(t)
	names, instances := map[string]int{}, map[int64]bool{}
	for i := range 3 {
		t.Run("uses it", func(t *testing.T) {
			db := Postgres(t)
			if rows := scalar[int](t, db, "SELECT count(*)::int FROM turn"); rows != 1 {
				t.Fatalf("the table has %d rows, and one from the beginning", rows)
			}
			names[databaseOf(t, db)]++
			instances[scalar[int64](t, db, "SELECT instance FROM turn")] = true
			if i == 1 {
				Exec(t, db, "DELETE FROM turn")
			}
		})
	}
	if len(names) > 1 && slices.Max(slices.Collect(maps.Values(names))) == 1 {
		t.Errorf("each test made a database of its own: %v", names)
	}
	if len(instances) != 3 {
		t.Errorf("the numbers that tell one test's database from another's are %v", instances)
	}
	first, second := Postgres(t), Postgres(t)
	if databaseOf(t, first) == databaseOf(t, second) {
		t.Error("two tests use the same database at the same time")
	}
}

func TestADatabaseThatATestChangedInShapeIsDropped(t *testing.T) {
	templateMade(t)
	for what, change := range map[string]string{
		"a table":   "CREATE TABLE thing (id int)",
		"a column":  "ALTER TABLE turn ADD COLUMN thing int",
		"an index":  "CREATE INDEX thing ON turn (instance)",
		"a type":    "ALTER TABLE turn ALTER COLUMN instance TYPE numeric",
		"a rule":    "ALTER TABLE turn ADD CHECK (instance > 0)",
		"a program": "CREATE FUNCTION thing() RETURNS int LANGUAGE sql AS 'SELECT 1'",
		"a schema":  "CREATE SCHEMA thing",
		"its plans": "ANALYZE turn",
		"a setting": "DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET lock_timeout = 7', current_database()); END $$",
	} {
		var name string
		t.Run(what, func(t *testing.T) {
			db := Postgres(t)
			name = databaseOf(t, db)
			Exec(t, db, change)
		})
		if left := scalar[int](t, serverURL(t), "SELECT count(*)::int FROM pg_database WHERE datname = '"+name+"'"); left != 0 {
			t.Errorf("a test changed %s, and the next test has its database", what)
		}
	}
}

func TestADatabaseWhoseTablesWereTruncatedIsUsedAgain(t *testing.T) {
	templateMade(t)
	db := Postgres(t)
	Exec(t, db, "DO $$ BEGIN FOR i IN 1..2500 LOOP UPDATE turn SET instance = i; END LOOP; END $$")
	size := "SELECT pg_relation_size('turn')::int"
	if was := scalar[int](t, db, size); was <= 10*8192 {
		t.Fatalf("the table has %d bytes, and is not truncated", was)
	}
	Exec(t, db, pgserver.Reset)
	if is := scalar[int](t, db, size); is != 8192 {
		t.Errorf("the table still has %d bytes", is)
	}
	Exec(t, db, pgserver.Reset)
}

func TestADatabaseServesSoManyTestsOnly(t *testing.T) {
	templateMade(t)
	var name string
	t.Run("the last", func(t *testing.T) {
		name = databaseOf(t, Postgres(t))
		Exec(t, serverURL(t), fmt.Sprintf("UPDATE pooled SET uses = %d WHERE name = '%s'", uses, name))
	})
	if left := scalar[int](t, serverURL(t), "SELECT count(*)::int FROM pg_database WHERE datname = '"+name+"'"); left != 0 {
		t.Error("the database is still there")
	}
}

// templateMade gives the server a template if it has none: `make test` makes one, but a server that a test binary starts
// itself has none.
func templateMade(t *testing.T) {
	t.Helper()
	there, err := templated()
	if err != nil {
		t.Fatal(err)
	}
	if there {
		return
	}
	base := serverURL(t)
	Exec(t, base, "CREATE DATABASE "+pgserver.Template)
	db, err := named(base, pgserver.Template)
	if err != nil {
		t.Fatal(err)
	}
	Exec(t, db, "CREATE TABLE turn AS SELECT 7::bigint AS instance", pgserver.Keep)
	templated = func() (bool, error) { return true, nil }
}

func databaseOf(t *testing.T, db string) string {
	t.Helper()
	return scalar[string](t, db, "SELECT current_database()::text")
}

func TestTheServerIsDurableAndTakesManyConnections(t *testing.T) {
	db := Postgres(t)
	sync := cmp.Or(os.Getenv(pgserver.EnvSync), "on")
	for name, want := range map[string]string{"fsync": sync, "synchronous_commit": "on", "full_page_writes": "on"} {
		if got := scalar[string](t, db, "SHOW "+name); got != want {
			t.Errorf("%s = %s, want %s", name, got, want)
		}
	}
	connections, err := strconv.Atoi(scalar[string](t, db, "SHOW max_connections"))
	if err != nil || connections < 200 {
		t.Errorf("max_connections = %d, %v, want 200 or more", connections, err)
	}
}

func TestADatabaseThatSortsByBytesIsRefused(t *testing.T) {
	db := Postgres(t)
	if err := checkCollation(db); err != nil {
		t.Errorf("the database of the tests is refused: %v", err)
	}
	const name = "tasker_bytes"
	create := "CREATE DATABASE " + name + " TEMPLATE template0 ENCODING 'UTF8' LOCALE 'C'"
	if scalar[bool](t, db, "SELECT current_setting('server_version_num')::int >= 150000") {
		create += " LOCALE_PROVIDER libc"
	}
	drop := "DROP DATABASE IF EXISTS " + name
	if err := exec(db, drop, create); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := exec(db, drop); err != nil {
			t.Error(err)
		}
	})
	cfg, err := pgx.ParseConfig(db)
	if err != nil {
		t.Fatal(err)
	}
	err = checkCollation(strings.Replace(db, "/"+cfg.Database+"?", "/"+name+"?", 1))
	if err == nil || !strings.Contains(err.Error(), "sorts text by bytes") {
		t.Errorf("a database in byte order: %v", err)
	}
}

func scalar[T any](t *testing.T, db, query string) T {
	t.Helper()
	var v T
	err := connected(db, func(ctx context.Context, c *pgx.Conn) error { return c.QueryRow(ctx, query).Scan(&v) })
	if err != nil {
		t.Fatalf("%s: %v", query, err)
	}
	return v
}
