package packaging

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// make install brings the program with its manual and completions, says where, and make uninstall leaves none of it.
func TestMakeInstallBringsTheManualAndCompletions(t *testing.T) {
	prefix := t.TempDir()
	makes := func(args ...string) string {
		// with this home, where Go has its cache
		cmd := exec.Command("make", append(args, "PREFIX="+prefix, "VERSION=1.2.3", "PROGRAM="+built)...)
		cmd.Dir = filepath.Join("..", "..")
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("make %s: %v\n%s", args, err, out)
		}
		return string(out)
	}
	if out := makes("-n", "install"); !strings.Contains(out, "app.Version=1.2.3' -o bin/tasker ./cmd/tasker\n") {
		t.Errorf("make install does not build the program of its version:\n%s", out)
	}
	out := makes("install", "-o", "build") // linking takes longer than all the rest, so what is tested is installed
	for _, file := range []string{
		"bin/tasker", "share/bash-completion/completions/tasker", "share/zsh/site-functions/_tasker", "share/fish/vendor_completions.d/tasker.fish",
	} {
		if text(t, prefix, file) == "" || !strings.Contains(out, filepath.Join(prefix, file)) {
			t.Errorf("%s is empty, or make install does not say where it is:\n%s", file, out)
		}
	}
	page := filepath.Join(prefix, "share", "man", "man1", "tasker-next.1")
	if !strings.Contains(text(t, page), "tasker 1.2.3") || !strings.Contains(out, filepath.Dir(page)) {
		t.Errorf("the manual is not of this version, or make install does not say where it is:\n%s", out)
	}
	if out := run(t, prefix, "env", "HOME="+t.TempDir(), filepath.Join(prefix, "bin", "tasker"), "version"); !strings.HasPrefix(out, "tasker ") {
		t.Errorf("as make installed it, tasker version says %s", out)
	}
	makes("uninstall")
	if left := run(t, prefix, "find", ".", "-type", "f"); left != "" {
		t.Errorf("make uninstall leaves\n%s", left)
	}
}

func text(t *testing.T, parts ...string) string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(parts...))
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}
