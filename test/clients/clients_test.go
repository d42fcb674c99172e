package clients

import (
	"bufio"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"tasker/test/program"
)

// patience limits every wait: a machine that is merely busy stays far below it.
const patience = 5 * time.Minute

// token is what the server asks for: a generated client must be able to show it.
const token = "a-token-of-the-tests"

// serve starts a server over a fresh database and returns its address.
func serve(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	tasker, err := program.Build(dir)
	if err != nil {
		t.Fatal(err)
	}
	env := []string{"PATH=" + os.Getenv("PATH"), "HOME=" + dir, "TASKER_DB=" + filepath.Join(dir, "tasker.db"), "TASKER_ACTOR=ann", "TASKER_TOKEN=" + token}
	run(t, dir, env, tasker, "project", "create", "demo")
	cmd := exec.Command(tasker, "serve", "--port", "0", "--quiet")
	cmd.Dir, cmd.Env, cmd.Stderr = dir, env, os.Stderr
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Signal(syscall.SIGTERM)
		late := time.AfterFunc(patience, func() { _ = cmd.Process.Kill() })
		defer late.Stop()
		if err := cmd.Wait(); err != nil {
			t.Errorf("the server ended with %v", err)
		}
	})
	in := bufio.NewReader(out)
	for {
		line, err := in.ReadString('\n')
		if err != nil {
			t.Fatalf("the server ended before it listened: %v", err)
		}
		if url, ok := strings.CutPrefix(strings.TrimSpace(line), "Listening on "); ok {
			go func() { _, _ = io.Copy(io.Discard, in) }()
			return strings.TrimSuffix(url, "/") + "/v1"
		}
	}
}

// workshop returns a directory with a client's own source and the server's document in it.
func workshop(t *testing.T, source, url string) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS(filepath.Join("testdata", source))); err != nil {
		t.Fatal(err)
	}
	answer, err := http.Get(url + "/openapi.json")
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	doc, err := io.ReadAll(answer.Body)
	if err == nil && answer.StatusCode == http.StatusOK {
		err = os.WriteFile(filepath.Join(dir, "openapi.json"), doc, 0o600)
	}
	if err != nil || answer.StatusCode != http.StatusOK {
		t.Fatalf("the document is answered with %d, %v:\n%s", answer.StatusCode, err, doc)
	}
	return dir
}

// run runs a program, which must succeed, and returns what it prints.
func run(t *testing.T, dir string, env []string, name string, args ...string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), name, args...)
	cmd.Dir, cmd.Env = dir, env
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%s %s: %v\n%s", filepath.Base(name), strings.Join(args, " "), err, out)
	}
	return string(out)
}

// installed returns the path of what scripts/test-env installs.
func installed(t *testing.T, path ...string) string {
	t.Helper()
	full, err := filepath.Abs(filepath.Join(append([]string{"..", "..", ".cache"}, path...)...))
	if err == nil {
		_, err = os.Stat(full)
	}
	if err != nil {
		t.Fatalf("this test needs a generator, which scripts/test-env (and so make test) installs: %v", err)
	}
	return full
}

// fine is what a client prints when all of its reads and writes succeeded.
const fine = "demo-2 is done"

func TestAGeneratedGoClientReadsAndWrites(t *testing.T) {
	url := serve(t)
	dir := workshop(t, "go", url)
	if err := os.Mkdir(filepath.Join(dir, "api"), 0o700); err != nil {
		t.Fatal(err)
	}
	run(t, dir, os.Environ(), installed(t, "bin", "oapi-codegen"), "-generate", "types,client", "-package", "api", "-o", "api/api.go", "openapi.json")
	if out := run(t, dir, append(os.Environ(), "GOWORK=off", "GOFLAGS=-mod=readonly -trimpath"), "go", "run", ".", url, token); !strings.Contains(out, fine) {
		t.Errorf("the client says:\n%s", out)
	}
}

func TestAGeneratedTypeScriptClientReadsAndWrites(t *testing.T) {
	url := serve(t)
	dir := workshop(t, "ts", url)
	modules := installed(t, "clients", "node_modules")
	if err := os.Symlink(modules, filepath.Join(dir, "node_modules")); err != nil {
		t.Fatal(err)
	}
	run(t, dir, os.Environ(), "node", filepath.Join(modules, "openapi-typescript", "bin", "cli.js"), "openapi.json", "-o", "api.d.ts")
	run(t, dir, os.Environ(), "node", filepath.Join(modules, "typescript", "bin", "tsc"), "--project", ".")
	if out := run(t, dir, os.Environ(), "node", "main.js", url, token); !strings.Contains(out, fine) {
		t.Errorf("the client says:\n%s", out)
	}
}
