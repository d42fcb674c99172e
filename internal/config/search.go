package config

import (
	"errors"
	"io/fs"
	"iter"
	"path/filepath"
	"strings"

	"tasker/internal/config/format"
	"tasker/internal/fault"
	"tasker/internal/strict"
)

// Candidate is a file that was searched for.
type Candidate struct {
	Path   string       `json:"path"`
	Layer  strict.Layer `json:"layer"`
	Exists bool         `json:"exists"`
	Used   bool         `json:"used"`
}

// Paths lists the candidate files in search order. The search ends at the first configuration file that exists; the
// local file next to it follows, or, in a git worktree that has none, the main checkout's.
func Paths(o Options) ([]Candidate, error) {
	s := search{o: &o}
	err := s.run()
	return s.seen, err
}

// search looks for the files of the two layers. An empty path means that there is no file.
type search struct {
	o           *Options
	file, local string
	seen        []Candidate
}

func (s *search) run() error {
	if err := s.findFile(); err != nil {
		return err
	}
	if s.file != "" {
		s.findLocal(filepath.Dir(s.file))
		return nil
	}
	s.findLocalAlone()
	return nil
}

// findLocalAlone looks for a local file without a configuration file, upwards from the working directory. It counts
// only for what describes the process. Of the candidates, only a file that exists is listed.
func (s *search) findLocalAlone() {
	for dir := range Upwards(s.o.Dir) {
		path := filepath.Join(dir, LocalName)
		if there(s.o.Files, path) {
			s.look(path, format.LocalLayer, &s.local)
			return
		}
	}
}

// Upwards yields a directory, its parent, and so on up to the root.
func Upwards(dir string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for dir = filepath.Clean(dir); yield(dir) && dir != filepath.Dir(dir); dir = filepath.Dir(dir) {
		}
	}
}

func (s *search) findFile() error {
	named, by := s.o.File, "--config"
	if named == "" {
		named, by = s.o.env(ConfigVariable), ConfigVariable
	}
	if named != "" {
		path := s.o.abs(named)
		if !s.look(path, format.FileLayer, &s.file) {
			return fault.Bad("%s names %s, and there is no such file", by, path).
				WithHint("correct %s, or leave it out to search upwards from the working directory", by)
		}
		return nil
	}
	for dir := range Upwards(s.o.Dir) {
		if s.look(filepath.Join(dir, FileName), format.FileLayer, &s.file) {
			break
		}
	}
	return nil
}

func (s *search) findLocal(dir string) {
	if s.look(filepath.Join(dir, LocalName), format.LocalLayer, &s.local) {
		return
	}
	if main := MainCheckout(s.o.Files, dir); main != "" {
		s.look(filepath.Join(main, LocalName), format.LocalLayer, &s.local)
	}
}

// look notes a candidate, and sets found to it if it exists. A file that cannot be seen (in a directory that is closed to us)
// counts as missing.
func (s *search) look(path string, l strict.Layer, found *string) bool {
	exists := there(s.o.Files, path)
	s.seen = append(s.seen, Candidate{Path: path, Layer: l, Exists: exists, Used: exists})
	if exists {
		*found = path
	}
	return exists
}

// MainCheckout returns, for a directory inside a linked git worktree, the same directory in the main checkout, and ""
// anywhere else. A linked worktree has a file .git that names its git directory, which has a file commondir; a
// submodule's does not. A bare repository has no main checkout.
func MainCheckout(files Files, dir string) string {
	root, gitDir, common := gitDirs(files, dir)
	rel, err := filepath.Rel(root, dir)
	if common == "" || common == gitDir || err != nil || filepath.Base(common) != ".git" {
		return ""
	}
	return filepath.Join(filepath.Dir(common), rel)
}

// CommonGitDir returns the directory in which git keeps the repository around a directory, which all its work trees
// share; "" if there is no repository. It reads the files that git would read, and does not start git.
func CommonGitDir(files Files, dir string) string {
	_, _, common := gitDirs(files, dir)
	return common
}

// WorkTree returns the root of git's work tree around a directory; "" if there is no repository.
func WorkTree(files Files, dir string) string {
	root, _, _ := gitDirs(files, dir)
	return root
}

// gitDirs returns the root of the work tree around a directory, its git directory, and the one that all work trees of the
// repository share, which is the same except in a linked worktree. All are empty if there is no repository.
func gitDirs(files Files, dir string) (root, gitDir, common string) {
	for root := range Upwards(dir) {
		dotGit := filepath.Join(root, ".git")
		info, err := files.Stat(dotGit)
		if err != nil {
			continue
		}
		gitDir := dotGit
		if !info.IsDir() {
			text, err := files.ReadFile(dotGit)
			named, ok := strings.CutPrefix(strings.TrimRight(string(text), "\r\n"), "gitdir: ")
			if err != nil || !ok {
				return "", "", ""
			}
			gitDir = under(root, named)
		}
		common := gitDir
		if text, err := files.ReadFile(filepath.Join(gitDir, "commondir")); err == nil {
			common = under(gitDir, strings.TrimRight(string(text), "\r\n"))
		}
		return root, gitDir, common
	}
	return "", "", ""
}

func under(dir, path string) string {
	if filepath.IsAbs(path) {
		return filepath.Clean(path)
	}
	return filepath.Join(dir, path)
}

// read returns the text of a file that was found.
func (o *Options) read(path string) ([]byte, error) {
	info, err := o.Files.Stat(path)
	if err == nil && info.IsDir() {
		return nil, fault.Bad("%s is a directory, not a configuration file", path)
	}
	text, err := o.Files.ReadFile(path)
	switch {
	case err == nil:
		return text, nil
	case errors.Is(err, fs.ErrNotExist) && info != nil && info.Mode()&fs.ModeSymlink != 0:
		return nil, fault.Bad("%s is a link to a file that is not there", path).WithHint("put the file there, or remove the link").WithCause(err)
	case errors.Is(err, fs.ErrNotExist):
		return nil, fault.Bad("there is no file %s", path).WithCause(err)
	default:
		return nil, fault.Bad("%s cannot be read: %v", path, cause(err)).WithHint("check its permissions").WithCause(err)
	}
}

// cause returns only the reason, without the path that the sentence already names.
func cause(err error) error {
	var p *fs.PathError
	if errors.As(err, &p) {
		return p.Err
	}
	return err
}
