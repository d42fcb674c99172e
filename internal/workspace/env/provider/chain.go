package provider

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"tasker/internal/child/purpose"
	"tasker/internal/fault"
	"tasker/internal/text/words"
	"tasker/internal/workspace/env/envtext"
)

// The limits of an environment. A process cannot be started with much more.
const (
	maxVariables = 2000
	maxVariable  = 128<<10 - 1 // name, = and value; the kernel's limit for one string
	maxTotal     = 1 << 20
	maxFiles     = 100
)

// reserved starts our own names. If a provider could set one, the commands of a workspace could
// silently act on another task, database or identity than the one it was opened for.
const reserved = "TASKER_"

// Chain asks the providers in order. Each sees the variables of the earlier ones, and overrides
// them. The first failure ends the chain.
func Chain(ctx context.Context, chain []Named, r Request) (*Environment, error) {
	env := &Environment{values: map[string]envtext.Variable{}}
	base := purpose.Provider.Environment(r.Env) // also for lookups: a file of variables may name any
	r.own = base
	for _, n := range chain {
		r.Env = append(slices.Clip(base), env.Environ()...)
		res, err := n.Provider.Values(ctx, r)
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if err == nil {
			err = env.add(n, res)
		}
		if err != nil {
			return nil, failed(n, err)
		}
	}
	return env, nil
}

// failed adds the name of the provider to an error. Every failure counts as one of the environment
// and not of the request, so that a command that opens a workspace ends the same way for all of
// them. An error that is not a fault may hold anything, so its text is left out.
func failed(n Named, err error) error {
	var e *fault.Error
	if !errors.As(err, &e) {
		e = fault.New(fault.Internal, "failed in an unexpected way")
	}
	return fault.Unready("the provider %s (%s): %s", n.Name, n.Type, e.Message).WithParts(e.HintParts())
}

// Environment is the result of a chain.
type Environment struct {
	values map[string]envtext.Variable
	files  []File
	size   int
}

func (e *Environment) add(n Named, res Result) error {
	for _, v := range envtext.Sorted(res.Values) {
		if err := check(v); err != nil {
			return err
		}
		v.From = n.Name
		if old, ok := e.values[v.Name]; ok {
			v.Over = old.From + words.When(old.Over != "", ", "+old.Over)
			e.size -= len(old.Name) + len(old.Value)
		}
		e.values[v.Name] = v
		e.size += len(v.Name) + len(v.Value)
	}
	if len(e.values) > maxVariables || e.size > maxTotal {
		return fault.Bad("makes the environment larger than a process can be given: %s of %d KiB", words.Count(len(e.values), "variable", "variables"), e.size>>10).
			WithHint("at most %d variables and 1 MiB in all; options.keys selects some of them", maxVariables)
	}
	for _, f := range res.Files {
		if err := checkFile(f); err != nil {
			return err
		}
		if i := slices.IndexFunc(e.files, func(g File) bool { return g.Path == f.Path }); i >= 0 {
			e.files[i] = f
		} else {
			e.files = append(e.files, f)
		}
	}
	if len(e.files) > maxFiles {
		return fault.Bad("raises the number of files to %d", len(e.files)).WithHint("a workspace gets at most %d", maxFiles)
	}
	return nil
}

func check(v envtext.Variable) error {
	if err := envtext.Check(v); err != nil {
		return fault.Of(err).AndHint(fault.Parts("options.keys gives a field another name: NAME=field"))
	}
	if strings.HasPrefix(v.Name, reserved) {
		return fault.Bad("sets %s, and names that begin with %s are tasker's own", v.Name, reserved).
			WithHint("remove it, or name the variables that you want in options.keys")
	}
	if len(v.Name)+1+len(v.Value) > maxVariable {
		return fault.Bad("gives %s a value of %d KiB, more than a process can be given", v.Name, len(v.Value)>>10).WithHint("put it into a file")
	}
	return nil
}

// checkFile refuses a path that is not below the workspace or that belongs to git.
func checkFile(f File) error {
	first, _, _ := strings.Cut(f.Path, "/")
	if !filepath.IsLocal(f.Path) || path.Clean(f.Path) != f.Path || f.Path == "." || strings.EqualFold(first, ".git") {
		return fault.Bad("cannot put the file %s into the workspace", words.Quoted(f.Path)).WithHint("the file must be in the repository and not in .git")
	}
	return nil
}

// Variables returns the variables, sorted by name.
func (e *Environment) Variables() []envtext.Variable {
	return slices.SortedFunc(maps.Values(e.values), func(a, b envtext.Variable) int { return cmp.Compare(a.Name, b.Name) })
}

// Environ returns the variables in the form that a process takes, sorted by name.
func (e *Environment) Environ() []string {
	return words.Each(e.Variables(), func(v envtext.Variable) string { return v.Name + "=" + v.Value })
}

// Files returns the files for the workspace, in the order of the chain, each path once.
func (e *Environment) Files() []File { return e.files }
