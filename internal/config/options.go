package config

import (
	"io"
	"io/fs"
	"os"
	"path/filepath"
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

// Options is everything that the configuration is read from. Nothing else of the process is looked at.
type Options struct {
	Dir   string                   // the working directory, absolute
	File  string                   // --config: names the file and goes before TASKER_CONFIG
	Env   func(name string) string // "" counts as unset; nil is an empty environment
	Files Files
	Flags []Flag
	Now   func() time.Time // only a Holder asks; nil trusts a file's time stamp at once
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

// abs takes a path as seen from the working directory.
func (o *Options) abs(path string) string {
	if filepath.IsAbs(path) {
		return filepath.Clean(path)
	}
	return filepath.Join(o.Dir, path)
}

// sameFile reports whether both were taken of one file, not of another moved into its place. File systems that have no
// identity of files answer yes.
func sameFile(a, b fs.FileInfo) bool { return a.Sys() == nil || os.SameFile(a, b) }

type osFiles struct{}

func (osFiles) Stat(name string) (fs.FileInfo, error) { return os.Stat(name) }

// ReadFile reads no more than it takes to see that a file is too large.
func (osFiles) ReadFile(name string) ([]byte, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, format.MaxSize+1))
}
