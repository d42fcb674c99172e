package script_test

import (
	"bytes"
	"compress/gzip"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"

	"tasker/internal/store"
	"tasker/internal/testkit/dbtest"
)

// Databases of the programs of earlier landings, each after the same commands (testdata/upgrade/fill.sh), by schema
// version.
const landings = "testdata/upgrade"

// left is the status of every task in such a database, by its key.
var left = map[string]string{
	"epic": "open", "parser": "done", "printer": "open", "held": "in_progress", "asked": "open", "review": "in_review", "gone": "cancelled", "name": "open",
}

// TestDatabasesOfEarlierLandingsAreUpgraded upgrades each of them to the schema of this program and continues to work
// with it: nothing in them is lost, and maintained values are right.
func TestDatabasesOfEarlierLandingsAreUpgraded(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob(filepath.Join(landings, "v*.gz"))
	if err != nil || len(files) < 10 {
		t.Fatal(files, err)
	}
	// The oldest goes through every migration, and everything is read of it; `make test-long` reads everything of each.
	oldest := slices.MinFunc(files, func(a, b string) int { return schemaOf(a) - schemaOf(b) })
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			t.Parallel()
			all := schemaOf(file) == schemaOf(oldest) || os.Getenv("TASKER_TEST_LONG") != ""
			content := unpack(t, file)
			dir := t.TempDir()
			version := strconv.Itoa(schemaOf(file))
			if strings.HasSuffix(file, ".sql.gz") {
				db := dbtest.Empty(t)
				dbtest.Exec(t, db, string(content))
				u := upgrade{t, dir, db}
				if out := u.fails(3, "list", "-p", "shop"); !strings.Contains(out, "tasker db migrate") {
					t.Errorf("before the migration: %s", out)
				}
				out := u.tasker("db", "migrate")
				if !strings.Contains(out, "from schema version "+version+" to ") {
					t.Errorf("db migrate: %s", out)
				}
				u.reports(out, bytes.Contains(content, []byte(`"kind":"human"`)))
				u.works(all)
				return
			}
			db := filepath.Join(dir, "tasker.db")
			if err := os.WriteFile(db, content, 0o600); err != nil {
				t.Fatal(err)
			}
			u := upgrade{t, dir, db}
			// A human whom only a file declares counts, too.
			file := filepath.Join(dir, ".tasker.json")
			if err := os.WriteFile(file, []byte(`{"version": 1, "project": "shop", "actors": [{"name": "zoe", "kind": "human"}]}`), 0o600); err != nil {
				t.Fatal(err)
			}
			if version[len(version)-1]%2 == 0 { // what --json does not print is kept for the next command
				u.tasker("list", "-p", "shop", "--json")
				u.reports(u.tasker("list", "-p", "shop"), true)
			} else {
				out := u.tasker("list", "-p", "shop")
				if !strings.Contains(out, "from schema version "+version+" to ") {
					t.Errorf("the move to another schema is not reported: %s", out)
				}
				u.reports(out, true)
			}
			if err := os.Remove(file); err != nil {
				t.Fatal(err)
			}
			before, err := os.ReadFile(db + ".v" + version + ".backup")
			if err != nil || !bytes.HasPrefix(before, []byte("SQLite format 3\x00")) || len(before) < len(content)/2 {
				t.Errorf("the backup next to it has %d bytes of %d: %v", len(before), len(content), err)
			}
			u.works(all)
		})
	}
}

// schemaOf returns the schema version in the name of a file.
func schemaOf(file string) int {
	n, _ := strconv.Atoi(regexp.MustCompile(`v(\d+)`).FindStringSubmatch(filepath.Base(file))[1])
	return n
}

func unpack(t *testing.T, file string) []byte {
	t.Helper()
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	content, err := io.ReadAll(z)
	if err != nil {
		t.Fatal(err)
	}
	return content
}

// upgrade is a database of an earlier landing.
type upgrade struct {
	*testing.T
	dir, db string
}

func (u upgrade) run(args ...string) (string, int) {
	u.Helper()
	cmd := exec.Command(filepath.Join(built, "tasker"), args...)
	cmd.Dir = u.dir
	cmd.Env = []string{"HOME=" + u.dir, "TASKER_DB=" + u.db, "TASKER_ACTOR=ann", "PATH=" + os.Getenv("PATH")}
	out, err := cmd.CombinedOutput()
	if err != nil && cmd.ProcessState == nil {
		u.Fatal(err)
	}
	return string(out), cmd.ProcessState.ExitCode()
}

func (u upgrade) tasker(args ...string) string {
	u.Helper()
	out, code := u.run(args...)
	if code != 0 {
		u.Fatalf("tasker %s ended with %d: %s", strings.Join(args, " "), code, out)
	}
	return out
}

func (u upgrade) fails(want int, args ...string) string {
	u.Helper()
	out, code := u.run(args...)
	if code != want {
		u.Fatalf("tasker %s ended with %d, want %d: %s", strings.Join(args, " "), code, want, out)
	}
	return out
}

// changed is what a migration says about the changed rules for closings.
const changed = "Rules have changed in shop"

// reports checks that the migration reported them if the project declares a human.
func (u upgrade) reports(out string, declares bool) {
	u.Helper()
	if strings.Contains(out, changed) != declares {
		u.Errorf("a human is declared: %t, and the migration said: %s", declares, out)
	}
}

// works reads what was left, or all of it, and goes on with it.
func (u upgrade) works(all bool) {
	u.Helper()
	var list struct {
		Tasks []struct {
			Key    string `json:"key"`
			Status string `json:"status"`
		} `json:"tasks"`
	}
	if err := json.Unmarshal([]byte(u.tasker("list", "-p", "shop", "--json")), &list); err != nil {
		u.Fatal(err)
	}
	for _, t := range list.Tasks {
		if left[t.Key] != t.Status {
			u.Errorf("%s is %s, and was %s", t.Key, t.Status, left[t.Key])
		}
	}
	if len(list.Tasks) != len(left) {
		u.Errorf("there are %d tasks, and were %d", len(list.Tasks), len(left))
	}
	reads := map[string][]string{
		"show parser -p shop": {"[x] 1. every error has a line", "ci/1", "the lexer is done: naïve, 日本", "By hand: it is small"},
	}
	more := map[string][]string{
		"show held -p shop":            {"claude", "half of it is there"},
		"show asked -p shop":           {"Tabs or spaces?"},
		"search naïve -p shop":         {"shop-2"},
		"events --since-id 0 -p shop":  {"shop-7"},
		"explain printer -p shop":      {"printer", "Ready: yes"},
		"doctor":                       {"All is well"},
		"subtree epic -p shop":         {"shop-2", "shop-3"},
		"list --state waiting -p shop": {"shop-1"},
	}
	if all {
		maps.Copy(reads, more)
	}
	for args, want := range reads {
		out := u.tasker(strings.Fields(args)...)
		if strings.Contains(out, changed) {
			u.Errorf("what the migration said is said again: %s", out)
		}
		for _, w := range want {
			if !strings.Contains(out, w) {
				u.Errorf("tasker %s does not say %q:\n%s", args, w, out)
			}
		}
	}
	u.tasker("done", "printer", "-p", "shop") // which claims it in the same step
	if all {
		u.tasker("next", "--claim", "-p", "shop")
		u.tasker("reopen", "parser", "-p", "shop")
	}
	u.tasker("doctor") // fails if anything is wrong
}

// TestEveryDatabaseThatIsKeptIsOlder fails where a file was made by the program that is tested, which would show nothing.
func TestEveryDatabaseThatIsKeptIsOlder(t *testing.T) {
	t.Parallel()
	files, err := os.ReadDir(landings)
	if err != nil {
		t.Fatal(err)
	}
	if i := slices.IndexFunc(files, func(f os.DirEntry) bool {
		return strings.HasPrefix(f.Name(), "v"+strconv.Itoa(len(store.Schema()))+".")
	}); i >= 0 {
		t.Errorf("%s is of this schema", files[i].Name())
	}
}

// TestADowngradeIsRefusedWithTheWayBack has a database of a schema that this program does not know, for reads and writes.
func TestADowngradeIsRefusedWithTheWayBack(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, db string) {
		u := upgrade{t, t.TempDir(), db}
		if strings.Contains(db, "://") {
			u.tasker("db", "migrate")
		}
		u.tasker("project", "create", "shop")
		u.tasker("add", "A task", "-p", "shop")
		if err := carryOut(db, "UPDATE turn SET schema_version = schema_version + 100"); err != nil {
			t.Fatal(err)
		}
		for _, args := range [][]string{{"list", "-p", "shop"}, {"add", "Another", "-p", "shop"}, {"serve", "--port", "0"}, {"doctor"}} {
			out := u.fails(1, args...)
			wanted := []string{"the database has schema version 1", "get a newer tasker: tasker upgrade", "go back to the state before the upgrade", ".backup"}
			for _, want := range wanted {
				if !strings.Contains(out, want) {
					t.Errorf("tasker %s does not say %q: %s", args[0], want, out)
				}
			}
		}
	})
}
