package admin

import (
	"bytes"
	"cmp"
	"context"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"tasker/internal/cli/frame"
	"tasker/internal/config"
	"tasker/internal/config/format"
	"tasker/internal/fault"
	"tasker/internal/hint"
	"tasker/internal/task"
	"tasker/internal/text/words"
)

// NewConfig returns the command `tasker config`.
func NewConfig(f *frame.Factory) *cobra.Command {
	return f.Group(frame.Spec{
		Use: "config", Short: "See, change, check and explain the configuration",
		Example: []string{"tasker config show", "tasker config set workspace.strategy worktree", "tasker config explain agentDefaults.lease"},
		Commands: []*cobra.Command{
			newConfigShow(f), newConfigValidate(f), newConfigExplain(f), newConfigSet(f), newConfigUnset(f), newConfigInit(f), newConfigMigrate(f), newConfigPath(f), newConfigSchema(f),
		},
	})
}

// configInitAnswer is the answer of config init.
type configInitAnswer struct {
	File    string   `json:"file"`
	Project string   `json:"project"`
	Actor   task.Opt `json:"actor"`
}

func newConfigInit(f *frame.Factory) *cobra.Command {
	return f.Command(frame.Spec{
		Use: "init", Short: "Write a minimal configuration file here", Args: frame.Between(0, 0),
		Example: []string{"tasker config init", "tasker config init --project demo --actor alice"},
		Long: "It holds the version and the project: that of --project, else one made from the directory's name. Only --actor\n" +
			"declares somebody, as a human; TASKER_ACTOR and your user name do not. tasker init declares you and says what else is here.",
	}, runConfigInit)
}

func runConfigInit(_ context.Context, f *frame.Factory, _ []string) error {
	m := configInitAnswer{
		File:    filepath.Join(f.Process.Dir, config.FileName),
		Project: cmp.Or(f.Flags.Project, task.SuggestSlug(task.LowerSlug(filepath.Base(f.Process.Dir)))),
	}
	if err := task.CheckSlug(m.Project); err != nil {
		return err
	}
	if f.Flags.Actor != "" {
		name, _, err := task.ParseCaller(strings.TrimSpace(f.Flags.Actor)) // because the file may name an actor
		if err != nil {
			return err
		}
		m.Actor = task.Opt(name)
	}
	err := frame.CreateFile(m.File, config.Init(m.Project, string(m.Actor), ""))
	return f.Answered(err, m, func() {
		f.Say("Wrote %s for the project %s\n", m.File, m.Project)
		f.Say("It declares %s\n", words.Either(m.Actor == "", "nobody; a person is declared among its actors",
			string(m.Actor)+" as a human, who may approve; agents act under other names"))
	})
}

func newConfigPath(f *frame.Factory) *cobra.Command {
	return f.Command(frame.Spec{
		Use: "path", Short: "List the files that are considered, in order", Args: frame.Between(0, 0),
		Example: []string{"tasker config path"},
	}, runConfigPath)
}

func runConfigPath(_ context.Context, f *frame.Factory, _ []string) error {
	all, err := config.Paths(f.ConfigOptions())
	return f.Answered(err, all, func() {
		for _, c := range all {
			f.Out.Printf("%s  (%s, %s)\n", c.Path, string(c.Layer), words.Either(c.Used, "used", words.Either(c.Exists, "not used", "not there")))
		}
	})
}

func newConfigSchema(f *frame.Factory) *cobra.Command {
	return f.Command(frame.Spec{
		Use: "schema", Short: "Print the JSON Schema of the configuration file", Args: frame.Between(0, 0),
		Example: []string{"tasker config schema > tasker.schema.json"},
	}, runConfigSchema)
}

func runConfigSchema(_ context.Context, f *frame.Factory, _ []string) error {
	return f.Document(bytes.TrimRight(format.Schema(), "\n"))
}

func newConfigExplain(f *frame.Factory) *cobra.Command {
	return f.Command(frame.Spec{
		Use: "explain KEY", Short: "Explain a value: which layer set it, and what it overrode", Args: frame.Exactly("a KEY"),
		Example:  []string{"tasker config explain agentDefaults.lease"},
		Complete: frame.InTurn(keys()),
	}, runConfigExplain)
}

func runConfigExplain(ctx context.Context, f *frame.Factory, args []string) error {
	eff, disputed, err := f.Disputed(ctx)
	if err != nil {
		return err
	}
	x, err := eff.Explain(args[0])
	if err != nil {
		return err
	}
	warnings := []string{}
	for _, w := range disputed {
		if within(w.Path, x.Key) || within(x.Key, w.Path) {
			warnings = append(warnings, w.String())
		}
	}
	f.Warn(warnings)
	return f.Answer(explained{x, warnings}, func() {
		f.Out.Printf("%s = %s\nset by %s\n", x.Key, string(x.Value), originWords(x.Origin))
		for _, o := range x.Overrode {
			f.Out.Printf("over %s in %s\n", string(o.Value), originWords(config.Origin{Layer: o.Layer, File: o.File}))
		}
	})
}

// explained is the answer of config explain: where a value comes from, and whether the project's record lets it count.
type explained struct {
	*config.Explanation
	Warnings []string `json:"warnings"`
}

// within reports whether a key is another one, or below it.
func within(key, top string) bool {
	rest, ok := strings.CutPrefix(key, top)
	return ok && (rest == "" || rest[0] == '.' || rest[0] == '[')
}

// configMigration is the answer of config migrate.
type configMigration struct {
	File    string `json:"file"`
	Written bool   `json:"written"`
	*config.Migration
}

// configMigrateOptions holds the options of `tasker config migrate`.
type configMigrateOptions struct {
	write bool
}

func newConfigMigrate(f *frame.Factory) *cobra.Command {
	o := &configMigrateOptions{}
	return f.Command(frame.Spec{
		Use: "migrate", Short: "Bring a configuration file without a version to version 1", Args: frame.Between(0, 0),
		Example: []string{"tasker config migrate", "tasker config migrate --write"},
		Long:    "It shows the difference; --write applies it. Order and formatting of the file stay.",
		Flags: []frame.Flag{
			frame.Bool(&o.write, "write", "write the file"),
		},
	}, o.run)
}

func (o *configMigrateOptions) run(_ context.Context, f *frame.Factory, _ []string) error {
	seen, err := config.Paths(f.ConfigOptions())
	if err != nil {
		return err
	}
	used := slices.IndexFunc(seen, func(c config.Candidate) bool { return c.Used && c.Layer == format.FileLayer })
	if used < 0 {
		return fault.Missing("there is no configuration file here").WithHint("create one: %s", hint.Command("config init"))
	}
	file := seen[used].Path
	text, err := f.Wiring.Files.ReadFile(file)
	if err != nil {
		return fault.Bad("%s cannot be read: %v", file, err).WithCause(err)
	}
	m, err := config.Migrate(file, text)
	if err != nil {
		return err
	}
	if o.write && m.Diff != "" {
		if err := frame.ReplaceFile(file, m.Out); err != nil {
			return err
		}
	}
	return f.Answer(configMigration{file, o.write && m.Diff != "", m}, func() {
		switch {
		case m.Diff == "":
			f.Say("%s is already version 1\n", file)
		case o.write:
			f.Out.Block("", m.Diff)
			f.Say("Wrote %s\n", file)
		default:
			f.Out.Block("", m.Diff)
			f.Say("Nothing is written yet: %s\n", f.AsCommand(hint.Command("config migrate --write")))
		}
	})
}
