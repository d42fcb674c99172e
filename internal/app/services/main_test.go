package services_test

import (
	"flag"
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// Each property test runs its histories on a real database: more than fifteen would take too long here, and `make
// test-long` runs more.
func TestMain(m *testing.M) {
	if err := flag.Set("rapid.checks", "15"); err != nil { // a -rapid.checks on the command line overrides it
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
	os.Exit(m.Run())
}

// check is rapid.Check with a third of the histories on PostgreSQL, where each takes four times as long; `make test-long`
// runs all of them there too. Decisions do not depend on the database: these test the queries, which each history runs many
// times.
func check(t *testing.T, db string, property func(*rapid.T)) {
	t.Helper()
	if strings.Contains(db, "://") && os.Getenv("TASKER_TEST_LONG") == "" {
		checks := flag.Lookup("rapid.checks").Value
		all := checks.String()
		n, err := strconv.Atoi(all)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = checks.Set(all) }()
		if err := checks.Set(strconv.Itoa((n + 2) / 3)); err != nil {
			t.Fatal(err)
		}
	}
	rapid.Check(t, property)
}
