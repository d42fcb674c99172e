package clients

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestWhatCannotBeInstalledIsNamedWithTheReason runs scripts/test-env in an empty directory, with installers that fail.
func TestWhatCannotBeInstalledIsNamedWithTheReason(t *testing.T) {
	dir, bin := t.TempDir(), t.TempDir()
	script, err := os.ReadFile(filepath.Join("..", "..", "scripts", "test-env"))
	if err == nil {
		err = os.Mkdir(filepath.Join(dir, "scripts"), 0o700)
	}
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, "scripts", "test-env"), script, 0o700)
	}
	for _, installer := range []string{"npm", "apt-get", "sudo"} {
		if err == nil {
			text := "#!/bin/sh\necho " + installer + " has no network >&2\nexit 1\n"
			err = os.WriteFile(filepath.Join(bin, installer), []byte(text), 0o700)
		}
	}
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), "bash", filepath.Join(dir, "scripts", "test-env"), "true")
	cmd.Env = append(os.Environ(), "PATH="+bin+string(os.PathListSeparator)+os.Getenv("PATH"))
	out, err := cmd.CombinedOutput()
	if err == nil {
		t.Fatalf("the script succeeds:\n%s", out)
	}
	for _, want := range []string{"Installing ", "has no network", "Could not install ", "The command was: "} {
		if !strings.Contains(string(out), want) {
			t.Errorf("the output does not contain %q:\n%s", want, out)
		}
	}
}
