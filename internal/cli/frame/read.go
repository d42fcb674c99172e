package frame

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"tasker/internal/fault"
)

// MaxText is how many bytes are read of a text that is given on standard input, and of a small file: a draft, a file of an
// agent's. What a record may hold of it is less, and is checked by who takes it.
const MaxText = 4 << 20

// Path returns the path of a file that a person named, from the working directory.
func (f *Factory) Path(name string) string {
	if filepath.IsAbs(name) {
		return name
	}
	return filepath.Join(f.Process.Dir, name)
}

// Input reads a file that a person named, or standard input for "-". What has more than most bytes is refused, and no more
// than that is read: a device or a pipe may never end.
func (f *Factory) Input(name string, most int64) ([]byte, error) {
	if name == "-" {
		return f.Stdin(most)
	}
	return f.ReadFile(name, most)
}

// Stdin reads all of standard input, as Input does.
func (f *Factory) Stdin(most int64) ([]byte, error) {
	src, err := upTo(f.Process.Stdin, "standard input", most, 0)
	if err != nil && !fault.Is(err, fault.TooLarge) {
		return nil, fault.New(fault.Internal, "standard input cannot be read: %v", err).WithCause(err)
	}
	return src, err
}

// ReadFile reads a file that a person named, as Input does.
func (f *Factory) ReadFile(name string, most int64) ([]byte, error) {
	src, err := readFile(f.Path(name), name, most)
	var at *fs.PathError
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, fault.Bad("there is no file %s", name)
	case errors.As(err, &at):
		return nil, fault.Bad("%s cannot be read: %v", name, at.Err).WithCause(err)
	}
	return src, err
}

// ReadSmall reads a file that lies there, and that nobody named, of at most MaxText bytes. Its errors are those of
// os.ReadFile, but for a file that is larger.
func ReadSmall(path string) ([]byte, error) { return readFile(path, path, MaxText) }

func readFile(path, name string, most int64) ([]byte, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = file.Close() }()
	var size int64
	if info, err := file.Stat(); err == nil && info.Mode().IsRegular() {
		size = info.Size()
	}
	return upTo(file, name, most, size)
}

// upTo reads all of r, which is called name, and has size bytes as far as is known.
func upTo(r io.Reader, name string, most, size int64) ([]byte, error) {
	over := fault.New(fault.TooLarge, "%s has more than %d MiB, and that is the most", name, most>>20).
		WithHint("see whether it is the one you mean; split it if it is; nothing was written")
	if size > most {
		return nil, over
	}
	var src bytes.Buffer
	src.Grow(int(size) + bytes.MinRead)
	if _, err := src.ReadFrom(io.LimitReader(r, most+1)); err != nil {
		return nil, err
	}
	if int64(src.Len()) > most {
		return nil, over
	}
	return src.Bytes(), nil
}
