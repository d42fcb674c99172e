// Package gitenv is the provider of variables from files of a commit. They are the same for every
// workspace, whatever it has checked out.
package gitenv

import (
	"cmp"
	"context"
	"path"
	"slices"
	"strings"

	"tasker/internal/config"
	"tasker/internal/fault"
	"tasker/internal/text/words"
	"tasker/internal/workspace/env/envtext"
	"tasker/internal/workspace/env/provider"
)

// Kind declares the provider.
var Kind = provider.Kind{Type: "gitenv", Keys: []string{"env", "app", "path"}, Options: []string{"ref"}, New: makeProvider}

type gitenv struct {
	ask   provider.Git
	ref   string
	stage string   // "" for none
	files []string // in the commit; the last one overrides
}

// maxFiles is how many files one provider reads.
const maxFiles = 100

func makeProvider(c config.Provider, p provider.Parts) (provider.Provider, error) {
	g := gitenv{ask: p.Git, ref: cmp.Or(c.Options["ref"], "HEAD")}
	if strings.HasPrefix(g.ref, "-") || strings.ContainsFunc(g.ref, func(r rune) bool { return r <= ' ' || r == ':' || r == 0x7f }) {
		return nil, fault.Bad("options.ref is %s", words.Quoted(g.ref)).WithHint("give a branch, a tag or a commit, such as origin/main")
	}
	g.files = slices.DeleteFunc(words.Each(strings.Split(c.Path, ","), strings.TrimSpace), func(name string) bool { return name == "" })
	switch {
	case len(g.files) == 0:
		g.files = []string{".env"}
	case len(g.files) > maxFiles:
		return nil, fault.Bad("path names %d files", len(g.files)).WithHint("name at most %d", maxFiles)
	}
	for i, name := range g.files {
		name = path.Join(c.App, name)
		if path.IsAbs(name) || name == "." || name == ".." || strings.HasPrefix(name, "../") || strings.ContainsAny(name+c.Env, "\x00\n") {
			return nil, fault.Bad("the file %s is not in the repository", words.Quoted(name)).WithHint("name files below the repository's root")
		}
		g.files[i] = name
	}
	g.stage = c.Env
	return g, nil
}

// Values reads the files in order and, if env names a stage, the stage's file after each. Each file
// or its stage must exist, and at least one stage file.
func (g gitenv) Values(ctx context.Context, r provider.Request) (provider.Result, error) {
	commit, there, err := g.git(ctx, r, "rev-parse", "--verify", "--quiet", "--end-of-options", g.ref+"^{commit}")
	if err != nil {
		return provider.Result{}, err
	}
	if !there {
		return provider.Result{}, fault.Bad("there is no commit %s in the repository %s", words.Quoted(g.ref), words.Quoted(r.Root)).
			WithHint("correct options.ref, or fetch it")
	}
	commit = strings.TrimSpace(commit)
	values, staged := map[string]string{}, g.stage == ""
	file := func(name string) (there bool, err error) { // adds its variables
		text, there, err := g.git(ctx, r, "cat-file", "blob", commit+":"+name)
		if err != nil || !there {
			return false, err
		}
		return true, provider.Under(name+" of "+g.ref, envtext.Parse(text, values, r.Lookup))
	}
	for _, name := range g.files {
		there, err := file(name)
		if err != nil {
			return provider.Result{}, err
		}
		ofStage := false
		if g.stage != "" {
			if ofStage, err = file(name + "." + g.stage); err != nil {
				return provider.Result{}, err
			}
		}
		if staged = staged || ofStage; !there && !ofStage && (g.stage == "" || len(g.files) > 1) {
			return provider.Result{}, g.missing(name)
		}
	}
	if !staged {
		return provider.Result{}, g.missing(g.files[0] + "." + g.stage)
	}
	return provider.Result{Values: values}, nil
}

func (g gitenv) missing(name string) error {
	return fault.Bad("%s has no file %s", g.ref, words.Quoted(name)).WithHint("correct path, env or options.ref, or commit the file")
}

// git asks for objects, and reports whether they exist.
func (g gitenv) git(ctx context.Context, r provider.Request, args ...string) (out string, there bool, err error) {
	return g.ask(ctx, r.Root, r.Env, append([]string{"--no-replace-objects"}, args...)...)
}
