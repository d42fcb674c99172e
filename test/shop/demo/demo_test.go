package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"tasker/test/program"
)

// TestWhatTheDemoPrintsCanBeTyped starts the demo as `make run` does, and types the commands that it prints, as they
// stand: each settles one of the things that wait for alice.
func TestWhatTheDemoPrintsCanBeTyped(t *testing.T) {
	dir := t.TempDir()
	tasker, err := program.Build(dir)
	if err != nil {
		t.Fatal(err)
	}
	demo := filepath.Join(dir, "demo")
	if out, err := exec.Command("go", "build", "-buildvcs=false", "-o", demo, ".").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	scratch := filepath.Join(dir, "scratch")
	if err := os.Mkdir(scratch, 0o755); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("../../../scripts/run-demo", tasker, demo)
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + dir, "TMPDIR=" + scratch, "PORT=" + free(t)}
	said, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd.Stderr = t.Output()
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	stopped := false
	stop := func() error { stopped = true; _ = cmd.Process.Signal(syscall.SIGTERM); return cmd.Wait() }
	t.Cleanup(func() {
		if !stopped {
			_ = stop()
		}
	})

	var base string
	var try, printed []string
	for lines := bufio.NewScanner(said); lines.Scan(); {
		line := strings.TrimSpace(lines.Text())
		printed = append(printed, line)
		if rest, ok := strings.CutPrefix(line, "Open  "); ok {
			base, _, _ = strings.Cut(rest, " ")
		}
		if strings.HasPrefix(line, "TASKER_URL=") {
			try = append(try, line)
		}
		if strings.HasPrefix(line, "Ctrl-C") {
			break
		}
	}
	if base == "" || len(try) != 3 {
		t.Fatalf("it prints %s", strings.Join(printed, "\n"))
	}
	waits := inbox(t, base)
	for _, line := range try {
		typed := exec.Command("bash", "-c", line)
		typed.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + dir}
		out, err := typed.CombinedOutput()
		if err != nil || strings.Contains(string(out), "stale") {
			t.Errorf("%s: %v\n%s", line, err, out)
		}
		now := inbox(t, base)
		if now != waits-1 {
			t.Errorf("%s: %d things wait for alice, and %d did before", line, now, waits)
		}
		waits = now
	}
	if err := stop(); err != nil {
		t.Errorf("it ends with %v", err)
	}
	if left, err := os.ReadDir(scratch); err != nil || len(left) != 0 {
		t.Errorf("it leaves %v behind (%v)", left, err)
	}
}

// inbox returns how many things wait for the actor that the server acts as.
func inbox(t *testing.T, base string) int {
	t.Helper()
	res, err := http.Get(base + "/v1/projects/shop/inbox")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = res.Body.Close() }()
	var out struct{ Total int }
	if err := json.NewDecoder(res.Body).Decode(&out); err != nil || out.Total == 0 {
		t.Fatalf("the inbox has %d (%v)", out.Total, err)
	}
	return out.Total
}

// free returns a port that nobody listens on.
func free(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = l.Close() }()
	return fmt.Sprint(l.Addr().(*net.TCPAddr).Port)
}
