package frame

import (
	"bufio"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"tasker/internal/cli/term"
	"tasker/internal/fault"
	"tasker/internal/unfinished"
)

// CreateFile writes a new file completely or not at all. It fails if the file exists.
func CreateFile(path string, text []byte) error {
	err := write(path, text, 0o644, os.Link) // unlike a rename, it never replaces a file
	if errors.Is(err, fs.ErrExist) {
		return fault.Decline("%s is there already", path).WithHint("edit it, or remove it first")
	}
	return Unwritable(path, err)
}

// ReplaceFile replaces the text of a file completely or not at all, and keeps its permissions.
func ReplaceFile(path string, text []byte) error {
	mode := fs.FileMode(0o644)
	path = Resolved(path) // a symbolic link stays one
	if info, err := os.Stat(path); err == nil {
		mode = info.Mode().Perm()
	}
	return Unwritable(path, write(path, text, mode, os.Rename))
}

// WritePrivate creates or replaces a file that only the user can read, completely or not at all.
func WritePrivate(path string, text []byte) error {
	return Unwritable(path, write(path, text, 0o600, os.Rename))
}

// write writes a file with a temporary name in the same directory, and lets place give it its own.
func write(path string, text []byte, mode fs.FileMode, place func(tmp, path string) error) error {
	tmp, err := os.CreateTemp(filepath.Dir(path), ".tasker-*")
	if err != nil {
		return err
	}
	defer func() { _ = os.Remove(tmp.Name()) }()
	_, err = tmp.Write(text)
	if err = errors.Join(err, tmp.Chmod(mode), tmp.Sync(), tmp.Close()); err != nil {
		return err
	}
	return place(tmp.Name(), path)
}

// Unwritable returns the refusal to write a file, or nil if err is nil.
func Unwritable(path string, err error) error {
	if err == nil {
		return nil
	}
	return fault.Bad("%s cannot be written: %v", path, err).WithHint("%s", unfinished.Advice(err)).WithCause(err)
}

// MaxText is how many bytes are read from a text on standard input and from a small file, such as a draft or an agent's
// file. A record may hold less, which the operation checks.
const MaxText = 4 << 20

// Path returns the path of a file that a person named, relative to the working directory.
func (f *Factory) Path(name string) string {
	if filepath.IsAbs(name) {
		return name
	}
	return filepath.Join(f.Process.Dir, name)
}

// Resolved returns a path without symbolic links, or as it is if it cannot be followed.
func Resolved(path string) string {
	if target, err := filepath.EvalSymlinks(path); err == nil {
		return target
	}
	return path
}

// Input reads a file that a person named, or standard input for "-". It refuses an input of more than most bytes, and
// reads no more than that: a device or a pipe may never end.
func (f *Factory) Input(name string, most int64) ([]byte, error) {
	if name == "-" {
		return f.Stdin(most)
	}
	return f.ReadFile(name, most)
}

// Stdin reads all of standard input, with the bound of Input.
func (f *Factory) Stdin(most int64) ([]byte, error) {
	src, err := upTo(f.Process.Stdin, "standard input", most)
	if err != nil && !fault.Is(err, fault.TooLarge) {
		return nil, fault.New(fault.Internal, "standard input cannot be read: %v", err).WithCause(err)
	}
	return src, err
}

// ReadFile reads a file that a person named, with the bound of Input.
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

// ReadSmall reads a file of at most MaxText bytes that nobody named explicitly. It returns the errors of os.ReadFile,
// or a refusal if the file is larger.
func ReadSmall(path string) ([]byte, error) { return readFile(path, path, MaxText) }

func readFile(path, name string, most int64) ([]byte, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = file.Close() }()
	return upTo(file, name, most)
}

// upTo reads all of r, up to most bytes. The name is for refusals.
func upTo(r io.Reader, name string, most int64) ([]byte, error) {
	src, err := io.ReadAll(io.LimitReader(r, most+1))
	if err == nil && int64(len(src)) > most {
		return nil, fault.New(fault.TooLarge, "%s has more than %d MiB, which is the limit", name, most>>20).
			WithHint("check that it is the one you mean; if it is, split it; nothing was written")
	}
	return src, err
}

// streamBuffer is how many bytes are written at once.
const streamBuffer = 64 << 10

// Stream lets write print something long, to standard output or to the named file. The file is written completely or
// not at all, and replaces an existing one.
func (f *Factory) Stream(name string, write func(io.Writer) error) error {
	if name == "" || name == "-" {
		out := bufio.NewWriterSize(forProgram{f.Out}, streamBuffer)
		if err := write(out); err != nil {
			return err // the buffered rest is useless without its end
		}
		return out.Flush()
	}
	path := f.Path(name)
	unfinished.Sweep(filepath.Dir(path))
	tmp, err := unfinished.Create(filepath.Dir(path), unfinished.Export)
	if err != nil {
		return Unwritable(name, err)
	}
	defer tmp.Discard()
	out := bufio.NewWriterSize(tmp, streamBuffer)
	err = write(out)
	if err == nil {
		err = Unwritable(name, errors.Join(out.Flush(), tmp.Sync()))
	}
	if err != nil {
		return err
	}
	return Unwritable(name, tmp.Rename(path))
}

// forProgram writes text for a program to read.
type forProgram struct{ t *term.Terminal }

func (w forProgram) Write(p []byte) (int, error) {
	w.t.ForProgram(string(p))
	return len(p), w.t.Err()
}
