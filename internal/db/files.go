package db

import (
	"io"
	"io/fs"
	"os"
)

// systemFiles uses the operating system's files.
type systemFiles struct{}

func (systemFiles) Stat(path string) (fs.FileInfo, error) { return os.Stat(path) }
func (systemFiles) Same(a, b fs.FileInfo) bool            { return os.SameFile(a, b) }
func (systemFiles) MakeDirs(path string) error            { return os.MkdirAll(path, 0o700) }
func (systemFiles) Remove(path string) error              { return os.Remove(path) }

func (systemFiles) Write(path string, content []byte) error {
	return os.WriteFile(path, content, 0o600)
}

func (systemFiles) Begin(path string, n int) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	return io.ReadAll(io.LimitReader(f, int64(n)))
}

func (systemFiles) Create(path string) error {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_RDWR, 0o600)
	if err != nil {
		return err
	}
	return f.Close()
}

func (systemFiles) SyncDir(path string) {
	if d, err := os.Open(path); err == nil {
		_ = d.Sync()
		_ = d.Close()
	}
}
