// Package packaging tests what operators install: the unit, the alerts, the dashboard, and what `make install` brings.
// (packaging/dist tests the release.) It also gives a copy of the source tree another module path: nobody knows yet where
// the module will be published.
package packaging

import (
	"bufio"
	"bytes"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"

	"tasker/test/program"
)

var built string

func TestMain(m *testing.M) { os.Exit(program.Main(m, func(path string) { built = path })) }

func file(t *testing.T, parts ...string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(append([]string{"..", "..", "packaging"}, parts...)...))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// scrape returns the names of the metrics of a server that has answered a request.
func scrape(t *testing.T) map[string]bool {
	t.Helper()
	dir := t.TempDir()
	env := []string{"TASKER_DB=" + filepath.Join(dir, "t.db"), "HOME=" + dir, "PATH=" + os.Getenv("PATH"), "TASKER_ACTOR=bot"}
	apply := exec.Command(built, "apply", "-f", "-")
	apply.Dir, apply.Env, apply.Stdin = dir, env, strings.NewReader(`{"project":"shop","tasks":[{"key":"a","title":"A"}]}`)
	if out, err := apply.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	server := exec.Command(built, "serve", "--port", "0")
	server.Dir, server.Env = dir, env
	out, err := server.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = server.Process.Signal(syscall.SIGTERM); _ = server.Wait() })
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	base := strings.TrimSpace(strings.TrimPrefix(line, "Listening on "))
	var text []byte
	for _, path := range []string{"/v1/version", "/metrics"} {
		resp, err := http.Get(base + path)
		if err != nil {
			t.Fatal(err)
		}
		text, err = io.ReadAll(resp.Body)
		_ = resp.Body.Close()
		if err != nil || resp.StatusCode != http.StatusOK {
			t.Fatalf("%s: %v %s", path, err, text)
		}
	}
	names := map[string]bool{}
	for l := range bytes.Lines(text) {
		name, _, _ := strings.Cut(string(l), "{")
		name, _, _ = strings.Cut(name, " ")
		names[name] = true
	}
	return names
}

// An alert or a graph of something that no server measures never shows anything.
func TestEveryMetricThatIsWatchedIsMeasured(t *testing.T) {
	measured := scrape(t)
	for _, parts := range [][]string{{"prometheus", "alerts.yml"}, {"grafana", "tasker.json"}} {
		watched := regexp.MustCompile(`\b(tasker|process|go)_[a-z_]+`).FindAllString(file(t, parts...), -1)
		slices.Sort(watched)
		if len(watched) < 5 {
			t.Errorf("%v: got %d metrics, want some", parts, len(watched))
		}
		for _, name := range slices.Compact(watched) {
			if !measured[name] {
				t.Errorf("%v: no server measures %s", parts, name)
			}
		}
	}
}

func TestPrometheusReadsTheAlerts(t *testing.T) {
	out, err := exec.Command("promtool", "check", "rules", filepath.Join("..", "..", "packaging", "prometheus", "alerts.yml")).CombinedOutput()
	if err != nil {
		t.Errorf("%v: %s", err, out)
	}
}
