package admin

import (
	"context"
	"path/filepath"
	"strings"

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

func newConfigInit(f *frame.Factory) *cobra.Command {
	return f.Command(frame.Spec{
		Use: "init", Short: "Write a minimal configuration file here", Args: frame.Between(0, 0),
		Example: []string{"tasker config init", "tasker config init --project demo --actor alice"},
		Long: "It holds the version and the project: that of --project, else one made from the directory's name. Only --actor\n" +
			"declares somebody, as a human; TASKER_ACTOR and your user name do not. tasker init declares you and says what else is here.",
	}, runConfigInit)
}

func runConfigInit(_ context.Context, f *frame.Factory, _ []string) error {
	m := configInitAnswer{File: filepath.Join(f.Process.Dir, config.FileName), Project: f.Flags.Project}
	if m.Project == "" {
		m.Project = slug.Suggest(slug.Lower(filepath.Base(f.Process.Dir)))
	}
	if err := task.CheckSlug(m.Project); err != nil {
		return err
	}
	if f.Flags.Actor != "" {
		name, _, err := task.ParseActor(strings.TrimSpace(f.Flags.Actor)) // as the file may name one
		if err != nil {
			return err
		}
		m.Actor = task.Opt(name)
	}
	if err := frame.CreateFile(m.File, config.Init(m.Project, string(m.Actor))); err != nil {
		return err
	}
	return f.Answer(m, func() {
		f.Say("Wrote %s for the project %s\n", m.File, m.Project)
		if m.Actor != "" {
			f.Say("It declares %s as a human, who may approve; agents act under other names\n", m.Actor)
		} else {
			f.Say("It declares nobody; a person is declared among its actors\n")
		}
	})
}
