package app

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/bmatcuk/doublestar/v4"

	"tasker/internal/fault"
	"tasker/internal/glob"
	"tasker/internal/hint"
	"tasker/internal/task/drift"
	"tasker/internal/text/words"
)

// Limits of one reading; what is past them is not fingerprinted.
const (
	maxGuidanceFiles   = 200
	maxGuidanceEntries = 20_000   // directory entries that are visited
	maxGuidanceBytes   = 32 << 20 // bytes that are hashed
)

// guidanceReader fingerprints the files of a repository that agents should follow: committed guidance that `context.track`
// names. It reads only below the directory that it is given, and no more than its limits allow. It is safe for concurrent
// use.
type guidanceReader struct {
	now    func() time.Time
	own    func() []fs.FileInfo // files of the database, which are nobody's guidance
	hashes guidanceHashes
}

// read returns the files below a directory that match a glob of track and none of ignore, by path, each with the hash of
// its content, which is empty if the file cannot be read. A directory that cannot be read is listed in place of its files.
// there reports whether the directory exists on this machine, and more whether there are further files past the limits.
func (r *guidanceReader) read(dir string, track, ignore []string) (files []drift.Fingerprint, there, more bool, err error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, false, false, nil // a repository that is gone has no guidance
	}
	defer func() { _ = root.Close() }() // only read
	paths, more, err := findGuidance(root.FS(), track, ignore)
	if err != nil {
		return nil, true, false, err
	}
	own := r.own()
	left := int64(maxGuidanceBytes)
	files = []drift.Fingerprint{}
	for _, path := range paths {
		if drift.IsDir(path) && len(files) < maxGuidanceFiles {
			files = append(files, drift.Fingerprint{Path: path})
			continue
		}
		info, err := root.Stat(path)
		if err != nil || !info.Mode().IsRegular() {
			continue // deleted in the meantime, or a link that leads outside
		}
		if slices.ContainsFunc(own, func(o fs.FileInfo) bool { return os.SameFile(o, info) }) {
			continue // to open and close it would drop the locks of this process: see package sqlite
		}
		if len(files) == maxGuidanceFiles || left <= 0 {
			return files, true, true, nil
		}
		files = append(files, drift.Fingerprint{Path: path, Hash: r.hash(root, dir, path, info, &left)})
	}
	return files, true, more, nil
}

// hash returns the hash of a file's content, and subtracts what it reads from left.
func (r *guidanceReader) hash(root *os.Root, dir, path string, info fs.FileInfo, left *int64) string {
	file := hashedFile{dir, path}
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

// findGuidance returns the paths that the globs match, sorted and without duplicates. They include directories that may hold
// matches but cannot be read, with a trailing slash. It does not follow links to directories and does not look into .git.
func findGuidance(files fs.FS, track, ignore []string) (paths []string, more bool, err error) {
	for i, glob := range slices.Concat(track, ignore) {
		if err := checkGuidanceGlob(glob, i < len(track)); err != nil {
			return nil, false, err
		}
	}
	ignored := func(name string) bool {
		return slices.ContainsFunc(ignore, func(glob string) bool { return doublestar.MatchUnvalidated(tidy(glob), name) })
	}
	entries := 0
	for _, glob := range track {
		glob = tidy(glob)
		base, _ := doublestar.SplitPattern(glob)
		err := fs.WalkDir(files, base, func(name string, d fs.DirEntry, err error) error {
			if entries++; entries > maxGuidanceEntries {
				more = true
				return fs.SkipAll
			}
			switch {
			case errors.Is(err, fs.ErrPermission): // a directory: readers of the guidance must know that it is incomplete
				paths = append(paths, name+"/")
				return fs.SkipDir
			case err != nil:
				return fs.SkipDir // does not exist, or is a link that leads outside
			case d.IsDir() && (d.Name() == ".git" || name != "." && ignored(name) || tooDeep(glob, name)):
				return fs.SkipDir
			case !d.IsDir() && doublestar.MatchUnvalidated(glob, name) && !ignored(name):
				paths = append(paths, name)
			}
			return nil
		})
		if err != nil {
			return nil, false, err
		}
	}
	slices.Sort(paths)
	return slices.Compact(paths), more, nil
}

// tidy returns a glob in the form of paths below a root.
func tidy(glob string) string { return strings.TrimPrefix(path.Clean(glob), "./") }

// tooDeep reports whether nothing in a directory can match.
func tooDeep(glob, dir string) bool {
	return dir != "." && !strings.Contains(glob, "**") && strings.Count(dir, "/") >= strings.Count(glob, "/")
}

func checkGuidanceGlob(text string, tracked bool) error {
	key := words.Either(tracked, "context.track", "context.ignore")
	if why := glob.Unusable(text); why != "" {
		return fault.Bad("%q in %s cannot be matched: it %s", text, key, why).WithHint("correct it: %s shows where it is set", hint.Command("config explain "+key))
	}
	return nil
}

// guidanceHashes caches the hashes of files, each valid while the size and the time of its file stay the same, because every
// claim needs all of them. Without it, "select-and-claim with six files of tracked guidance" of make bench takes 2.2
// times the processor time and allocates 37 % more. To remove the cache, make get find nothing.
type guidanceHashes struct {
	mu     sync.Mutex
	cached map[hashedFile]fileHash
}

// hashedFile identifies the file of a hash.
type hashedFile struct{ root, path string }

type fileHash struct {
	size int64
	at   time.Time
	hash string
}

// maxGuidanceHashes limits the cache; it is emptied when full.
const maxGuidanceHashes = 10_000

func (h *guidanceHashes) get(f hashedFile, info fs.FileInfo) (hash string, ok bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	have, ok := h.cached[f]
	return have.hash, ok && have.size == info.Size() && have.at.Equal(info.ModTime())
}

// put caches a hash computed at now, unless the file is so fresh that it could change again with the same timestamp.
func (h *guidanceHashes) put(f hashedFile, info fs.FileInfo, hash string, now time.Time) {
	if now.Sub(info.ModTime()) <= 2*time.Second {
		return
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.cached == nil || len(h.cached) >= maxGuidanceHashes {
		h.cached = map[hashedFile]fileHash{}
	}
	h.cached[f] = fileHash{info.Size(), info.ModTime(), hash}
}
