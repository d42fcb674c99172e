package faults

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"tasker/internal/testkit/dbtest"
)

// somebody is a user without rights to other users' files. If the tests run as root, programs run as this user.
const somebody = 65534

// lower makes the world's programs run without root's rights: root may read and write everything.
func (w *world) lower(s *syscall.SysProcAttr) {
	w.Helper()
	if os.Getuid() != 0 {
		return
	}
	s.Credential = &syscall.Credential{Uid: somebody, Gid: somebody}
	for _, dir := range []string{w.dir, filepath.Dir(w.db)} {
		w.must(filepath.WalkDir(dir, func(path string, _ os.DirEntry, err error) error {
			if err != nil {
				return err
			}
			return os.Lchown(path, somebody, somebody)
		}))
		for up := filepath.Dir(dir); up != os.TempDir() && len(up) > 1; up = filepath.Dir(up) {
			w.must(os.Chmod(up, 0o755))
		}
	}
	around, err := os.Stat(filepath.Dir(tasker))
	w.must(err)
	w.must(os.Chmod(filepath.Dir(tasker), around.Mode()|0o055)) // it may be a directory that others use
}

// A missing or lost right of a server on its database is an outage: writes get 503, and readiness says so until the right
// is back. Files that were open before can still be written, as far as the system allows.
func TestALostRightIsAnOutage(t *testing.T) {
	t.Parallel()
	for name, lost := range map[string]struct {
		dir, early, open bool // of the directory; before the start; what is open can still be written
		mode             os.FileMode
	}{
		"the file may not be written at the start":  {early: true, mode: 0o400},
		"the file may not be written any more":      {open: true, mode: 0o400},
		"the directory may not be written any more": {dir: true, open: true, mode: 0o500},
		"the directory may not be entered any more": {dir: true, mode: 0},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, dbtest.SQLite(t))
			w.apply(plain(2))
			path := w.db
			if lost.dir {
				path = filepath.Dir(w.db)
			}
			info, err := os.Stat(path)
			w.must(err)
			take := func() { w.must(os.Chmod(path, lost.mode)) }
			back := func() { w.must(os.Chmod(path, info.Mode())) }
			t.Cleanup(back)
			if lost.early {
				take()
			}
			s := w.serveAs(w.lower, "bot")
			take()
			got, err := s.call(who{}, "/v1/tasks/demo-1/notes", object{"text": "lost"})
			w.must(err)
			switch {
			case lost.open && got.ok():
				s.isReady() // which a write triggers
			case got.status != 503:
				t.Errorf("a note was answered with %d: %s", got.status, got.body)
			default:
				s.notReady()
			}
			back()
			s.isReady()
			got, err = s.call(who{}, "/v1/tasks/demo-1/notes", object{"text": "back"})
			w.must(err)
			if !got.ok() {
				t.Errorf("with the right back, a note was answered with %d: %s", got.status, got.body)
			}
			s.stop()
		})
	}
}
