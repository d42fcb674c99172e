package packaging

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// systemd reads the unit without a warning, and finds it confined.
func TestSystemdReadsTheUnit(t *testing.T) {
	unit := filepath.Join(t.TempDir(), "tasker.service")
	text := file(t, "systemd", "tasker.service")
	for _, change := range [][2]string{{"ExecStart=/usr/bin/tasker ", "ExecStart=" + built + " "}, {"Documentation=man:tasker(1)\n", ""}} {
		if !strings.Contains(text, change[0]) {
			t.Fatalf("the unit has no %q", change[0])
		}
		text = strings.ReplaceAll(text, change[0], change[1])
	}
	if err := os.WriteFile(unit, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command("systemd-analyze", "verify", unit).CombinedOutput(); err != nil || len(out) > 0 {
		t.Errorf("verify: %v: %s", err, out)
	}
	out, err := exec.Command("systemd-analyze", "security", "--offline=true", "--threshold=20", unit).CombinedOutput()
	if err != nil {
		t.Errorf("security: %v: %s", err, out)
	}
}
