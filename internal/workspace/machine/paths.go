package machine

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"tasker/internal/fault"
	"tasker/internal/workspace"
)

// direct refuses a directory that can be reached from the root only through a symbolic link: what
// is behind the link may be anywhere, and is not ours.
func direct(root, dir string) error {
	rel, err := filepath.Rel(root, dir)
	if err != nil {
		return fault.Bad("workspace.dir cannot be reached from %s: %v", root, err)
	}
	at := root
	for part := range strings.SplitSeq(filepath.ToSlash(rel), "/") {
		if at = filepath.Join(at, part); part == ".." {
			continue
		}
		info, err := os.Lstat(at)
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil {
			return err
		}
		if info.Mode()&fs.ModeSymlink != 0 {
			return fault.Decline("%s is a symbolic link, and workspace.dir must not lead through one", at).WithHint("name the directory itself in workspace.dir")
		}
	}
	return nil
}

// write writes the providers' files into a workspace: readable only by their owner, never through a
// symbolic link that leads out of it, and never over a tracked file. A directory that is not ours
// keeps its own files; other lists the ones that differ.
func write(w *workspace.Workspace, files []workspace.File, tracked func(path string) (bool, error)) (names, other []string, err error) {
	root, err := os.OpenRoot(w.Path)
	if err != nil {
		return nil, nil, err
	}
	defer func() { err = errors.Join(err, root.Close()) }()
	for _, f := range files {
		if !filepath.IsLocal(f.Path) {
			return names, other, fault.Decline("a provider writes %q, which is not in the workspace", f.Path).WithHint("name a path within it")
		}
		if known, err := tracked(f.Path); err != nil {
			return names, other, err
		} else if known {
			return names, other, tracks(f.Path)
		}
		if !w.OwnTree {
			if _, err := root.Lstat(f.Path); err == nil {
				if text, err := root.ReadFile(f.Path); err != nil || !bytes.Equal(text, f.Text) {
					other = append(other, f.Path)
				}
				continue
			}
		}
		if err := writeOne(root, f); err != nil {
			return names, other, err
		}
		names = append(names, f.Path)
	}
	return names, other, nil
}

// tracks returns the refusal of a provider's file that the repository tracks.
func tracks(name string) error {
	return fault.Decline("a provider writes %s, which the repository has under version control", name).
		WithHint("let the provider write another file, or remove it from version control: git rm --cached")
}

func writeOne(root *os.Root, f workspace.File) (err error) {
	if parent := filepath.Dir(f.Path); parent != "." {
		if err := root.MkdirAll(parent, 0o700); err != nil {
			return fault.Decline("the directory %s cannot be created in %s: %v", parent, root.Name(), err).WithCause(err)
		}
	}
	if err := root.Remove(f.Path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fault.Decline("%s cannot be replaced in %s: %v", f.Path, root.Name(), err).WithCause(err)
	}
	file, err := root.OpenFile(f.Path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return fault.Decline("%s cannot be written in %s: %v", f.Path, root.Name(), err).WithCause(err)
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	_, err = file.Write(f.Text)
	return err
}
