package services_test

import (
	"flag"
	"fmt"
	"os"
	"testing"
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
