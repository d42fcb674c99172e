package cli

import (
	"cmp"
	"path/filepath"
	"strings"
)

// database is what TASKER_DB takes: --db, TASKER_DB, tasker/tasker.db under the XDG data directory, or
// .tasker/tasker.db here where there is no home.
func (f *factory) database() string {
	if db := cmp.Or(f.flags.db, f.env("TASKER_DB")); db != "" {
		if strings.Contains(db, "://") || filepath.IsAbs(db) {
			return db
		}
		return filepath.Join(f.p.Dir, db)
	}
	// The XDG specification asks to ignore a data directory that is not absolute.
	if data := f.env("XDG_DATA_HOME"); filepath.IsAbs(data) {
		return filepath.Join(data, "tasker", "tasker.db")
	}
	if home := f.env("HOME"); filepath.IsAbs(home) {
		return filepath.Join(home, ".local", "share", "tasker", "tasker.db")
	}
	return filepath.Join(f.p.Dir, ".tasker", "tasker.db")
}
