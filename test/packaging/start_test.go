package packaging

import (
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// What one package may do at the start of every command, before the command itself begins. Times also depend on the
// machine, so the usual run checks counts; the time is checked only where there is time to take the best of many starts.
const (
	startMillis = 0.1
	startAllocs = 200
	startBytes  = 50_000
)

// slowStarts lists the packages that may do more, each with a maximum factor and what it is linked for.
var slowStarts = []struct {
	pkg, reason string
	times       float64
}{
	{"encoding/gob", "the library of the Model Context Protocol writes its cursors with it", 6},
	{"github.com/google/jsonschema-go/jsonschema", "the same library describes the arguments of tools with it", 5},
	{"github.com/itchyny/gojq", "--jq, and the grammar of its language, which it reads at the start", 11},
	{"modernc.org/libc", "SQLite", 5},
	{"tasker/internal/op", "the table of all operations with their types, mostly the first touch of its memory", 5},
}

type start struct {
	millis, allocs, bytes float64
}

// starts returns what each package does when the program starts: the minimum of several starts.
func starts(t *testing.T, times int) map[string]start {
	t.Helper()
	line := regexp.MustCompile(`(?m)^init (\S+) @\S+ ms, (\S+) ms clock, (\d+) bytes, (\d+) allocs$`)
	least := map[string]start{}
	for range times {
		cmd := exec.Command(built, "version")
		cmd.Dir = t.TempDir()
		cmd.Env = []string{"HOME=" + cmd.Dir, "GODEBUG=inittrace=1"}
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		for _, m := range line.FindAllStringSubmatch(string(out), -1) {
			var s [3]float64
			for i := range s {
				if s[i], err = strconv.ParseFloat(m[i+2], 64); err != nil {
					t.Fatal(err)
				}
			}
			now := start{millis: s[0], bytes: s[1], allocs: s[2]}
			if was, ok := least[m[1]]; ok {
				now = start{min(was.millis, now.millis), min(was.allocs, now.allocs), min(was.bytes, now.bytes)}
			}
			least[m[1]] = now
		}
	}
	if len(least) < 50 {
		t.Fatalf("only %d packages are traced at the start", len(least))
	}
	return least
}

// Every command pays for what packages do when the program starts, whether it needs them or not.
func TestNoPackageIsSlowToStart(t *testing.T) {
	long := os.Getenv("TASKER_TEST_LONG") != ""
	times := 2
	if long {
		times = 100
	}
	all := starts(t, times)
	for pkg, s := range all {
		allowed := 1.0
		for _, slow := range slowStarts {
			if slow.pkg == pkg {
				allowed = slow.times
			}
		}
		var above []string
		if s.allocs > startAllocs*allowed || s.bytes > startBytes*allowed {
			above = append(above, fmt.Sprintf("%.0f allocations of %.0f bytes", s.allocs, s.bytes))
		}
		if long && s.millis > startMillis*allowed {
			above = append(above, fmt.Sprintf("%.2f ms", s.millis))
		}
		if len(above) > 0 {
			t.Errorf("the start of %s takes %s: make it when it is first asked for (sync.OnceValue), or do without the package",
				pkg, strings.Join(above, " and "))
		}
	}
	for _, slow := range slowStarts {
		if _, ok := all[slow.pkg]; !ok {
			t.Errorf("%s is no longer linked (%s): take it from the list", slow.pkg, slow.reason)
		}
	}
}
