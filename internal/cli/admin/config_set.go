package admin

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/spf13/cobra"

	"tasker/internal/admin"
	"tasker/internal/cli/frame"
	"tasker/internal/config"
	"tasker/internal/config/format"
	"tasker/internal/fault"
	"tasker/internal/hint"
	"tasker/internal/op"
	"tasker/internal/strict"
	"tasker/internal/text/words"
)

// configSetOptions holds the options of `tasker config set` and `tasker config unset`.
type configSetOptions struct {
	local bool
}

// configSet is the answer of both: the key in the file before and after, as JSON; null where it is not set.
type configSet struct {
	File     string         `json:"file"`
	Key      string         `json:"key"`
	From     jsontext.Value `json:"from"`
	To       jsontext.Value `json:"to"`
	Written  bool           `json:"written"` // false: it was so already
	Warnings []string       `json:"warnings"`
}

func newConfigSet(f *frame.Factory) *cobra.Command {
	o := &configSetOptions{}
	return f.Command(frame.Spec{
		Use: "set KEY VALUE", Short: "Set a key in the configuration file", Args: frame.Exactly("a KEY", "a VALUE"),
		Example: []string{
			"tasker config set workspace.strategy worktree", `tasker config set gates.tested '["$ go test ./..."]'`,
			"tasker config set agentDefaults.actor alice --local   # on this machine alone",
		},
		Long: "It writes the nearest .tasker.json, and leaves its order and indentation as they are. VALUE is read as JSON if it is\n" +
			"JSON of the key's type, else as text. The result is checked first; if it is not valid, nothing is written. Where a\n" +
			"human is declared, an agent may set only what tasker project set allows. The workspace of a task has the file of its\n" +
			"branch, so the command is declined there: set the key in the main checkout.",
		Flags:    []frame.Flag{o.flag()},
		Complete: frame.InTurn(keys()),
	}, func(ctx context.Context, f *frame.Factory, args []string) error {
		return o.change(ctx, f, args[0], func(layer strict.Layer, file string, text []byte) (config.FileChange, error) {
			return config.SetFile(layer, file, text, args[0], args[1])
		})
	})
}

func newConfigUnset(f *frame.Factory) *cobra.Command {
	o := &configSetOptions{}
	return f.Command(frame.Spec{
		Use: "unset KEY", Short: "Remove a key from the configuration file", Args: frame.Exactly("a KEY"),
		Example:  []string{"tasker config unset workspace.strategy", "tasker config unset agentDefaults.actor --local"},
		Long:     "The rules of tasker config set apply here. An object that becomes empty is removed too.",
		Flags:    []frame.Flag{o.flag()},
		Complete: frame.InTurn(keys()),
	}, func(ctx context.Context, f *frame.Factory, args []string) error {
		return o.change(ctx, f, args[0], func(layer strict.Layer, file string, text []byte) (config.FileChange, error) {
			return config.UnsetFile(layer, file, text, args[0])
		})
	})
}

func (o *configSetOptions) flag() frame.Flag {
	return frame.Bool(&o.local, "local", "in "+config.LocalName+", which counts on this machine alone")
}

// keys offers the keys of the configuration.
func keys() cobra.CompletionFunc { return frame.Offering(format.Keys()) }

// change changes a key in the file that counts here: it decides, checks the result, and replaces the file at once.
func (o *configSetOptions) change(ctx context.Context, f *frame.Factory, key string,
	edit func(layer strict.Layer, file string, text []byte) (config.FileChange, error)) error {
	loaded, err := f.Configuration()
	if err != nil {
		return err
	}
	if loaded.File == "" {
		return fault.Missing("there is no configuration file here").WithHint("create one: %s", hint.Command("config init"))
	}
	file, layer := loaded.File, format.FileLayer
	if o.local {
		layer = format.LocalLayer
		file = cmp.Or(loaded.Local, filepath.Join(filepath.Dir(loaded.File), config.LocalName))
	}
	if err := notInWorkspace(ctx, f, file); err != nil {
		return err
	}
	text, fresh, err := fileOrNew(f, file, loaded.Local)
	if err != nil {
		return err
	}
	c, err := edit(layer, file, text)
	if err != nil {
		return err
	}
	out := configSet{File: file, Key: key, From: c.From, To: c.To, Written: string(c.Out) != string(text), Warnings: []string{}}
	if out.Written {
		if err := o.write(ctx, f, loaded.FileProject(), file, fresh, c); err != nil {
			return err
		}
	}
	out.Warnings = append(out.Warnings, overruled(f, key, layer, c.To)...)
	if fresh && out.Written {
		out.Warnings = append(out.Warnings, notIgnored(file)...)
	}
	f.Warn(out.Warnings)
	return f.Answer(out, func() {
		switch {
		case !out.Written && c.To == nil:
			f.Say("%s does not set %s\n", file, key)
		case !out.Written:
			f.Say("%s says so already: %s is %s\n", file, key, string(c.To))
		case c.To == nil:
			f.Say("%s is no longer set in %s (it was %s)\n", key, file, string(c.From))
		case c.From == nil:
			f.Say("%s is %s, in %s\n", key, string(c.To), file)
		default:
			f.Say("%s is %s (it was %s), in %s\n", key, string(c.To), string(c.From), file)
		}
	})
}

// write checks who changes the file and what becomes of it, and then replaces it.
func (o *configSetOptions) write(ctx context.Context, f *frame.Factory, project, file string, fresh bool, c config.FileChange) error {
	actx, s, err := f.Acting(ctx) // the file is here, even if a server has the database
	if err != nil {
		return err
	}
	if _, err := op.Configure.Do(actx, s.Caller, admin.ConfigureIn{Slug: project, Was: c.Was, Is: c.Is}); err != nil {
		return err
	}
	if err := config.CheckFile(f.ConfigOptions(), file, c.Out); err != nil {
		return fault.Of(err).AndHint(fault.Parts("nothing was written"))
	}
	if fresh {
		return frame.CreateFile(file, c.Out)
	}
	return frame.ReplaceFile(file, c.Out)
}

// fileOrNew returns the text of a file, or the beginning of a local file if there is none yet.
func fileOrNew(f *frame.Factory, file, local string) (text []byte, fresh bool, err error) {
	if local == "" && filepath.Base(file) == config.LocalName {
		return []byte("{\n  \"version\": 1\n}\n"), true, nil
	}
	if text, err = f.Wiring.Files.ReadFile(file); err != nil {
		return nil, false, fault.Bad("%s cannot be read: %v", file, err).WithCause(err)
	}
	return text, false, nil
}

// notInWorkspace declines to change a file in the work tree that was made for a task: it is the file of a branch, and no
// other work tree would see the change before that branch is merged.
func notInWorkspace(ctx context.Context, f *frame.Factory, file string) error {
	dir := frame.Resolved(filepath.Dir(file))
	main := config.MainCheckout(f.Wiring.Files, dir)
	if main == "" { // no linked work tree
		return nil
	}
	tasks := []string{f.Env("TASKER_TASK")}
	if path := f.Env("TASKER_WORKSPACE"); path == "" || tasks[0] == "" || !frame.Below(dir, path) {
		var err error
		if tasks, err = frame.WorkedOnIn(ctx, f, dir); len(tasks) == 0 {
			return err
		}
	}
	there := filepath.Join(main, filepath.Base(file))
	return fault.Decline("%s is in the workspace of %s, on its branch", file, tasks[0]).
		WithHint("set it in %s: run the same command in %s", there, main)
}

// overruled warns if a higher layer sets the key, so that what was written does not count here.
func overruled(f *frame.Factory, key string, layer strict.Layer, to jsontext.Value) []string {
	loaded, err := config.Load(f.ConfigOptions())
	if err != nil || to == nil {
		return nil
	}
	eff, err := loaded.For(loaded.Project(), nil)
	if err != nil {
		return nil
	}
	x, err := eff.Explain(key)
	if err != nil || x.Layer == layer || x.Value.Kind() == '{' {
		return nil
	}
	return []string{fmt.Sprintf("%s is %s here all the same, set by %s", key, x.Value, originWords(x.Origin))}
}

// notIgnored warns of a new local file that git does not ignore, as far as the file .gitignore next to it says.
func notIgnored(file string) []string {
	dir := filepath.Dir(file)
	if _, err := os.Lstat(filepath.Join(dir, ".git")); err != nil {
		return nil
	}
	src, _ := frame.ReadSmall(filepath.Join(dir, ".gitignore"))
	for line := range strings.Lines(string(src)) {
		if strings.TrimPrefix(strings.TrimSpace(line), "/") == config.LocalName {
			return nil
		}
	}
	return []string{"git does not ignore " + words.Quoted(config.LocalName) + ", which is meant for this machine only: add it to .gitignore"}
}
