// Package backup writes and reads backup files. A backup is a tar of a manifest and the data; any
// missing or changed byte is detected.
package backup

import (
	"archive/tar"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"tasker/internal/fault"
	"tasker/internal/unfinished"
)

// The kinds of data.
const (
	SQLite  = "sqlite"  // a database file
	Records = "records" // an export of every record
)

// format is the version of the backup format.
const format = 1

// maxManifest is how many bytes a manifest may have.
const maxManifest = 64 << 10

// The files in a backup.
const (
	manifestName = "manifest.json"
	dataName     = "data"
)

// Manifest says what a backup holds.
type Manifest struct {
	Format     int    `json:"format"`
	Kind       string `json:"kind"`
	Schema     int    `json:"schemaVersion"`
	LastEvent  int64  `json:"lastEvent"`
	Instance   int64  `json:"instance"`   // the number that identifies the database
	Generation int64  `json:"generation"` // of the database
	Bytes      int64  `json:"bytes"`      // of the data
	Sum        string `json:"sha256"`     // of the data
}

// Written is a backup file that was made.
type Written struct {
	Bytes int64
	Sum   string // SHA-256 of the file, in hexadecimal
}

// Write writes a backup of the data in a file to path, completely or not at all, and never
// overwrites a file. It fills in the sums and sizes of the manifest.
func Write(path string, m Manifest, data string) (Written, error) {
	of, err := sumOf(data)
	if err != nil {
		return Written{}, err
	}
	m.Format, m.Sum, m.Bytes = format, of.Sum, of.Bytes
	tmp, err := unfinished.Create(filepath.Dir(path), unfinished.Backup)
	if err != nil {
		return Written{}, unwritable(path, err)
	}
	defer tmp.Discard()
	sum := newSummed()
	manifest, err := json.Marshal(m, json.Deterministic(true), jsontext.WithIndent("  "))
	if err == nil {
		err = pack(io.MultiWriter(tmp, sum), manifest, m.Bytes, data)
	}
	if err = errors.Join(err, tmp.Sync()); err != nil {
		return Written{}, unwritable(path, err)
	}
	err = os.Link(tmp.Name(), path) // unlike a rename, it never replaces a file
	if errors.Is(err, fs.ErrExist) {
		return Written{}, fault.Decline("%s is there already", path).WithHint("name a file that is not there yet")
	}
	if err == nil {
		err = syncDir(filepath.Dir(path))
	}
	if err != nil {
		return Written{}, unwritable(path, err)
	}
	return sum.written(), nil
}

func unwritable(path string, err error) error {
	return fault.Bad("%s cannot be written: %v", path, err).WithHint("%s", unfinished.Advice(err)).WithCause(err)
}

// summed counts and sums up what is written to it.
type summed struct {
	hash.Hash
	n int64
}

func newSummed() *summed { return &summed{Hash: sha256.New()} }

func (s *summed) Write(p []byte) (int, error) {
	s.n += int64(len(p))
	return s.Hash.Write(p)
}

func (s *summed) written() Written { return Written{Bytes: s.n, Sum: hex.EncodeToString(s.Sum(nil))} }

// pack writes the tar. The same manifest and data give the same bytes.
func pack(w io.Writer, manifest []byte, size int64, data string) error {
	file, err := os.Open(data)
	if err != nil {
		return err
	}
	defer func() { _ = file.Close() }()
	t := tar.NewWriter(w)
	for _, part := range []struct {
		name string
		size int64
		from io.Reader
	}{{manifestName, int64(len(manifest)), bytes.NewReader(manifest)}, {dataName, size, file}} {
		if err := t.WriteHeader(&tar.Header{Name: part.name, Mode: 0o600, Size: part.size, Format: tar.FormatPAX}); err != nil {
			return err
		}
		if _, err := io.Copy(t, part.from); err != nil {
			return err
		}
	}
	return t.Close()
}

// Opened is a backup that was read and is complete.
type Opened struct {
	Manifest
	Written
	Data string // the file that the data was written to

	file *unfinished.File
}

// Discard removes the data and the files that were made next to it.
func (o *Opened) Discard() { o.file.Discard() }

// Open reads a backup, writes its data into a new file in dir, and checks every byte. It refuses a
// backup that was truncated or changed, and leaves nothing behind. It also removes what a killed
// restore left in dir.
func Open(path, dir string) (_ *Opened, err error) {
	file, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fault.Bad("there is no file %s", path)
	}
	if err != nil {
		return nil, fault.Bad("%s cannot be read: %v", path, err).WithCause(err)
	}
	defer func() { _ = file.Close() }()
	unfinished.Sweep(dir)
	tmp, err := unfinished.Create(dir, unfinished.Restore)
	if err != nil {
		return nil, unwritable(dir, err)
	}
	out := &Opened{Data: tmp.Name(), file: tmp}
	defer func() {
		if err != nil {
			tmp.Discard()
		}
	}()
	read := newSummed()
	src := io.TeeReader(file, read)
	manifest, err := unpack(src, tmp, &out.Manifest)
	if err != nil {
		return nil, broken(path, err.Error())
	}
	if _, err := io.Copy(io.Discard, src); err != nil { // whatever follows the end of the tar
		return nil, broken(path, err.Error())
	}
	out.Written = read.written()
	data, err := sumOf(out.Data)
	switch {
	case err != nil:
		return nil, err
	case data.Bytes != out.Manifest.Bytes:
		return nil, broken(path, fmt.Sprintf("its data has %d bytes, and must have %d", data.Bytes, out.Manifest.Bytes))
	case data.Sum != out.Manifest.Sum:
		return nil, broken(path, "its data does not have the checksum that the manifest says")
	}
	again := newSummed() // the tar itself, with its padding
	if err := pack(again, manifest, data.Bytes, out.Data); err != nil {
		return nil, err
	}
	if again.written() != out.Written {
		return nil, broken(path, "some of its bytes were changed")
	}
	if err := tmp.Sync(); err != nil {
		return nil, unwritable(tmp.Name(), err)
	}
	return out, nil
}

func broken(path, why string) error {
	return fault.Bad("%s is not a complete backup of tasker: %s", path, why).WithHint("take another backup; nothing was written")
}

// unpack reads the manifest and writes the data.
func unpack(src io.Reader, data io.Writer, m *Manifest) (manifest []byte, err error) {
	t := tar.NewReader(src)
	head, err := t.Next()
	if err != nil || head.Name != manifestName || head.Size > maxManifest {
		return nil, errors.New("it does not begin with a manifest")
	}
	if manifest, err = io.ReadAll(t); err != nil {
		return nil, errors.New("its manifest is truncated")
	}
	if err := json.Unmarshal(manifest, m, json.RejectUnknownMembers(true)); err != nil {
		return nil, errors.New("its manifest cannot be read")
	}
	if m.Format != format || m.Kind != SQLite && m.Kind != Records {
		return nil, fmt.Errorf("it has the format %d %s, which this tasker does not know", m.Format, m.Kind)
	}
	head, err = t.Next()
	if err != nil || head.Name != dataName {
		return nil, errors.New("it has no data")
	}
	if _, err := io.Copy(data, io.LimitReader(t, m.Bytes+1)); err != nil {
		return nil, errors.New("its data is truncated")
	}
	if _, err := t.Next(); !errors.Is(err, io.EOF) {
		return nil, errors.New("it does not end after its data")
	}
	return manifest, nil
}

func sumOf(path string) (Written, error) {
	file, err := os.Open(path)
	if err != nil {
		return Written{}, err
	}
	defer func() { _ = file.Close() }()
	sum := newSummed()
	_, err = io.Copy(sum, file)
	return sum.written(), err
}

// syncDir makes a new name in a directory durable.
func syncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(ignoreUnsupported(d.Sync()), d.Close())
}

// ignoreUnsupported drops the error of a system that cannot sync directories.
func ignoreUnsupported(err error) error {
	if errors.Is(err, errors.ErrUnsupported) || errors.Is(err, fs.ErrInvalid) || errors.Is(err, fs.ErrPermission) {
		return nil
	}
	return err
}
