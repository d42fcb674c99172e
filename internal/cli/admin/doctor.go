package admin

import (
	"context"

	"github.com/spf13/cobra"

	"tasker/internal/cli/frame"
	"tasker/internal/config"
	"tasker/internal/core/admin"
	"tasker/internal/op"
	"tasker/internal/plan"
	"tasker/internal/words"
)

// diagnosis is what doctor answers: the recount, and where the configuration file and the database would decide
// otherwise.
type diagnosis struct {
	admin.DoctorOut
	Differences []config.Difference `json:"differences"`
	Warnings    []config.Warning    `json:"warnings"`
}

// NewDoctor returns the command `tasker doctor`.
func NewDoctor(f *frame.Factory) *cobra.Command {
	return f.Command(frame.Spec{
		Use: "doctor", Short: op.Doctor.Summary, Args: frame.Between(0, 0), Example: []string{"tasker doctor", "tasker doctor -p demo --json"},
		Long: "It only reads. It exits with 1 where something differs from its recount. It warns where the configuration file\n" +
			"says otherwise than what the database keeps for its project: a server, or a command elsewhere, decides by the latter.",
	}, runDoctor)
}

func runDoctor(ctx context.Context, f *frame.Factory, _ []string) error {
	if err := onlyHere(f, "doctor"); err != nil {
		return err
	}
	out, err := frame.Call(ctx, f, op.Doctor, admin.DoctorIn{Project: f.Flags.Project})
	if err != nil {
		return err
	}
	d := diagnosis{DoctorOut: out}
	if d.Differences, err = differences(ctx, f); err != nil {
		return err
	}
	d.Warnings = committed(ctx, f)
	eff, err := effective(ctx, f)
	if err != nil {
		return err
	}
	for _, w := range eff.Orphans() {
		f.Warn([]string{w.String()})
	}
	if err := f.Answer(d, func() { showDiagnosis(f, d) }); err != nil {
		return err
	}
	if !out.Healthy {
		return frame.ErrFound
	}
	return nil
}

// differences returns where the configuration file and the settings in the database differ, for the project that the
// file names.
func differences(ctx context.Context, f *frame.Factory) ([]config.Difference, error) {
	loaded, err := f.Configuration()
	if err != nil || loaded.FileProject() == "" {
		return nil, err
	}
	stored, found := storedLayer(ctx, f, loaded.FileProject())
	if !found {
		return nil, nil
	}
	return loaded.Differences(stored)
}

func showDiagnosis(f *frame.Factory, d diagnosis) {
	for _, x := range d.Findings {
		where := string(x.Task)
		if where == "" {
			where = string(x.Project)
		}
		f.Out.Printf("%s: %s is kept as %s, and counts %s\n", where, x.What, x.Stored, x.Counted)
	}
	for _, x := range d.Circles {
		names := make([]string, len(x.Circle))
		for i, id := range x.Circle {
			names[i] = string(id)
		}
		f.Out.Printf("%s\n", plan.CircleWords(names))
	}
	for _, x := range d.Differences {
		in := x.DB
		if in == "" {
			in = "nothing"
		}
		f.Warn([]string{"the file says " + x.Key + " = " + x.File + ", and the database " + in})
	}
	for _, w := range d.Warnings {
		f.Warn([]string{w.String()})
	}
	if d.Healthy {
		f.Say("All is well in %s\n", words.Count(len(d.Checked), "project", "projects"))
	}
}
