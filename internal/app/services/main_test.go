package services_test

import (
	"flag"
	"fmt"
	"os"
	"testing"
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
