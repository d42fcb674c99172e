package transfer

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"tasker/internal/cli/frame"
	"tasker/internal/fault"
	"tasker/internal/text/words"
	"tasker/internal/transfer/importer"
)

// The bounds of an imported folder. Its files were written by others.
const (
	maxFolderFiles = 50_000
	maxFolderFile  = 4 << 20 // bytes of one file
)

// taskFolders are where Backlog.md keeps its tasks, below the named folder: that may be the repository, the backlog in
// it, or the tasks themselves. The archive and drafts are ignored.
var taskFolders = []string{"backlog/tasks", "backlog/completed", ".backlog/tasks", ".backlog/completed", "tasks", "completed"}

// readFolder reads the tasks in a folder: files that end in .md, but no links, devices or pipes.
func readFolder(f *frame.Factory, name string) ([]importer.File, error) {
	root, err := os.OpenRoot(f.Path(name))
	if err != nil {
		return nil, fault.Bad("the folder %s cannot be read: %v", name, reasonOf(err)).
			WithHint("name the folder that has backlog/tasks, the backlog, or its tasks")
	}
	defer func() { _ = root.Close() }()
	r := &folder{root: root, name: name}
	for _, below := range taskFolders {
		if err := r.add(below); err != nil {
			return nil, err
		}
	}
	if !r.found {
		if err := r.add("."); err != nil {
			return nil, err
		}
	}
	return r.files, r.refused()
}

// folder is a folder being read.
type folder struct {
	root   *os.Root
	name   string
	found  bool // a tasks folder exists
	files  []importer.File
	bytes  int
	faults []string
}

// add reads the files of a folder below the root, sorted by name.
func (r *folder) add(below string) error {
	at, err := r.root.Lstat(below)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fault.Bad("%s cannot be read: %v", filepath.Join(r.name, below), reasonOf(err))
	}
	if !at.IsDir() {
		r.faults = append(r.faults, below+": it is not a folder, and links are not followed")
		return nil
	}
	dir, err := r.root.Open(below)
	if err != nil {
		return fault.Bad("%s cannot be read: %v", filepath.Join(r.name, below), reasonOf(err))
	}
	names, err := dir.Readdirnames(maxFolderFiles + 1)
	_ = dir.Close()
	if err != nil && !errors.Is(err, io.EOF) {
		return fault.Bad("%s cannot be read: %v", filepath.Join(r.name, below), reasonOf(err))
	}
	if len(names)+len(r.files) > maxFolderFiles {
		return fault.New(fault.TooLarge, "%s has more than %d files, which is the limit", filepath.Join(r.name, below), maxFolderFiles)
	}
	r.found = r.found || below != "."
	slices.Sort(names)
	for _, name := range names {
		if strings.HasSuffix(strings.ToLower(name), ".md") && !strings.HasPrefix(name, ".") && (below != "." || strings.Contains(name, " - ")) {
			if err := r.read(filepath.ToSlash(filepath.Join(below, name))); err != nil {
				return err
			}
		}
	}
	return nil
}

// read reads a file, or records why it cannot.
func (r *folder) read(name string) error {
	data, err := r.data(name)
	if err != nil {
		r.faults = append(r.faults, name+": "+reasonOf(err).Error())
		return nil
	}
	if r.bytes += len(data); r.bytes > importer.MaxBytes {
		return fault.New(fault.TooLarge, "the files of %s have more than %d bytes, which is the limit", r.name, importer.MaxBytes)
	}
	r.files = append(r.files, importer.File{Name: name, Data: data})
	return nil
}

// data returns what a plain file holds, up to a bound.
func (r *folder) data(name string) ([]byte, error) {
	info, err := r.root.Lstat(name)
	switch {
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular():
		return nil, errors.New("it is not a plain file, and links are not followed")
	case info.Size() > maxFolderFile:
		return nil, errors.New("it has more than " + words.Count(maxFolderFile>>20, "MiB", "MiB"))
	}
	file, err := r.root.Open(name)
	if err != nil {
		return nil, err
	}
	defer func() { _ = file.Close() }()
	return io.ReadAll(io.LimitReader(file, maxFolderFile))
}

// refused returns one refusal for everything that could not be read.
func (r *folder) refused() error {
	if len(r.faults) == 0 {
		return nil
	}
	const listed = 200
	return fault.Bad("%s of %s cannot be read", words.Count(len(r.faults), "file", "files"), r.name).
		WithMissing(r.faults[:min(len(r.faults), listed)]...).WithHint("take them out, or put plain files there; nothing was written")
}

// reasonOf returns why a file could not be read, without the path, which the message already has.
func reasonOf(err error) error {
	var at *fs.PathError
	if errors.As(err, &at) {
		return at.Err
	}
	return err
}
