package frame

import (
	"cmp"
	"os"
	"path/filepath"

	"tasker/internal/child/purpose"
	"tasker/internal/text/words"
)

// Database returns the path or URL of the database: --db, TASKER_DB, tasker/tasker.db under the XDG data directory, or
// .tasker/tasker.db in the working directory if there is no home directory.
func (f *Factory) Database() string {
	if db := cmp.Or(f.Flags.DB, f.Env("TASKER_DB")); db != "" {
		if words.Address(db) {
			return db
		}
		return f.Path(db)
	}
	return f.DefaultDatabase()
}

// DefaultDatabase returns the path of the database if neither --db nor TASKER_DB names one.
func (f *Factory) DefaultDatabase() string {
	// The XDG specification says to ignore a data directory that is not absolute.
	if data := f.Env("XDG_DATA_HOME"); filepath.IsAbs(data) {
		return filepath.Join(data, "tasker", "tasker.db")
	}
	if home := f.Env("HOME"); filepath.IsAbs(home) {
		return filepath.Join(home, ".local", "share", "tasker", "tasker.db")
	}
	return filepath.Join(f.Process.Dir, ".tasker", "tasker.db")
}

// NoDatabase reports whether the database is a file that does not exist yet.
func (f *Factory) NoDatabase() bool {
	db := f.Database()
	if f.ServerURL() != "" || words.Address(db) {
		return false
	}
	_, err := os.Stat(db)
	return os.IsNotExist(err)
}

// Secrets returns the credentials in the environment, and what providers put there: they are masked in what is kept of a
// command's output.
func (f *Factory) Secrets() []string {
	return purpose.Secrets(f.Process.Environ())
}

// ChildEnv returns the variables that make a child command use the same database or server.
func (f *Factory) ChildEnv() []string {
	env := []string{words.Either(f.ServerURL() != "", "TASKER_URL="+f.ServerURL(), "TASKER_DB="+f.Database())}
	if f.Flags.Config != "" {
		env = append(env, "TASKER_CONFIG="+f.Flags.Config)
	}
	return env
}
