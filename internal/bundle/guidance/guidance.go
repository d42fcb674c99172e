// Package guidance fingerprints the files of a repository that agents should follow: committed guidance that
// `context.track` names. It reads only below the repository's root, and no more than its limits allow.
package guidance

import (
	"io"
	"io/fs"
	"os"
	"sync"
	"time"

	"tasker/internal/task/drift"
)

// Limits of one reading; what is past them is not fingerprinted.
const (
	maxFiles   = 200
	maxEntries = 20_000   // directory entries that are visited
	maxTotal   = 32 << 20 // bytes that are hashed
)

// Reader reads the guidance of one repository at a time. It is safe for concurrent use.
type Reader struct {
	where func() (project, root string)
	now   func() time.Time

	hashes hashes

	mu     sync.Mutex
	looked time.Time
}

// New makes a reader. where returns the project whose repository is here and its root; both are empty if there is no
// repository.
func New(where func() (project, root string), now func() time.Time) *Reader {
	return &Reader{where: where, now: now}
}

// Project returns the project whose repository is here.
func (r *Reader) Project() string {
	project, _ := r.where()
	return project
}

// Root returns the directory of that repository.
func (r *Reader) Root() string {
	_, root := r.where()
	return root
}

// Due reports whether a second has passed since it last said yes.
func (r *Reader) Due() bool {
	if r.Project() == "" {
		return false
	}
	now := r.now()
	r.mu.Lock()
	defer r.mu.Unlock()
	if d := now.Sub(r.looked); d >= 0 && d < time.Second {
		return false
	}
	r.looked = now
	return true
}

// Read returns the files that match a glob of track and none of ignore, by path, each with the hash of its content, which
// is empty if the file cannot be read. A directory that cannot be read is listed in place of its files. more reports
// whether there are further files past the limits.
func (r *Reader) Read(track, ignore []string) (files []drift.Fingerprint, more bool, err error) {
	_, dir := r.where()
	if dir == "" {
		return nil, false, nil
	}
	files, _, more, err = r.ReadAt(dir, track, ignore)
	return files, more, err
}

// ReadAt is Read in another directory: a workspace of the repository. there reports whether it exists on this machine.
func (r *Reader) ReadAt(dir string, track, ignore []string) (files []drift.Fingerprint, there, more bool, err error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, false, false, nil // a repository that is gone has no guidance
	}
	defer func() { _ = root.Close() }() // only read
	paths, more, err := find(root.FS(), track, ignore)
	if err != nil {
		return nil, true, false, err
	}
	left := int64(maxTotal)
	files = []drift.Fingerprint{}
	for _, path := range paths {
		if drift.IsDir(path) && len(files) < maxFiles {
			files = append(files, drift.Fingerprint{Path: path})
			continue
		}
		info, err := root.Stat(path)
		if err != nil || !info.Mode().IsRegular() {
			continue // deleted in the meantime, or a link that leads outside
		}
		if len(files) == maxFiles || left <= 0 {
			return files, true, true, nil
		}
		files = append(files, drift.Fingerprint{Path: path, Hash: r.hash(root, dir, path, info, &left)})
	}
	return files, true, more, nil
}

// hash returns the hash of a file's content, and subtracts what it reads from left.
func (r *Reader) hash(root *os.Root, dir, path string, info fs.FileInfo, left *int64) string {
	file := hashed{dir, path}
	if hash, ok := r.hashes.get(file, info); ok {
		return hash
	}
	f, err := root.Open(path)
	if err != nil {
		return ""
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, drift.MaxFile))
	*left -= int64(len(text))
	if err != nil {
		return ""
	}
	hash := drift.Hash(text, info.Size())
	r.hashes.put(file, info, hash, r.now())
	return hash
}
