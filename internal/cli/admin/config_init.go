package admin

import (
	"cmp"
	"context"
	"path/filepath"

	"github.com/spf13/cobra"

	"tasker/internal/cli/frame"
	"tasker/internal/config"
	"tasker/internal/slug"
	"tasker/internal/task"
)

// configInitAnswer is what config init answers.
type configInitAnswer struct {
	File    string   `json:"file"`
	Project string   `json:"project"`
	Actor   task.Opt `json:"actor"`
}

// configInitOptions are what the command line gives `tasker config init`.
type configInitOptions struct {
	nobody bool
}

func newConfigInit(f *frame.Factory) *cobra.Command {
	o := &configInitOptions{}
	cmd := f.Command(frame.Spec{
		Use: "init", Short: "Write a minimal configuration file here", Args: frame.Between(0, 0),
		Example: []string{"tasker config init", "tasker config init --project demo --actor alice"},
		Long: "The project is that of --project, else made from the directory's name. You (--actor, TASKER_ACTOR or your user\n" +
			"name) are declared as a human; --no-actor leaves that out.",
	}, o.run)
	cmd.Flags().BoolVar(&o.nobody, "no-actor", false, "declare nobody")
	return cmd
}

func (o *configInitOptions) run(_ context.Context, f *frame.Factory, _ []string) error {
	m := configInitAnswer{File: filepath.Join(f.Process.Dir, config.FileName), Project: f.Flags.Project}
	if m.Project == "" {
		m.Project = slug.Suggest(slug.Lower(filepath.Base(f.Process.Dir)))
	}
	if err := task.CheckSlug(m.Project); err != nil {
		return err
	}
	if !o.nobody {
		n := f.Named()
		m.Actor = task.Opt(cmp.Or(n.Actor, n.User))
	}
	if err := frame.CreateFile(m.File, config.Init(m.Project, string(m.Actor))); err != nil {
		return err
	}
	return f.Answer(m, func() {
		f.Say("Wrote %s for the project %s\n", m.File, m.Project)
		if m.Actor != "" {
			f.Say("It declares %s as a human, who may approve; agents act under other names\n", m.Actor)
		}
	})
}
