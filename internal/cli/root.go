package cli

import (
	"cmp"
	"maps"
	"slices"

	"github.com/spf13/cobra"

	"tasker/internal/cli/admin"
	"tasker/internal/cli/agents"
	"tasker/internal/cli/frame"
	"tasker/internal/cli/links"
	"tasker/internal/cli/looking"
	"tasker/internal/cli/people"
	"tasker/internal/cli/planning"
	"tasker/internal/cli/transfer"
	"tasker/internal/cli/ui"
	"tasker/internal/cli/working"
	"tasker/internal/cli/workspaces"
)

// topic is a group of commands in the help of tasker itself.
type topic struct {
	title    string
	commands []entry
}

// entry is a command that is made when it is needed.
type entry struct {
	name   string
	create func(*frame.Factory) *cobra.Command
}

func topics() []topic {
	return []topic{
		{"Plan", []entry{
			{"init", agents.NewInit}, {"apply", planning.NewApply}, {"add", planning.NewAdd}, {"edit", planning.NewEdit}, {"undo", planning.NewUndo},
			{"import", transfer.NewImport}, {"export", transfer.NewExport},
		}},
		{"Work", []entry{
			{"next", working.NewNext}, {"claim", working.NewClaim}, {"start", working.NewStart}, {"renew", working.NewRenew}, {"release", working.NewRelease},
			{"check", working.NewCheck}, {"uncheck", working.NewUncheck}, {"note", working.NewNote}, {"evidence", working.NewEvidence},
			{"decide", working.NewDecide}, {"ask", working.NewAsk}, {"answer", working.NewAnswer}, {"wait", working.NewWait},
			{"move", working.NewMove}, {"review", working.NewReview}, {"done", working.NewDone}, {"cancel", working.NewCancel}, {"reopen", working.NewReopen},
			{"return", working.NewReturn}, {"approve", people.NewApprove},
		}},
		{"Look", []entry{
			{"ready", looking.NewReady}, {"board", looking.NewBoard}, {"work", looking.NewWork}, {"machine", looking.NewMachine},
			{"bottlenecks", looking.NewBottlenecks}, {"forecast", looking.NewForecast}, {"proof", looking.NewProof}, {"guidance", looking.NewGuidance},
			{"subtree", looking.NewSubtree}, {"graph", looking.NewGraph},
			{"list", looking.NewList}, {"show", looking.NewShow}, {"explain", looking.NewExplain},
			{"prime", agents.NewPrime}, {"search", looking.NewSearch}, {"events", newEvents}, {"whoami", agents.NewWhoami},
		}},
		{"For people", []entry{
			{"inbox", people.NewInbox}, {"ui", ui.New},
			{"estate", people.NewEstate}, {"overview", people.NewOverview}, {"brief", people.NewBrief}, {"notify", admin.NewNotify},
		}},
		{"Other systems", []entry{
			{"bind", links.NewBind}, {"unbind", links.NewUnbind}, {"sync", links.NewSync}, {"ownership", links.NewOwnership},
			{"conflicts", links.NewConflicts}, {"resolve", links.NewResolve},
		}},
		{"Agents", []entry{
			{"run", agents.NewRun}, {"workspace", workspaces.NewWorkspace}, {"prove", working.NewProve}, {"setup", agents.NewSetup}, {"mcp", agents.NewMCP},
		}},
		{"Run", []entry{
			{"serve", admin.NewServe}, {"project", admin.NewProject}, {"config", admin.NewConfig}, {"session", admin.NewSession},
			{"doctor", admin.NewDoctor}, {"backup", admin.NewBackup}, {"restore", admin.NewRestore}, {"db", admin.NewDB}, {"completion", newCompletion},
			{"upgrade", admin.NewUpgrade}, {"version", admin.NewVersion}, {"help", newHelp},
		}},
	}
}

// newEvents returns the command `tasker events`, which reads the log, with the one that prunes it.
func newEvents(f *frame.Factory) *cobra.Command {
	cmd := looking.NewEvents(f)
	cmd.AddCommand(admin.NewEventsPrune(f))
	return cmd
}

// aliases are other names of commands, as other programs call them.
var aliases = map[string]string{
	"ls": "list", "new": "add", "create": "add", "view": "show", "close": "done", "comment": "note", "update": "edit",
	"delete": "rm", "remove": "rm",
}

// unlisted returns the commands that no help lists: another name of tasker alone, and a name of what there is not.
func unlisted() []entry {
	return []entry{{"status", newStatus}, {"rm", newRm}}
}

// with makes a command with its aliases.
func (e entry) with(f *frame.Factory) *cobra.Command {
	cmd := e.create(f)
	for _, alias := range slices.Sorted(maps.Keys(aliases)) {
		if aliases[alias] == e.name {
			cmd.Aliases = append(cmd.Aliases, alias)
		}
	}
	return cmd
}

// root returns the command tasker with the one command that only names, or with all of them.
func root(f *frame.Factory, only string) *cobra.Command {
	root := f.Command(frame.Spec{
		Use: "tasker", Short: "A graph of tasks that people and agents plan, claim, prove and close",
		Example: []string{
			"tasker                                                     # what to do next here",
			"tasker apply --example > plan.json && tasker apply -f plan.json",
			"tasker next --claim",
			"tasker done demo-1 --check 1 --next",
		},
	}, nil)
	var version bool
	root.Flags().BoolVar(&version, "version", false, "tell the versions, as tasker version does")
	root.RunE = func(cmd *cobra.Command, _ []string) error {
		if version {
			return admin.NewVersion(f).RunE(cmd, nil)
		}
		return home(cmd.Context(), f)
	}
	root.Args = frame.NoSuchCommand
	root.SilenceErrors, root.SilenceUsage = true, true
	root.CompletionOptions.DisableDefaultCmd = true
	root.SetHelpFunc(func(cmd *cobra.Command, _ []string) { help(f, cmd) })
	root.SetFlagErrorFunc(flagFault)
	root.PersistentPreRunE = func(*cobra.Command, []string) error {
		f.Begin()
		return frame.ReadShape(f)
	}
	globalFlags(f, root)

	every := unlisted()
	for _, t := range topics() {
		every = append(every, t.commands...)
	}
	name := cmp.Or(aliases[only], only)
	for _, e := range every {
		if e.name == name {
			root.AddCommand(e.with(f))
			return root
		}
	}
	for _, e := range every {
		root.AddCommand(e.with(f))
	}
	candidates(f, root)
	return root
}
