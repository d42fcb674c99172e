// Package gitenv is the provider of variables that stand in a file of a commit: the same for every workspace, whatever
// is checked out.
package gitenv

import (
	"context"
	"path"
	"slices"
	"strings"

	"tasker/internal/config"
	"tasker/internal/fault"
	"tasker/internal/provider"
	"tasker/internal/provider/envtext"
	"tasker/internal/words"
)

// Kind declares the provider.
var Kind = provider.Kind{Type: "gitenv", Keys: []string{"env", "app", "path"}, Options: []string{"ref"}, New: makeProvider}

type gitenv struct {
	run   provider.Runner
	ref   string
	files []string // in the commit; the one that counts more last
}

func makeProvider(c config.Provider, p provider.Parts) (provider.Provider, error) {
	g := gitenv{run: p.Run, ref: c.Options["ref"]}
	if g.ref == "" {
		g.ref = "HEAD"
	}
	if strings.HasPrefix(g.ref, "-") || strings.ContainsFunc(g.ref, func(r rune) bool { return r <= ' ' || r == ':' || r == 0x7f }) {
		return nil, fault.Bad("options.ref is %s", words.Quoted(g.ref)).WithHint("give a branch, a tag or a commit, such as origin/main")
	}
	name := c.Path
	if name == "" {
		name = ".env"
	}
	name = path.Join(c.App, name)
	if path.IsAbs(name) || name == "." || name == ".." || strings.HasPrefix(name, "../") || strings.ContainsAny(name+c.Env, "\x00\n") {
		return nil, fault.Bad("the file %s is not in the repository", words.Quoted(name)).WithHint("name a file below the repository's root")
	}
	g.files = []string{name}
	if c.Env != "" {
		g.files = append(g.files, name+"."+c.Env)
	}
	return g, nil
}

// Values reads the file, and its stage's where env names one: at least one of them is there, and the stage's is.
func (g gitenv) Values(ctx context.Context, r provider.Request) (provider.Result, error) {
	commit, err := g.git(ctx, r, "rev-parse", "--verify", "--quiet", "--end-of-options", g.ref+"^{commit}")
	if err != nil {
		return provider.Result{}, err
	}
	if commit.ExitCode != 0 {
		return provider.Result{}, fault.Bad("there is no commit %s in the repository %s", words.Quoted(g.ref), words.Quoted(r.Root)).
			WithHint("correct options.ref, or fetch it")
	}
	values := map[string]string{}
	lookup := func(name string) (string, bool) {
		if value, ok := values[name]; ok {
			return value, true
		}
		return r.Lookup(name)
	}
	for i, name := range g.files {
		file, err := g.git(ctx, r, "cat-file", "blob", strings.TrimSpace(commit.Output)+":"+name)
		if err != nil {
			return provider.Result{}, err
		}
		if last := i == len(g.files)-1; file.ExitCode != 0 && !last { // a stage can do without the file that all stages share
			continue
		}
		if file.ExitCode != 0 {
			return provider.Result{}, fault.Bad("%s has no file %s", g.ref, words.Quoted(name)).WithHint("correct path, env or options.ref, or commit the file")
		}
		vars, err := envtext.Parse(file.Output, lookup)
		if err != nil {
			e := fault.Of(err)
			return provider.Result{}, fault.Bad("%s of %s: %s", name, g.ref, e.Message).WithParts(e.HintParts())
		}
		for _, v := range vars {
			values[v.Name] = v.Value
		}
	}
	return provider.Result{Values: values}, nil
}

// git asks for objects. None of these commands runs a hook, a filter or anything else that the repository names.
func (g gitenv) git(ctx context.Context, r provider.Request, args ...string) (provider.Printed, error) {
	env := append(slices.DeleteFunc(slices.Clone(r.Env), ofGit), "LC_ALL=C", "GIT_OPTIONAL_LOCKS=0", "GIT_TERMINAL_PROMPT=0")
	return g.run.Capture(ctx, provider.Command{Args: append([]string{"git", "--no-replace-objects"}, args...), Dir: r.Root, Env: env})
}

// ofGit reports whether a variable would lead git to another repository than the one it is run in.
func ofGit(entry string) bool {
	name, _, _ := strings.Cut(entry, "=")
	return slices.Contains([]string{"GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_OBJECT_DIRECTORY", "GIT_COMMON_DIR", "GIT_NAMESPACE"}, name)
}
