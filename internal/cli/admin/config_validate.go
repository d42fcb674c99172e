package admin

import (
	"context"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"tasker/internal/cli/frame"
	"tasker/internal/config"
	"tasker/internal/config/format"
	"tasker/internal/text/words"
)

func newConfigValidate(f *frame.Factory) *cobra.Command {
	return f.Command(frame.Spec{
		Use: "validate [FILE]", Short: "Check a configuration file, or everything that applies here", Args: frame.Between(0, 1),
		Example:  []string{"tasker config validate", "tasker config validate .tasker.json"},
		Long:     "It exits with 0 if everything is valid, and with 2 if not. Warnings and notices do not change that.",
		Complete: cobra.FixedCompletions([]string{"json"}, cobra.ShellCompDirectiveFilterFileExt),
	}, runConfigValidate)
}

func runConfigValidate(ctx context.Context, f *frame.Factory, args []string) error {
	report, err := validate(f, args)
	if err != nil {
		return err
	}
	report.Warnings = append(report.Warnings, committed(ctx, f, args...)...)
	if report.Valid {
		report.Warnings = append(report.Warnings, disputed(ctx, f, args)...)
	}
	return f.Answered(report.Err(), report, func() {
		f.TellOnce(report.Notices)
		f.Warn(words.Each(report.Warnings, config.Warning.String))
		f.Say("%s\n", words.Either(report.File == "", "There is no configuration file here, and none is needed", report.File+" is valid"))
	})
}

// validate checks the named file or, without one, every file used here, the environment and the flags.
func validate(f *frame.Factory, args []string) (*config.Report, error) {
	if len(args) > 0 {
		report, err := config.Validate(f.ConfigOptions(), args[0])
		if err == nil {
			report.CheckProviders(nil, f.Wiring.CheckProvider)
		}
		return report, err
	}
	seen, err := config.Paths(f.ConfigOptions())
	if err != nil {
		return nil, err
	}
	all := &config.Report{Valid: true, Faults: []format.Fault{}, Warnings: []config.Warning{}, Notices: []string{}}
	for _, c := range seen {
		if !c.Used {
			continue
		}
		r, err := config.Validate(f.ConfigOptions(), c.Path)
		if err != nil {
			return nil, err
		}
		if all.File == "" {
			all.File = r.File
		}
		all.Valid = all.Valid && r.Valid
		all.Faults = append(all.Faults, r.Faults...)
		for _, w := range r.Warnings { // a layer's warnings repeat with every file that it is merged with
			if !slices.Contains(all.Warnings, w) {
				all.Warnings = append(all.Warnings, w)
			}
		}
		all.Notices = append(all.Notices, r.Notices...)
	}
	if all.Valid { // the environment and the flags too
		loaded, err := config.Load(f.ConfigOptions())
		if err != nil {
			return nil, err
		}
		e, err := loaded.For(loaded.Project(), nil)
		if err != nil {
			return nil, err
		}
		all.CheckProviders(e, f.Wiring.CheckProvider) // with all layers merged: one may complete what another begins
	}
	return all, nil
}

// disputed warns of settings in the checked files that the project's record does not let count. Only a command that opens
// the database knows the record.
func disputed(ctx context.Context, f *frame.Factory, args []string) []config.Warning {
	loaded, err := f.Configuration()
	if err != nil || f.ServerURL() != "" || len(args) > 0 && f.Path(args[0]) != loaded.File && f.Path(args[0]) != loaded.Local {
		return nil
	}
	_, warnings, _ := f.Disputed(ctx)
	return warnings
}

// committed warns about local files that git tracks, either the named ones or the ones used here. A machine's own layer
// must not reach other machines.
func committed(ctx context.Context, f *frame.Factory, named ...string) []config.Warning {
	var out []config.Warning
	if len(named) == 0 {
		seen, err := config.Paths(f.ConfigOptions())
		if err != nil {
			return nil
		}
		for _, c := range seen {
			if c.Used {
				named = append(named, c.Path)
			}
		}
	}
	for _, path := range named {
		if filepath.Base(path) != config.LocalName {
			continue
		}
		path = f.Path(path)
		repo, err := f.Wiring.Repository(ctx, filepath.Dir(path))
		if repo == nil || err != nil {
			continue // without git nothing is committed
		}
		if tracked, err := repo.Tracked(ctx, path); err == nil && tracked {
			out = append(out, config.Warning{File: path, Line: 1, Path: config.LocalName,
				Message: "git tracks it, but it is meant for this machine only: git rm --cached " + config.LocalName + ", and ignore it"})
		}
	}
	return out
}
