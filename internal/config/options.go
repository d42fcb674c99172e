package config

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"strings"
	"time"

	"tasker/internal/config/format"
)

// The names of the files.
const (
	FileName  = format.FileName
	LocalName = format.LocalName
)

// ConfigVariable names the file directly and skips the search.
const ConfigVariable = format.ConfigVariable

// Files is what the package needs of a file system.
type Files interface {
	Stat(name string) (fs.FileInfo, error)
	ReadFile(name string) ([]byte, error)
}

// Flag is a flag of the command line that sets a key.
type Flag struct {
	Name  string // as the user wrote it: --project
	Key   string // the declared key: project
	Value string
}

// Options is everything that the configuration is read from. The rest of the process does not matter.
type Options struct {
	Dir   string                   // the working directory, absolute
	File  string                   // --config: names the file and wins over TASKER_CONFIG
	Env   func(name string) string // "" counts as unset; nil is an empty environment
	Files Files
	Flags []Flag
	Now   func() time.Time // only a Holder uses it; nil trusts a file's time stamp at once
}

// FromOS makes Options from the process: its working directory, environment, files and clock.
func FromOS() (Options, error) {
	dir, err := os.Getwd()
	if err != nil {
		return Options{}, err
	}
	return Options{Dir: dir, Env: os.Getenv, Files: osFiles{}, Now: time.Now}, nil
}

func (o *Options) env(name string) string {
	if o.Env == nil {
		return ""
	}
	return o.Env(name)
}

// abs resolves a path against the working directory.
func (o *Options) abs(path string) string { return under(o.Dir, path) }

// sameFile reports whether both describe the same file, not another one moved into its place. It returns true on file
// systems without file identity.
func sameFile(a, b fs.FileInfo) bool { return a.Sys() == nil || os.SameFile(a, b) }

type osFiles struct{}

// Stat finds a link whose target is missing, too: passing over it would look for another file further up.
func (osFiles) Stat(name string) (fs.FileInfo, error) {
	info, err := os.Stat(name)
	if errors.Is(err, fs.ErrNotExist) {
		return os.Lstat(name)
	}
	return info, err
}

// ReadFile stops reading once a file is too large. It does not open a named pipe, which would wait for somebody to write to
// it; the ones below /dev/fd are a shell's, which writes.
func (osFiles) ReadFile(name string) ([]byte, error) {
	if info, err := os.Stat(name); err == nil && info.Mode()&fs.ModeNamedPipe != 0 && !strings.HasPrefix(name, "/dev/fd/") {
		return nil, &fs.PathError{Op: "open", Path: name, Err: errors.New("it is a named pipe")}
	}
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, format.MaxSize+1))
}
