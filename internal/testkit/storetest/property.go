package storetest

import (
	"flag"
	"os"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// Check is rapid.Check with a third of the histories on PostgreSQL, where each takes four times as long; `make test-long`
// runs all of them there too. Decisions do not depend on the database: these test the queries, which each history runs
// many times. It changes a flag, so nothing else may draw at the same time.
func Check(t *testing.T, db string, property func(*rapid.T)) {
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
