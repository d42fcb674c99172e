package cli

import (
	"context"

	"github.com/spf13/cobra"

	"tasker/internal/config"
	"tasker/internal/core"
	"tasker/internal/op"
)

// diagnosis is what doctor answers: the recount, and where the configuration file and the database would decide
// otherwise.
type diagnosis struct {
	core.DoctorOut
	Differences []config.Difference `json:"differences"`
}

func (f *factory) newDoctor() *cobra.Command {
	return f.command(spec{
		use: "doctor", short: op.Doctor.Summary, args: between(0, 0), example: []string{"tasker doctor", "tasker doctor -p demo --json"},
		long: "It only reads. It exits with 1 where something differs from its recount. It warns where the configuration file\nsays otherwise than what the database keeps for its project: a server, or a command elsewhere, decides by the latter.",
	}, func(ctx context.Context, f *factory, _ []string) error {
		if err := f.onlyHere("doctor"); err != nil {
			return err
		}
		out, err := call(ctx, f, op.Doctor, core.DoctorIn{Project: f.flags.project})
		if err != nil {
			return err
		}
		d := diagnosis{DoctorOut: out}
		if d.Differences, err = f.differences(ctx); err != nil {
			return err
		}
		if err := f.answer(d, func() { f.showDiagnosis(d) }); err != nil {
			return err
		}
		if !out.Healthy {
			return errFound
		}
		return nil
	})
}

// differences are those between the file and the db layer of the file's own project, where it has one at all.
func (f *factory) differences(ctx context.Context) ([]config.Difference, error) {
	loaded, err := f.configuration()
	if err != nil || loaded.FileProject() == "" {
		return nil, err
	}
	layer := f.dbLayer(ctx, loaded.FileProject())
	if layer == nil {
		return nil, nil
	}
	return loaded.Differences(layer)
}

func (f *factory) showDiagnosis(d diagnosis) {
	for _, x := range d.Findings {
		where := string(x.Task)
		if where == "" {
			where = string(x.Project)
		}
		f.out.Printf("%s: %s is kept as %s, and counts %s\n", where, x.What, x.Kept, x.Counted)
	}
	for _, x := range d.Differences {
		in := x.DB
		if in == "" {
			in = "nothing"
		}
		f.warn([]string{"the file says " + x.Key + " = " + x.File + ", and the database " + in})
	}
	if d.Healthy {
		f.say("All is well in %s\n", count(len(d.Checked), "project", "projects"))
	}
}
