package faults

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"tasker/internal/testkit/dbtest"
)

// syscalls are the calls by which bytes reach a file, a disk or a client.
const syscalls = "trace=write,writev,pwrite64,pwritev,pwritev2,sendto,sendmsg,fsync,fdatasync,sync_file_range,msync"

// traced is one system call in a trace. A call of one thread may begin and end on different lines, with calls of other
// threads in between.
type traced struct {
	name       string
	args       string // as strace prints them, including the file of the descriptor
	begin, end int    // lines
	result     string
}

var (
	wholeCall   = regexp.MustCompile(`^\d+ +(\w+)\((.*)\) += (.*)$`)
	beginOfCall = regexp.MustCompile(`^(\d+) +(\w+)\((.*) <unfinished \.\.\.>$`)
	endOfCall   = regexp.MustCompile(`^(\d+) +<\.\.\. (\w+) resumed>(.*)\) += (.*)$`)
)

// readTrace combines the lines of a trace into calls, in the order in which they began. A call that never ended ends
// after the last line.
func readTrace(text string) []traced {
	var calls []traced
	open := map[string]int{} // by thread
	lines := strings.Split(text, "\n")
	for n, line := range lines {
		if m := wholeCall.FindStringSubmatch(line); m != nil && !strings.Contains(line, "resumed>") {
			calls = append(calls, traced{m[1], m[2], n, n, m[3]})
		} else if m := beginOfCall.FindStringSubmatch(line); m != nil {
			open[m[1]] = len(calls)
			calls = append(calls, traced{name: m[2], args: m[3], begin: n, end: len(lines)})
		} else if m := endOfCall.FindStringSubmatch(line); m != nil {
			if i, ok := open[m[1]]; ok && calls[i].name == m[2] {
				calls[i].end, calls[i].result = n, m[4]
				calls[i].args += m[3]
				delete(open, m[1])
			}
		}
	}
	return calls
}

// unsynced says why an answer is not known to be durable, or "" if it is. Between the previous answer (or the beginning)
// and this answer there must be a write to the log, and after the last such write has ended, a sync of the log must begin
// and succeed before the answer begins.
func unsynced(calls []traced, from, answer int) string {
	last := -1
	for i := from; i < answer; i++ {
		c := calls[i]
		if strings.Contains(c.args, "-wal>") && strings.Contains(c.name, "write") && c.begin < calls[answer].begin {
			last = i
		}
	}
	if last < 0 {
		return "nothing was written to the log before the answer"
	}
	for i := last + 1; i < answer; i++ {
		c := calls[i]
		if (c.name == "fsync" || c.name == "fdatasync") && strings.Contains(c.args, "-wal>") &&
			c.begin > calls[last].end && c.end < calls[answer].begin && strings.HasPrefix(c.result, "0") {
			return ""
		}
	}
	return "no sync of the log lies between the last write and the answer"
}

// answers finds the calls that begin an answer of a server or, with another text, of a command.
func answers(calls []traced, text string) []int {
	var out []int
	for i, c := range calls {
		if strings.Contains(c.args, `, "`+text) || strings.Contains(c.args, `iov_base="`+text) {
			out = append(out, i)
		}
	}
	return out
}

func strace(t *testing.T, file string) []string {
	t.Helper()
	return straceOf(t, syscalls, file)
}

// straceOf is strace for some calls.
func straceOf(t *testing.T, calls, file string) []string {
	t.Helper()
	path, err := exec.LookPath("strace")
	if err != nil {
		t.Fatal("this test needs strace: run make test, which installs it")
	}
	return []string{path, "-f", "-y", "-s", "48", "-e", calls, "-o", file, "--"}
}

func TestASyncLiesBetweenTheLastWriteAndTheAnswer(t *testing.T) {
	t.Parallel()
	w := newWorld(t, dbtest.SQLite(t))
	w.apply(flat("demo", 4))
	file := filepath.Join(w.dir, "trace")
	s := w.serve("bot", strace(t, file)...)
	s.post(who{}, "/v1/tasks/demo-1/claim", object{}, nil)
	s.post(who{}, "/v1/apply", []byte(flat("demo", 40)), nil)
	s.post(who{}, "/v1/tasks/demo-1/notes", object{"text": "a note"}, nil)
	s.post(who{}, "/v1/next", object{"project": "demo"}, nil)
	s.post(who{}, "/v1/tasks/demo-1/transition", object{"to": "done", "check": []int{1, 2}}, nil)
	s.stop()
	calls := w.trace(file)
	from := 0
	asked := []string{"claim", "apply", "note", "next", "transition"}
	found := answers(calls, "HTTP/1.1 20")
	if len(found) != len(asked) {
		t.Fatalf("%d answers are in the trace, want %d", len(found), len(asked))
	}
	for i, at := range found {
		if why := unsynced(calls, from, at); why != "" {
			t.Errorf("%s: %s", asked[i], why)
			for _, c := range calls[from : at+1] {
				t.Logf("%s(%.120s) = %s", c.name, c.args, c.result)
			}
		}
		from = at + 1
	}
}

func TestASyncLiesBetweenTheLastWriteAndTheWordsOfACommand(t *testing.T) {
	t.Parallel()
	w := newWorld(t, dbtest.SQLite(t))
	w.apply(flat("demo", 4))
	w.must(os.WriteFile(filepath.Join(w.dir, "plan.json"), []byte(flat("demo", 40)), 0o600))
	for _, c := range []struct {
		args  []string
		words string
	}{
		{[]string{"claim", "demo-1", "--json"}, `{\"task\"`},
		{[]string{"next", "--claim", "--json"}, `{\"task\"`},
		{[]string{"apply", "-f", "plan.json", "--json"}, `{\"project\"`},
	} {
		file := filepath.Join(w.dir, "trace-"+c.args[0])
		ctx, cancel := context.WithTimeout(context.Background(), patience)
		defer cancel()
		line := slices.Concat(strace(t, file), []string{tasker}, c.args)
		cmd := exec.CommandContext(ctx, line[0], line[1:]...)
		w.inside(cmd, "bot")
		var complaint bytes.Buffer
		cmd.Stderr = &complaint
		if err := cmd.Run(); err != nil {
			t.Fatalf("%v: %v %s", c.args, err, complaint.String())
		}
		calls := w.trace(file)
		found := answers(calls, c.words)
		if len(found) != 1 {
			t.Fatalf("%v: %d answers are in the trace", c.args, len(found))
		}
		if why := unsynced(calls, 0, found[0]); why != "" {
			t.Errorf("%v: %s", c.args, why)
		}
	}
}

func (w *world) trace(file string) []traced {
	w.Helper()
	text, err := os.ReadFile(file)
	w.must(err)
	return readTrace(string(text))
}

// The reader of traces must notice what is missing.
func TestATraceWithoutASyncIsSeen(t *testing.T) {
	const (
		write  = `7 pwrite64(8</x/tasker.db-wal>, "..."..., 4096, 0) = 4096`
		sync   = `7 fdatasync(8</x/tasker.db-wal>) = 0`
		answer = `9 write(11<socket:[77]>, "HTTP/1.1 200 OK\r\nCache"..., 512) = 512`
	)
	for name, c := range map[string]struct {
		synced bool
		lines  []string
	}{
		"all in order":       {true, []string{write, write, sync, answer}},
		"no sync":            {false, []string{write, answer}},
		"sync before":        {false, []string{sync, write, answer}},
		"sync after":         {false, []string{write, answer, sync}},
		"a write after it":   {false, []string{write, sync, write, answer}},
		"another file":       {false, []string{write, strings.Replace(sync, "-wal", "", 1), answer}},
		"a sync that failed": {false, []string{write, strings.Replace(sync, "= 0", "= -1 EIO (Input/output error)", 1), answer}},
		"nothing written":    {false, []string{sync, answer}},
		"still syncing":      {false, []string{write, `7 fdatasync(8</x/tasker.db-wal> <unfinished ...>`, answer, `7 <... fdatasync resumed>) = 0`}},
		"synced in two": {true, []string{write, `7 fdatasync(8</x/tasker.db-wal> <unfinished ...>`, `9 write(2<pipe>, "x", 1) = 1`,
			`7 <... fdatasync resumed>) = 0`, answer}},
		"still writing": {false, []string{`7 pwrite64(8</x/tasker.db-wal>, "..."..., 4096, 0 <unfinished ...>`, `9 fdatasync(8</x/tasker.db-wal>) = 0`,
			`7 <... pwrite64 resumed>) = 4096`, answer}},
	} {
		calls := readTrace(strings.Join(c.lines, "\n"))
		found := answers(calls, "HTTP/1.1 20")
		if len(found) != 1 {
			t.Fatalf("%s: %d answers", name, len(found))
		}
		if why := unsynced(calls, 0, found[0]); (why == "") != c.synced {
			t.Errorf("%s: %q", name, why)
		}
	}
}

// A process of ours opens the file, its index and the file of turns past SQLite once, or never: whoever closes one of them
// drops all locks that the process has on it. SQLite opens them for writing, and keeps count of what it closes.
func TestNothingElseOpensTheFile(t *testing.T) {
	t.Parallel()
	w := newWorld(t, dbtest.SQLite(t))
	w.db = filepath.Join(w.dir, "tasker.db")
	w.must(os.WriteFile(filepath.Join(w.dir, ".tasker.json"), []byte(`{"version": 1, "project": "demo", "context": {"track": ["**"]}}`), 0o600))
	w.apply(flat("demo", 4))
	check := func(file string) {
		t.Helper()
		text, err := os.ReadFile(file)
		w.must(err)
		opened := map[string]int{}
		for _, m := range regexp.MustCompile(`"([^"]*/)?(tasker\.db[-a-z]*)", O_RDONLY`).FindAllStringSubmatch(string(text), -1) {
			opened[m[2]]++
		}
		if opened["tasker.db"] != 1 || opened["tasker.db-shm"]+opened["tasker.db-turn"] > 0 {
			t.Errorf("%s: opened past SQLite: %v", filepath.Base(file), opened)
		}
	}
	file := filepath.Join(w.dir, "trace-serve")
	s := w.serve("bot", straceOf(t, "trace=open,openat,openat2", file)...)
	s.isReady()
	s.post(who{}, "/v1/tasks/demo-1/claim", object{}, nil)
	for _, path := range []string{"/", "/p/demo", "/v1/tasks/demo-1", "/v1/tasks/demo-1/bundle", "/metrics"} {
		if _, err := s.call(who{}, path, nil); err != nil {
			t.Error(err)
		}
	}
	s.stop()
	check(file)
	for _, args := range [][]string{{"claim", "demo-2"}, {"guidance", "demo-2"}, {"doctor"}, {"backup", "b.tar"}, {"export", "-o", "e.jsonl"}, {"list"}} {
		file := filepath.Join(w.dir, "trace-"+args[0])
		ctx, cancel := context.WithTimeout(context.Background(), patience)
		line := slices.Concat(straceOf(t, "trace=open,openat,openat2", file), []string{tasker}, args)
		cmd := exec.CommandContext(ctx, line[0], line[1:]...)
		w.inside(cmd, "bot")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("%v: %v: %s", args, err, out)
		}
		cancel()
		check(file)
	}
}
