package faults

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/go-json-experiment/json"

	"tasker/internal/testkit/dbtest"
)

// fleetAgent is an agent that ends as the file mode says, and at a task's first try as the number of the task says.
const fleetAgent = `cat > /dev/null
case $(cat mode) in
login) echo 'please log in'; exit 78 ;;
hang) echo $TASKER_TASK >> begun; sleep 1000 ;;
broken) echo "$TASKER_TASK: no such table"; exit 1 ;;
esac
n=${TASKER_TASK##*-}
mkdir tried/$n 2> /dev/null || exit 0
case $n in
*3) kill -9 $$ ;;
*6) exit $n ;;
*7) echo 'now broken; not now' >&2; exit 0 ;;
5) test $LONG = 0 || { echo "come back at $(date -u -d '+2 seconds' +%Y-%m-%dT%H:%M:%SZ)"; exit 1; } ;;
15) test $LONG = 0 || { echo 'over the limit'; exit 1; } ;;
25) test $LONG = 0 || { echo 'the proxy is away'; exit 1; } ;;
esac
exit 0
`

// fleetTable is the table of that agent.
const fleetTable = `{"agents": [{"name": "mine", "call": ["sh", "agent.sh"], "texts": [
	{"class": "limit", "pattern": "^come back at (?P<at>.*)"}, {"class": "limit", "pattern": "^over the limit"}, {"class": "outage", "pattern": "^the proxy is away"}]}]}`

// fleet is a runner with thirty workers.
type fleet struct {
	*world
	said bytes.Buffer
	cmd  *exec.Cmd
}

// sends starts a runner whose agent ends as mode says.
func (w *world) sends(ctx context.Context, slug, mode string) *fleet {
	w.Helper()
	w.must(os.WriteFile(filepath.Join(w.dir, "mode"), []byte(mode), 0o600))
	f := &fleet{world: w}
	f.cmd = w.command(ctx, "bot", "run", "-p", slug, "--agent", "mine", "--until-empty", "--parallel", "30", "--shared")
	f.cmd.Env = append(f.cmd.Env, "LONG="+strconv.Itoa(often(0, 1)), "XDG_CONFIG_HOME="+w.dir)
	f.cmd.Stdout, f.cmd.Stderr = &f.said, &f.said
	w.must(f.cmd.Start())
	return f
}

// ends waits for the end of the runner, which it has by itself.
func (f *fleet) ends(code int) {
	f.Helper()
	_ = f.cmd.Wait() // the code is looked at
	if got := f.cmd.ProcessState.ExitCode(); got != code {
		f.Fatalf("the runner ended with %d, want %d: %s", got, code, f.said.String())
	}
}

// left returns the processes that run in the world's directory.
func (w *world) left() (out []string) {
	w.Helper()
	all, err := filepath.Glob("/proc/[0-9]*/cwd")
	w.must(err)
	for _, cwd := range all {
		if dir, err := os.Readlink(cwd); err == nil && dir == w.dir {
			line, _ := os.ReadFile(filepath.Join(filepath.Dir(cwd), "cmdline"))
			if len(line) > 0 { // a process that has ended has none
				out = append(out, strings.ReplaceAll(string(line), "\x00", " "))
			}
		}
	}
	return out
}

// gone waits until no process of the world is left.
func (w *world) gone() {
	w.Helper()
	for end := time.Now().Add(patience); len(w.left()) > 0; time.Sleep(pause) {
		if time.Now().After(end) {
			w.Fatalf("there is still %q", w.left())
		}
	}
}

// state returns how many tasks have each status, how many are held, the attempts that count, and the items of the inbox.
func (w *world) state(slug string) (status map[string]int, held, attempts int, waits []string) {
	w.Helper()
	var all struct {
		Tasks []struct {
			Status   string
			Attempts int
			Claim    *object
		}
	}
	w.must(json.Unmarshal(w.tasker("ann", "list", "-p", slug, "--all", "--json"), &all, json.MatchCaseInsensitiveNames(true)))
	status = map[string]int{}
	for _, t := range all.Tasks {
		status[t.Status]++
		attempts += t.Attempts
		if t.Claim != nil {
			held++
		}
	}
	var box struct {
		Items []struct{ Kind, Why string }
	}
	w.must(json.Unmarshal(w.tasker("ann", "inbox", "-p", slug, "--json"), &box, json.MatchCaseInsensitiveNames(true)))
	for _, it := range box.Items {
		waits = append(waits, it.Kind+": "+it.Why)
	}
	return status, held, attempts, waits
}

// Thirty workers of one runner meet a bad login, a SIGKILL of the runner, crashes, and a fault that all tasks share; in a long run also usage limits that
// tell their end or do not, and an outage. In the end every task is in a true state, nothing is held, no attempt is counted
// that was none, people are asked once a cause, and no process is left.
func TestAFleetLeavesEveryTaskInATrueState(t *testing.T) {
	t.Parallel()
	const tasks = 40
	w := newWorld(t, dbtest.SQLite(t))
	w.must(os.WriteFile(filepath.Join(w.dir, "agent.sh"), []byte(fleetAgent), 0o600))
	w.must(os.MkdirAll(filepath.Join(w.dir, "tasker"), 0o700))
	w.must(os.WriteFile(filepath.Join(w.dir, "tasker", "agents.json"), []byte(fleetTable), 0o600))
	w.must(os.Mkdir(filepath.Join(w.dir, "tried"), 0o700))
	w.apply(plain(tasks))
	ctx, cancel := context.WithTimeout(t.Context(), time.Duration(often(1, 12))*patience)
	defer cancel()

	w.sends(ctx, "demo", "login").ends(1)
	status, held, attempts, waits := w.state("demo")
	if status["open"] != tasks || held+attempts > 0 || len(waits) != 1 || !strings.Contains(waits[0], "please log in") {
		t.Fatalf("after a bad login: %v, %d held, %d attempts, %q", status, held, attempts, waits)
	}
	w.gone()

	f := w.sends(ctx, "demo", "hang")
	for begun := 0; begun < 30; time.Sleep(pause) {
		text, _ := os.ReadFile(filepath.Join(w.dir, "begun")) // the first has not begun yet
		if begun = strings.Count(string(text), "\n"); ctx.Err() != nil {
			t.Fatalf("only %d commands began: %s", begun, f.said.String())
		}
	}
	w.must(f.cmd.Process.Signal(syscall.SIGKILL))
	_ = f.cmd.Wait() // that was the test's own doing
	w.gone()
	if status, held, attempts, waits = w.state("demo"); status["in_progress"] != 30 || held != 30 || attempts > 0 || len(waits) > 0 {
		t.Fatalf("after a SIGKILL: %v, %d held, %d attempts, %q", status, held, attempts, waits)
	}
	w.execute("UPDATE task SET expires_at = 1 WHERE expires_at > 0") // their leases end
	if status, held, attempts, _ = w.state("demo"); status["open"] != tasks || held > 0 || attempts != 30 {
		t.Fatalf("after the leases: %v, %d held, %d attempts", status, held, attempts)
	}

	w.sends(ctx, "demo", "mixed").ends(1) // as attempts failed
	const crashed = 4 + 4                 // 3, 13, …, and 6, 16, …
	if status, held, attempts, waits = w.state("demo"); status["done"] != tasks || held > 0 || attempts > 0 || len(waits) > 0 {
		t.Errorf("in the end: %v, %d held, %d attempts, %q", status, held, attempts, waits)
	}
	if got := strings.Count(string(w.tasker("ann", "events", "--kind", "claim.released", "--limit", "1000", "--json")), `"failed":true`); got != crashed {
		t.Errorf("%d failed attempts, want %d", got, crashed)
	}
	w.gone()

	w.apply(strings.Replace(plain(tasks), "demo", "other", 1))
	w.sends(ctx, "other", "broken").ends(3)
	if status, held, attempts, waits = w.state("other"); status["open"] != tasks || held > 0 || attempts < 3 || attempts > 30 || len(waits) != 1 ||
		!strings.Contains(waits[0], "no such table") {
		t.Errorf("after tasks that fail alike: %v, %d held, %d attempts, %q", status, held, attempts, waits)
	}
	w.gone()
	w.healthy()
}
