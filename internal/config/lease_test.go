package config

import (
	"strings"
	"testing"
)

func TestALeaseIsFromZeroTo366Days(t *testing.T) {
	for _, good := range []string{`"0"`, `"366d"`, `"31622400s"`} {
		if f := faultsOf(t, place("agentDefaults.lease", good)); len(f) != 0 {
			t.Errorf("%s: %v", good, f)
		}
	}
	for _, bad := range []string{`"367d"`, `"31622401s"`, `0`, `""`, `"1y"`} {
		f := faultsOf(t, place("agentDefaults.lease", bad))
		if len(f) != 1 || !strings.Contains(f[0].Message, "from 0 to 366 days") {
			t.Errorf("%s: %v", bad, f)
		}
	}
}
