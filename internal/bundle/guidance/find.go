package guidance

import (
	"errors"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"tasker/internal/fault"
	"tasker/internal/fault/hint"
	"tasker/internal/glob/syntax"
)

// find returns the paths that the globs match, sorted and without duplicates. They include directories that may hold
// matches but cannot be read, with a trailing slash. It does not follow links to directories and does not look into .git.
func find(files fs.FS, track, ignore []string) (paths []string, more bool, err error) {
	for i, glob := range slices.Concat(track, ignore) {
		if err := check(glob, i < len(track)); err != nil {
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
			if entries++; entries > maxEntries {
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

func check(glob string, tracked bool) error {
	key := "context.ignore"
	if tracked {
		key = "context.track"
	}
	if why := syntax.Unusable(glob); why != "" {
		return fault.Bad("%q in %s cannot be matched: it %s", glob, key, why).WithHint("correct it: %s says where it stands", hint.Command("config explain "+key))
	}
	return nil
}
