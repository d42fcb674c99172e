package packaging

import (
	"bufio"
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
)

// The image starts with the variables that docs/install.md passes, and is healthy; without them the server refuses to be
// reached from other machines. There is no container here: the program runs with what the image sets.
func TestTheImageStartsAsThePageSays(t *testing.T) {
	t.Parallel()
	recipe, dir := file(t, "container", "Containerfile"), t.TempDir()
	_, image, _ := strings.Cut(recipe, "FROM scratch")
	env := []string{"TASKER_SERVE_PORT=0"} // the test's own
	for _, m := range regexp.MustCompile(`(?m)^ENV (.+)$`).FindAllStringSubmatch(image, -1) {
		for pair := range strings.FieldsSeq(m[1]) {
			env = append(env, strings.Replace(pair, "=/data", "="+dir, 1))
		}
	}
	runs := regexp.MustCompile(`(?m)^docker run (.+) tasker$`).FindStringSubmatch(file(t, "..", "docs", "install.md"))
	if runs == nil {
		t.Fatal("docs/install.md does not run the image")
	}
	var given []string
	for _, m := range regexp.MustCompile(`-e (\S+)`).FindAllStringSubmatch(runs[1], -1) {
		given = append(given, m[1])
	}
	command := words(t, image, "CMD")

	bare := exec.Command(built, command...)
	bare.Env = env
	if out, err := bare.CombinedOutput(); err == nil || !strings.Contains(string(out), "TASKER_TOKEN") {
		t.Errorf("without what the page passes it ends with %v: %s", err, out)
	}

	serve := exec.CommandContext(t.Context(), built, command...)
	serve.Env = append(env, given...)
	serve.Cancel = func() error { return serve.Process.Signal(syscall.SIGTERM) }
	out, err := serve.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := serve.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = serve.Wait() })
	line, err := bufio.NewReader(out).ReadString('\n')
	port := regexp.MustCompile(`:(\d+)\b`).FindStringSubmatch(line)
	if err != nil || port == nil {
		t.Fatalf("it says %q: %v", line, err)
	}
	health := exec.CommandContext(context.WithoutCancel(t.Context()), built, words(t, image, "HEALTHCHECK .* CMD")[1:]...)
	health.Env = append(env, "TASKER_SERVE_PORT="+port[1])
	if out, err := health.CombinedOutput(); err != nil {
		t.Errorf("it is not healthy: %v: %s", err, out)
	}
	write := exec.CommandContext(t.Context(), built, "apply", "-f", "-", "--server", "http://localhost:"+port[1])
	write.Stdin = strings.NewReader(`{"project": "demo", "tasks": [{"key": "a", "title": "A"}]}`)
	write.Env = append([]string{"HOME=" + t.TempDir()}, given...)
	if out, err := write.CombinedOutput(); err != nil {
		t.Errorf("with what the page passes a write ends with %v: %s", err, out)
	}
	if _, err := os.Stat(filepath.Join(dir, "tasker.db")); err != nil {
		t.Errorf("the database is not in the volume: %v", err)
	}
}

// words returns the words of an instruction of the image.
func words(t *testing.T, image, instruction string) (out []string) {
	t.Helper()
	m := regexp.MustCompile(`(?m)^` + instruction + ` (\[.*\])$`).FindStringSubmatch(image)
	if m == nil {
		t.Fatalf("the image has no %s", instruction)
	}
	if err := json.Unmarshal([]byte(m[1]), &out); err != nil {
		t.Fatal(err)
	}
	return out
}
