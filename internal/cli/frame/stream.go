package frame

import (
	"bufio"
	"errors"
	"io"
	"path/filepath"

	"tasker/internal/cli/term"
	"tasker/internal/unfinished"
)

// streamBuffer is how many bytes are written at once.
const streamBuffer = 64 << 10

// Stream lets write print something long: to standard output, or with a name into that file, which is then there whole or
// not at all. A file that is there already is replaced.
func (f *Factory) Stream(name string, write func(io.Writer) error) error {
	if name == "" || name == "-" {
		out := bufio.NewWriterSize(forProgram{f.Out}, streamBuffer)
		if err := write(out); err != nil {
			return err // what the buffer still holds is of no use without its end
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
