package cli

import (
	"bytes"
	"context"
	"path/filepath"

	"github.com/spf13/cobra"

	"tasker/internal/config"
	"tasker/internal/core"
	"tasker/internal/fault"
	"tasker/internal/op"
)

func (f *factory) newConfig() *cobra.Command {
	cmd := f.group("config", "See, check and explain the configuration", "tasker config show", "tasker config explain agentDefaults.lease", "tasker config validate")
	cmd.AddCommand(
		f.newConfigShow(), f.newConfigValidate(), f.newConfigExplain(), f.newConfigInit(), f.newConfigMigrate(), f.newConfigPath(), f.newConfigSchema(),
	)
	return cmd
}

// effective is what counts for the project that is meant, with what the database keeps for it.
func (f *factory) effective(ctx context.Context) (*config.Effective, error) {
	loaded, err := f.configuration()
	if err != nil {
		return nil, err
	}
	return loaded.For(loaded.Project(), f.dbLayer(ctx, loaded.Project()))
}

// dbLayer is what the database keeps for a project. A database that cannot be asked does not keep anybody from
// seeing the rest: a warning says what is left out.
func (f *factory) dbLayer(ctx context.Context, slug string) []byte {
	switch {
	case slug == "" || f.noDatabase():
		return nil
	case f.serverURL() != "":
		f.warn([]string{"the db layer is left out: it is known where the database is, and not through a server"})
		return nil
	}
	out, err := call(ctx, f, op.ProjectSettings, core.ProjectIn{Slug: slug})
	if fault.Is(err, fault.NotFound) {
		return nil
	}
	var layer []byte
	if err == nil {
		layer, err = f.json(out.Settings)
	}
	if err != nil {
		f.warn([]string{"the db layer is left out: " + fault.Of(err).Message})
		return nil
	}
	return layer
}

func (f *factory) newConfigShow() *cobra.Command {
	var commands bool
	cmd := f.command(spec{
		use: "show", short: "Show the merged configuration, and which layer sets each value", args: between(0, 0),
		example: []string{"tasker config show", "tasker config show --json", "tasker config show --commands   # everything that it can run"},
	}, func(ctx context.Context, f *factory, _ []string) error {
		warnings := f.serverWarnings(ctx)
		f.warn(warnings)
		eff, err := f.effective(ctx)
		if err != nil {
			return err
		}
		if commands {
			all := config.Commands(eff)
			return f.answer(all, func() {
				for _, c := range all {
					f.out.Printf("%s: %s  (%s)\n", c.Key, c.Command, originWords(c.Origin))
				}
				if len(all) == 0 {
					f.say("The configuration runs no commands\n")
				}
			})
		}
		return f.answer(shown{eff.Show(), warnings}, func() {
			var rows [][]span
			for _, v := range eff.Values() {
				rows = append(rows, []span{{text: v.Key}, {text: string(v.Value)}, {originWords(v.Origin), faint}})
			}
			f.out.table([]column{{head: "KEY"}, {head: "VALUE", flex: true}, {head: "SET BY"}}, rows)
		})
	})
	cmd.Flags().BoolVar(&commands, "commands", false, "list every command that the configuration can run, and the line that asks for it")
	return cmd
}

// shown is what `config show --json` prints: the configuration, and what the server that is meant says of its own.
type shown struct {
	config.Shown
	Warnings []string `json:"warnings"`
}

// serverWarnings is what the server that commands go through says of itself: it may run under the last good
// configuration while the files that are shown here are faulty.
func (f *factory) serverWarnings(ctx context.Context) []string {
	out := []string{}
	if f.serverURL() == "" {
		return out
	}
	c, err := f.w.Dial(Dialling{URL: f.serverURL()})
	if err == nil {
		if c, ok := c.(interface {
			Ready(context.Context) ([]string, error)
		}); ok {
			var said []string
			said, err = c.Ready(ctx)
			for _, w := range said {
				out = append(out, "the server at "+f.serverURL()+" says: "+w)
			}
		}
	}
	if err != nil {
		out = append(out, "the server cannot be asked about its configuration: "+fault.Of(err).Message)
	}
	return out
}

func originWords(o config.Origin) string {
	if o.File == nil {
		return string(o.Layer)
	}
	where := string(o.Layer) + " " + *o.File
	if o.Line != nil {
		where += txt(":%d", *o.Line).text
	}
	return where
}

func (f *factory) newConfigExplain() *cobra.Command {
	cmd := f.command(spec{
		use: "explain KEY", short: "Explain a value: which layer set it, and what it overrode", args: exactly("a KEY"),
		example: []string{"tasker config explain agentDefaults.lease"},
	}, func(ctx context.Context, f *factory, args []string) error {
		eff, err := f.effective(ctx)
		if err != nil {
			return err
		}
		x, err := eff.Explain(args[0])
		if err != nil {
			return err
		}
		return f.answer(x, func() {
			f.out.Printf("%s = %s\nset by %s\n", x.Key, string(x.Value), originWords(x.Origin))
			for _, o := range x.Overrode {
				f.out.Printf("over %s in %s\n", string(o.Value), originWords(config.Origin{Layer: o.Layer, File: o.File}))
			}
		})
	})
	cmd.ValidArgsFunction = func(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
		if len(args) > 0 {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		return config.Keys(), cobra.ShellCompDirectiveNoFileComp
	}
	return cmd
}

func (f *factory) newConfigPath() *cobra.Command {
	return f.command(spec{use: "path", short: "List the files that are considered, in order", args: between(0, 0), example: []string{"tasker config path"}},
		func(_ context.Context, f *factory, _ []string) error {
			all, err := config.Paths(f.options())
			if err != nil {
				return err
			}
			return f.answer(all, func() {
				for _, c := range all {
					switch {
					case c.Used:
						f.out.Printf("%s  (%s, used)\n", c.Path, string(c.Layer))
					case c.Exists:
						f.out.Printf("%s  (%s, not used)\n", c.Path, string(c.Layer))
					default:
						f.out.Printf("%s  (%s, not there)\n", c.Path, string(c.Layer))
					}
				}
			})
		})
}

func (f *factory) newConfigSchema() *cobra.Command {
	return f.command(spec{use: "schema", short: "Print the JSON Schema of the configuration file", args: between(0, 0), example: []string{"tasker config schema > tasker.schema.json"}},
		func(_ context.Context, f *factory, _ []string) error {
			f.out.Document(bytes.TrimRight(config.Schema(), "\n"))
			return nil
		})
}

func (f *factory) newConfigValidate() *cobra.Command {
	cmd := f.command(spec{
		use: "validate [FILE]", short: "Check a configuration file, or all that counts here", args: between(0, 1),
		example: []string{"tasker config validate", "tasker config validate .tasker.json"},
		long:    "It exits with 0 where all is valid and with 2 where not. Warnings and notices do not change that.",
	}, func(_ context.Context, f *factory, args []string) error {
		report, err := f.validate(args)
		if err != nil {
			return err
		}
		if err := report.Err(); err != nil {
			return err
		}
		return f.answer(report, func() {
			for _, n := range report.Notices {
				f.err.Printf("%s\n", n)
			}
			for _, w := range report.Warnings {
				f.warn([]string{w.String()})
			}
			switch {
			case report.File == "":
				f.say("There is no configuration file here, and none is needed\n")
			default:
				f.say("%s is valid\n", report.File)
			}
		})
	})
	cmd.ValidArgsFunction = cobra.FixedCompletions([]string{"json"}, cobra.ShellCompDirectiveFilterFileExt)
	return cmd
}

// validate checks the named file, or every file that counts here together with the environment.
func (f *factory) validate(args []string) (*config.Report, error) {
	if len(args) > 0 {
		return config.Validate(f.options(), args[0])
	}
	seen, err := config.Paths(f.options())
	if err != nil {
		return nil, err
	}
	all := &config.Report{Valid: true, Faults: []config.Fault{}, Warnings: []config.Warning{}, Notices: []string{}}
	for _, c := range seen {
		if !c.Used {
			continue
		}
		r, err := config.Validate(f.options(), c.Path)
		if err != nil {
			return nil, err
		}
		if all.File == "" {
			all.File = r.File
		}
		all.Valid = all.Valid && r.Valid
		all.Faults = append(all.Faults, r.Faults...)
		all.Warnings = append(all.Warnings, r.Warnings...)
		all.Notices = append(all.Notices, r.Notices...)
	}
	if all.Valid { // the environment and the flags too
		if _, err := config.Load(f.options()); err != nil {
			return nil, err
		}
	}
	return all, nil
}

func (f *factory) newConfigInit() *cobra.Command {
	type made struct {
		File    string `json:"file"`
		Project string `json:"project"`
		Actor   string `json:"actor"`
	}
	var nobody bool
	cmd := f.command(spec{
		use: "init", short: "Write a minimal configuration file here", args: between(0, 0),
		example: []string{"tasker config init", "tasker config init --project demo --actor alice"},
		long:    "The project is that of --project, else made from the directory's name. You (--actor, TASKER_ACTOR or your user\nname) are declared as a human; --no-actor leaves that out.",
	}, func(_ context.Context, f *factory, _ []string) error {
		m := made{File: filepath.Join(f.p.Dir, config.FileName), Project: f.flags.project}
		if m.Project == "" {
			m.Project = config.SlugOf(filepath.Base(f.p.Dir))
		}
		if !config.ValidSlug(m.Project) {
			return fault.Bad("%q cannot name a project", m.Project).WithHint("lower case letters, digits and hyphens, such as %s", config.SlugOf(m.Project))
		}
		if !nobody {
			n := f.named()
			if m.Actor = n.Actor; m.Actor == "" {
				m.Actor = n.User
			}
		}
		if err := createFile(m.File, config.Init(m.Project, m.Actor)); err != nil {
			return err
		}
		return f.answer(m, func() {
			f.say("Wrote %s for the project %s\n", m.File, m.Project)
			if m.Actor != "" {
				f.say("It declares %s as a human, who may approve; agents act under other names\n", m.Actor)
			}
		})
	})
	cmd.Flags().BoolVar(&nobody, "no-actor", false, "declare nobody")
	return cmd
}

func (f *factory) newConfigMigrate() *cobra.Command {
	type migrated struct {
		File    string `json:"file"`
		Written bool   `json:"written"`
		*config.Migration
	}
	var write bool
	cmd := f.command(spec{
		use: "migrate", short: "Bring a configuration file without a version to version 1", args: between(0, 0),
		example: []string{"tasker config migrate", "tasker config migrate --write"},
		long:    "It shows the difference; --write applies it. Order and formatting of the file stay.",
	}, func(_ context.Context, f *factory, _ []string) error {
		seen, err := config.Paths(f.options())
		if err != nil {
			return err
		}
		file := ""
		for _, c := range seen {
			if c.Used && c.Layer == config.FileLayer {
				file = c.Path
			}
		}
		if file == "" {
			return fault.Missing("there is no configuration file here").WithHint("make one: tasker config init")
		}
		text, err := f.w.Files.ReadFile(file)
		if err != nil {
			return fault.Bad("%s cannot be read: %v", file, err).WithCause(err)
		}
		m, err := config.Migrate(file, text)
		if err != nil {
			return err
		}
		if write && m.Diff != "" {
			if err := replaceFile(file, m.Out); err != nil {
				return err
			}
		}
		return f.answer(migrated{file, write && m.Diff != "", m}, func() {
			switch {
			case m.Diff == "":
				f.say("%s is of version 1 already\n", file)
			case write:
				f.out.Block("", m.Diff)
				f.say("Wrote %s\n", file)
			default:
				f.out.Block("", m.Diff)
				f.say("Nothing is written yet: tasker config migrate --write\n")
			}
		})
	})
	cmd.Flags().BoolVar(&write, "write", false, "write the file")
	return cmd
}
