package admin

import (
	"cmp"
	"context"
	"fmt"
	"net"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"tasker/internal/admin"
	"tasker/internal/cli/frame"
	"tasker/internal/config"
	"tasker/internal/core"
	"tasker/internal/fault"
	"tasker/internal/hint"
	"tasker/internal/op"
	"tasker/internal/task"
	"tasker/internal/task/query"
	"tasker/internal/text/words"
)

// The checks of what lies outside the database. All but the one of the record report warnings only.
const (
	checkConfiguration = "configuration" // the file and the database would decide differently
	checkRecord        = "record"        // a file here loosens what the project's record, which declares a human, asks of agents
	checkLocalFile     = "local file"    // a local file that git tracks
	checkApprovals     = "approvals"     // approvals that nobody can grant
	checkServer        = "server"        // a server that runs another version
)

// doctorOptions holds the options of `tasker doctor`.
type doctorOptions struct {
	fix, yes bool
}

// NewDoctor returns the command `tasker doctor`.
func NewDoctor(f *frame.Factory) *cobra.Command {
	o := &doctorOptions{}
	return f.Command(frame.Spec{
		Use: "doctor", Here: "doctor", Short: op.Doctor.Op.Summary, Args: frame.Between(0, 0),
		Example: []string{"tasker doctor", "tasker doctor -p demo --json", "tasker doctor --fix"},
		Long: "It only reads, and exits with 1 if something differs from its recount, or is wrong with the database itself: damage, no\n" +
			"right to write, a clock more than five minutes behind the log, a file that was copied while a server had it open, a full\n" +
			"disk. It warns if the configuration file differs from what the database keeps for its project (a server, or a command\n" +
			"elsewhere, uses the latter), and if the server at TASKER_SERVE_PORT runs another version. It exits with 1 too if a file\n" +
			"here loosens a rule that the record of a project with a declared human keeps for agents.\n\n" +
			"With --fix it says what it is going to repair, asks if there is a terminal, and writes what it has counted:\n" +
			"counters, marks and totals, the orders of selection, and the text index. It also removes what belongs to tasks that\n" +
			"do not exist, which no command shows. It writes in short transactions, each with an event that lists what was wrong,\n" +
			"so that others can keep working, and then checks again what they have changed meanwhile. It does not touch the\n" +
			"records themselves: only people change what they say. It exits with 0 if all is well afterwards.",
		Flags: []frame.Flag{
			frame.Bool(&o.fix, "fix", "write what the recount finds, where it differs from what is stored"),
			frame.Bool(&o.yes, "yes", "do not ask before --fix writes"),
		},
	}, o.run)
}

func (o *doctorOptions) run(ctx context.Context, f *frame.Factory, _ []string) error {
	out, err := frame.Call(ctx, f, op.Doctor, admin.DoctorIn{Project: f.Flags.Project})
	if err == nil && o.fix && o.announce(f, out) {
		out, err = frame.Call(ctx, f, op.Doctor, admin.DoctorIn{Project: f.Flags.Project, Fix: true})
	}
	if err != nil {
		return broken(ctx, f, err)
	}
	for i := range out.Checks {
		prescribe(f, &out.Checks[i])
	}
	if err := examine(ctx, f, &out); err != nil {
		return err
	}
	outside, err := outsideChecks(ctx, f)
	out.OK = out.OK && !slices.ContainsFunc(outside, func(c admin.Check) bool { return !c.OK })
	all := out
	all.Checks = append(all.Checks, outside...)
	return f.AnsweredOr(err, all, out.OK, frame.ErrFound, func() { showDiagnosis(f, out, outside) })
}

// announce says what doctor is about to repair, and reports whether to go ahead: something is repairable and nobody
// declined.
func (o *doctorOptions) announce(f *frame.Factory, out admin.DoctorOut) bool {
	var all []string
	for _, c := range out.Checks {
		if !c.OK && c.Repairable() {
			all = append(all, c.Found...)
		}
	}
	const named = 20
	if !f.Flags.JSON && !f.Flags.Quiet {
		for _, text := range all[:min(len(all), named)] {
			f.Err.Printf("will repair: %s\n", text)
		}
		if len(all) > named {
			f.Err.Printf("will repair: %d more\n", len(all)-named)
		}
	}
	if len(all) == 0 || o.yes {
		return len(all) > 0
	}
	answer, asked := frame.Prompt(f, fmt.Sprintf("Repair %s? [y/N]", words.Count(len(all), "difference", "differences")))
	return !asked || frame.Yes(answer)
}

// broken reports what is wrong with a database that cannot be recounted. If it finds nothing, it returns the original
// error.
func broken(ctx context.Context, f *frame.Factory, why error) error {
	out := admin.DoctorOut{OK: true, Checks: []admin.Check{}, Fixed: []string{}}
	if !fault.Is(why, fault.Unavailable) { // the command is at fault, not the database
		return why
	}
	if err := examine(ctx, f, &out); err != nil || out.OK {
		return why
	}
	return f.AnsweredOr(nil, out, false, frame.ErrFound, func() { showDiagnosis(f, out, nil) })
}

// prescribe says what to do about the findings of a check.
func prescribe(f *frame.Factory, c *admin.Check) {
	switch {
	case c.OK:
	case c.Repairable():
		c.Fix = task.Opt(f.AsCommand(hint.Here("doctor --fix")))
	case c.Name == string(query.CheckRecords):
		c.Fix = task.Opt(fmt.Sprintf("look at each (%s), then give it back (%s) or move it (%s)",
			f.AsCommand(hint.Show("ID")), f.AsCommand(hint.Release("ID")), f.AsCommand(hint.Command("move ID STATUS"))))
	}
}

// outsideChecks looks at the configuration.
func outsideChecks(ctx context.Context, f *frame.Factory) ([]admin.Check, error) {
	differ, err := differences(ctx, f)
	if err != nil {
		return nil, err
	}
	eff, disputed, err := f.Disputed(ctx)
	if err != nil {
		return nil, err
	}
	file := admin.Check{Name: checkConfiguration, OK: true}
	carry := "have a human apply the plan where the file is, or carry its policy over: " + f.AsCommand(hint.Command("project set SLUG --from FILE"))
	for _, x := range differ {
		text := words.Either(x.File == "", "the file does not set "+x.Key+", and the database says "+x.DB,
			"the file says "+x.Key+" = "+x.File+", and the database "+cmp.Or(x.DB, "nothing"))
		file.Found, file.Fix = append(file.Found, text), task.Opt(carry)
	}
	record := admin.Check{Name: checkRecord, OK: !slices.ContainsFunc(disputed, func(w config.Warning) bool { return w.Loosens })}
	found(&record, disputed, carry)
	found(&file, eff.Unusable(), "remove it, or set it again: "+f.AsCommand(hint.Command("project unset SLUG KEY")))
	local := admin.Check{Name: checkLocalFile, OK: true}
	found(&local, committed(ctx, f), "git rm --cached .tasker.local.json, and add it to .gitignore")
	approvals := admin.Check{Name: checkApprovals, OK: true}
	found(&approvals, eff.Orphans(), "declare in actors a human who can give them, or change what is asked for")
	return []admin.Check{file, record, local, approvals, otherVersion(ctx, f)}, nil
}

// found adds warnings to a check, with what to do about them.
func found(c *admin.Check, warnings []config.Warning, fix string) {
	for _, w := range warnings {
		c.Found, c.Fix = append(c.Found, w.String()), task.Opt(fix)
	}
}

// differences returns where the configuration file and the settings in the database differ, for the project that the
// file names.
func differences(ctx context.Context, f *frame.Factory) ([]config.Difference, error) {
	loaded, err := f.Configuration()
	if err != nil || loaded.FileProject() == "" {
		return nil, err
	}
	stored, _, found := f.StoredLayer(ctx, loaded.FileProject())
	if !found {
		return nil, nil
	}
	return loaded.Differences(stored)
}

func showDiagnosis(f *frame.Factory, out admin.DoctorOut, outside []admin.Check) {
	for _, text := range out.Fixed {
		f.Out.Printf("repaired: %s\n", text)
	}
	for _, c := range out.Checks {
		for _, text := range c.Found {
			f.Out.Printf("%s\n", text)
		}
		if c.Fix != "" {
			f.Out.Printf("What to do: %s\n", c.Fix)
		}
	}
	for _, c := range outside {
		f.Warn(c.Found)
	}
	if out.OK {
		f.Say("All is well in %s\n", words.Count(len(out.Projects), "project", "projects"))
	}
}

// examine adds problems of the database file or server itself to the findings of the recount.
func examine(ctx context.Context, f *frame.Factory, out *admin.DoctorOut) error {
	s, err := f.Open(ctx)
	if err != nil {
		return err
	}
	found, err := s.Examine(ctx)
	if err != nil {
		return err
	}
	for _, name := range frame.TroubleWith {
		c := admin.Check{Name: name, OK: true}
		for _, t := range found {
			if t.Name == name {
				c.OK, out.OK = false, false
				c.Found = append(c.Found, t.Err.Message)
				c.Fix = task.Opt(t.Err.Hint)
			}
		}
		out.Checks = append(out.Checks, c)
	}
	return nil
}

// versionTime is how long a server may take to report its version. Usually no server runs, which is fine.
const versionTime = time.Second

// otherVersion checks whether the server at TASKER_SERVE_PORT, if one answers, runs another version than this program.
// There is no other way to find the servers of a database.
func otherVersion(ctx context.Context, f *frame.Factory) admin.Check {
	c := admin.Check{Name: checkServer, OK: true}
	port, host := f.Env("TASKER_SERVE_PORT"), f.Env("TASKER_SERVE_HOST")
	if port == "" {
		return c
	}
	url := "http://" + net.JoinHostPort(reached(host), port)
	server, err := f.Wiring.Dial(frame.Dialling{URL: url})
	if err != nil {
		return c
	}
	ctx, cancel := context.WithTimeout(ctx, versionTime)
	defer cancel()
	there, err := op.Version.Do(ctx, server, core.None{})
	if err != nil || there.Version == f.Wiring.Version {
		return c
	}
	c.Found = []string{"the server at " + url + " is version " + there.Version + ", and this program " + f.Wiring.Version}
	c.Fix = task.Opt("use the same on both sides, and restart the server after an upgrade")
	return c
}
