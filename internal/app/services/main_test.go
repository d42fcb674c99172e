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

// A history of the property tests is carried out on a real database: fifteen of each take as long as may be, and
// `make test-long` says how many more.
func TestMain(m *testing.M) {
	if err := flag.Set("rapid.checks", "15"); err != nil { // -rapid.checks of the command line comes after it
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
	os.Exit(m.Run())
}

// check is rapid.Check with a third of the histories on PostgreSQL, where each takes four times as long; `make test-long` has all
// of them there too. What is decided does not know the database: these are for the queries, which each history asks many times.
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
