package bundle

import (
	"flag"
	"fmt"
	"os"
	"testing"
)

// The property test counts the tokens of every cut of every bundle it draws: more than forty bundles would take too long
// here, and `make test-long` draws 2,000.
func TestMain(m *testing.M) {
	if err := flag.Set("rapid.checks", "40"); err != nil { // a -rapid.checks on the command line overrides it
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
	os.Exit(m.Run())
}
