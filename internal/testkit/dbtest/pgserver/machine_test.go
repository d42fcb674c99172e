package pgserver

import (
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"
	"time"
)

func TestOnlyDirectoriesThatNobodyWatchesAreSwept(t *testing.T) {
	over := exec.Command("true")
	if err := over.Run(); err != nil {
		t.Fatal(err)
	}
	dead, alive := over.Process.Pid, os.Getpid()

	for _, c := range []struct {
		name    string
		watcher int
		age     time.Duration
		answers bool
		want    bool
	}{
		{"watcher alive", alive, time.Hour, false, false},
		{"watcher alive for long", alive, 24 * time.Hour, true, false},
		{"watcher dead", dead, time.Hour, false, true},
		{"watcher dead but the server answers", dead, time.Hour, true, false},
		{"watcher dead for long and the server answers", dead, 7 * time.Hour, true, true},
		{"no watcher yet", 0, 0, false, false},
		{"never a watcher", 0, time.Hour, false, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			where := dir
			if c.watcher != 0 {
				if err := os.WriteFile(filepath.Join(dir, "watcher"), []byte(strconv.Itoa(c.watcher)+"\n"), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			if c.answers {
				where = "."
				t.Chdir(dir) // a socket's path may have at most 107 bytes, and the directory's path alone is that long
				l, err := net.Listen("unix", ".s.PGSQL.5432")
				if err != nil {
					t.Fatal(err)
				}
				t.Cleanup(func() { l.Close() })
			}
			if got := abandoned(where, time.Now().Add(c.age)); got != c.want {
				t.Errorf("abandoned = %v, want %v", got, c.want)
			}
		})
	}
}
