// Package dotenv is the provider of variables from files of the repository, which it copies into
// the workspace.
package dotenv

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"tasker/internal/config"
	"tasker/internal/fault"
	"tasker/internal/text/words"
	"tasker/internal/workspace/env/envtext"
	"tasker/internal/workspace/env/provider"
)

// Kind declares the provider.
var Kind = provider.Kind{Type: "dotenv", Keys: []string{"env", "app", "files"}, Options: []string{"optional"}, New: makeProvider, Writes: writes}

const (
	maxFile = 1 << 20
	unnamed = ".env" // the default file
)

type dotenv struct {
	files    []string // below the root, with slashes
	stage    string
	optional bool
}

func makeProvider(c config.Provider, _ provider.Parts) (provider.Provider, error) { return parse(c) }

func parse(c config.Provider) (d dotenv, err error) {
	d.stage = c.Env
	if strings.ContainsAny(d.stage, "/\\") || d.stage == ".." {
		return d, fault.Bad("env is %s", words.Quoted(d.stage)).WithHint("a stage is the end of a file's name: staging reads .env.staging")
	}
	if d.optional, err = provider.Flag(c, "optional"); err != nil {
		return d, err
	}
	files := c.Files
	if len(files) == 0 {
		files = []string{unnamed}
	}
	for _, name := range files {
		name = path.Join(filepath.ToSlash(c.App), filepath.ToSlash(name))
		if !filepath.IsLocal(name) || name == "." {
			return d, fault.Bad("the file %s is not in the repository", words.Quoted(name)).WithHint("name a file below the repository's root")
		}
		d.files = append(d.files, name)
	}
	return d, nil
}

// writes returns the files that a provider may copy, including those of its stage. It returns none
// for invalid settings.
func writes(c config.Provider) (names []string) {
	d, err := parse(c)
	if err != nil {
		return nil
	}
	for _, name := range d.files {
		names = append(names, d.variants(name)...)
	}
	return names
}

func (d dotenv) Values(_ context.Context, r provider.Request) (provider.Result, error) {
	root, err := os.OpenRoot(r.Root)
	if err != nil {
		return provider.Result{}, fault.Bad("the repository %s cannot be read: %v", words.Quoted(r.Root), cause(err))
	}
	defer func() { _ = root.Close() }()
	res := provider.Result{Values: map[string]string{}}
	staged := false
	for _, name := range d.files {
		found := false
		for _, variant := range d.variants(name) {
			text, err := read(root, variant)
			if errors.Is(err, fs.ErrNotExist) {
				continue
			}
			if err != nil {
				return provider.Result{}, err
			}
			found, staged = true, staged || strings.HasSuffix(variant, "."+d.stage)
			if err := provider.Under(variant, envtext.Parse(string(text), res.Values, r.Lookup)); err != nil {
				return provider.Result{}, err
			}
			res.Files = append(res.Files, provider.File{Path: variant, Text: text})
		}
		if !found && !d.optional {
			return provider.Result{}, fault.Bad("there is no file %s", words.List(d.variants(name))).
				WithHint(`make it in %s, or set options.optional to "true"`, r.Root)
		}
	}
	if d.stage != "" && !staged && !d.optional {
		return provider.Result{}, fault.Bad("none of its files has one for the stage %s, such as %s", words.Quoted(d.stage), d.files[0]+"."+d.stage).
			WithHint(`make it in %s, correct env, or set options.optional to "true"`, r.Root)
	}
	if sameDir(r.Root, r.Dir) { // they are already in place
		res.Files = nil
	}
	return res, nil
}

// variants returns the file and that of its stage, the one that overrides last. A file with the
// stage in its name is the stage's own.
func (d dotenv) variants(name string) []string {
	if d.stage == "" || strings.HasSuffix(name, "."+d.stage) {
		return []string{name}
	}
	return []string{name, name + "." + d.stage}
}

// read reads a file, following symbolic links only inside the repository. A missing file is
// fs.ErrNotExist.
func read(root *os.Root, name string) ([]byte, error) {
	info, err := root.Stat(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fs.ErrNotExist
	}
	if err == nil && !info.Mode().IsRegular() {
		return nil, fault.Bad("%s is not a file", name)
	}
	var f *os.File
	if err == nil {
		f, err = root.Open(name)
	}
	if err != nil {
		return nil, fault.Bad("%s cannot be read: %v", name, cause(err)).
			WithHint("it must be readable and inside the repository, with its symbolic links followed")
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, maxFile+1))
	if err != nil {
		return nil, fault.Bad("%s cannot be read: %v", name, cause(err))
	}
	if len(text) > maxFile {
		return nil, fault.Bad("%s is larger than 1 MiB", name)
	}
	return text, nil
}

// cause returns the operating system's own error, without the path.
func cause(err error) error {
	var p *fs.PathError
	if errors.As(err, &p) {
		return p.Err
	}
	return err
}

func sameDir(a, b string) bool {
	one, bad := os.Stat(a)
	other, err := os.Stat(b)
	return filepath.Clean(a) == filepath.Clean(b) || bad == nil && err == nil && os.SameFile(one, other)
}
