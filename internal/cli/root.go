package cli

import (
	"cmp"
	"maps"
	"slices"

	"github.com/spf13/cobra"

	"tasker/internal/cli/admin"
	"tasker/internal/cli/agent"
	"tasker/internal/cli/frame"
	"tasker/internal/cli/inbox"
	"tasker/internal/cli/links"
	"tasker/internal/cli/notify"
	"tasker/internal/cli/planning"
	"tasker/internal/cli/reading"
	"tasker/internal/cli/transfer"
	"tasker/internal/cli/ui"
	"tasker/internal/cli/work"
	"tasker/internal/cli/workspace"
	"tasker/internal/fault"
	"tasker/internal/hint"
)

// topic is a group of commands in the help of tasker itself.
type topic struct {
	title    string
	commands []entry
}

// entry is a command that is built when it is needed.
type entry struct {
	name   string
	create func(*frame.Factory) *cobra.Command
}

func topics() []topic {
	return []topic{
		{"Plan", []entry{
			{"init", agent.NewInit}, {"apply", planning.NewApply}, {"add", planning.NewAdd}, {"edit", planning.NewEdit}, {"undo", planning.NewUndo},
			{"import", transfer.NewImport}, {"export", transfer.NewExport},
		}},
		{"Work", []entry{
			{"next", work.NewNext}, {"claim", work.NewClaim}, {"start", work.NewStart}, {"renew", work.NewRenew}, {"release", work.NewRelease},
			{"check", work.NewCheck}, {"uncheck", work.NewUncheck}, {"note", work.NewNote}, {"evidence", work.NewEvidence},
			{"decide", work.NewDecide}, {"ask", work.NewAsk}, {"answer", work.NewAnswer}, {"wait", work.NewWait},
			{"move", work.NewMove}, {"review", work.NewReview}, {"done", work.NewDone}, {"cancel", work.NewCancel}, {"reopen", work.NewReopen},
			{"return", work.NewReturn}, {"approve", inbox.NewApprove},
		}},
		{"Look", []entry{
			{"status", newStatus}, {"board", reading.NewBoard}, {"work", reading.NewWork}, {"ready", reading.NewReady}, {"machine", reading.NewMachine},
			{"bottlenecks", reading.NewBottlenecks}, {"forecast", reading.NewForecast}, {"proof", reading.NewProof}, {"guidance", reading.NewGuidance},
			{"diff", workspace.NewDiff},
			{"subtree", reading.NewSubtree}, {"graph", reading.NewGraph},
			{"list", reading.NewList}, {"show", reading.NewShow}, {"explain", reading.NewExplain},
			{"prime", agent.NewPrime}, {"search", reading.NewSearch}, {"events", newEvents}, {"whoami", agent.NewWhoami},
		}},
		{"For people", []entry{
			{"inbox", inbox.NewInbox}, {"ui", ui.New}, {"land", workspace.NewLand},
			{"estate", inbox.NewEstate}, {"overview", inbox.NewOverview}, {"brief", inbox.NewBrief}, {"notify", notify.NewNotify},
		}},
		{"Other systems", []entry{
			{"bind", links.NewBind}, {"unbind", links.NewUnbind}, {"sync", links.NewSync}, {"ownership", links.NewOwnership},
			{"conflicts", links.NewConflicts}, {"resolve", links.NewResolve},
		}},
		{"Agents", []entry{
			{"run", agent.NewRun}, {"workspace", workspace.NewWorkspace}, {"prove", work.NewProve}, {"audit", work.NewAudit}, {"setup", agent.NewSetup}, {"mcp", agent.NewMCP}, {"hook", agent.NewHook},
		}},
		{"Run", []entry{
			{"serve", admin.NewServe}, {"project", admin.NewProject}, {"config", admin.NewConfig}, {"session", admin.NewSession},
			{"doctor", admin.NewDoctor}, {"backup", admin.NewBackup}, {"restore", admin.NewRestore}, {"db", admin.NewDB}, {"completion", newCompletion},
			{"upgrade", admin.NewUpgrade}, {"version", admin.NewVersion}, {"help", newHelp},
		}},
	}
}

// newEvents returns the command `tasker events`, which reads the log, with its subcommand that prunes it.
func newEvents(f *frame.Factory) *cobra.Command {
	cmd := reading.NewEvents(f)
	cmd.AddCommand(admin.NewEventsPrune(f))
	return cmd
}

// aliases are names that other programs use for our commands.
var aliases = map[string]string{
	"ls": "list", "new": "add", "create": "add", "view": "show", "close": "done", "comment": "note", "update": "edit",
	"delete": "rm", "remove": "rm", "tag": "label",
}

// with builds a command with its aliases.
func (e entry) with(f *frame.Factory) *cobra.Command {
	cmd := e.create(f)
	for _, alias := range slices.Sorted(maps.Keys(aliases)) {
		if aliases[alias] == e.name {
			cmd.Aliases = append(cmd.Aliases, alias)
		}
	}
	return cmd
}

// root returns the command tasker with only the named command, or with all of them.
func root(f *frame.Factory, only string) *cobra.Command {
	var version bool
	root := f.Command(frame.Spec{
		Use: "tasker", Short: "A task tracker for coding agents and the people who work with them: a graph, claims, proof",
		Example: []string{
			"tasker                # what to do next here",
			"tasker next --claim   # take it",
			"tasker prove demo-1   # run what its gate asks for",
			"tasker done demo-1 --next",
		},
		Flags: []frame.Flag{frame.Bool(&version, "version", "print the versions, as tasker version does")},
	}, nil)
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
		if word, means, found := hint.Unfilled(f.Process.Args); found {
			return fault.Bad("%s is not filled in: it stands for %s", word, means).WithMissing(word).
				WithHint("write that in its place; nothing was done")
		}
		return frame.ReadShape(f)
	}
	globalFlags(f, root)

	every := []entry{{"rm", newRm}, {"block", newBlock}, {"label", newLabel}} // no help lists them: they only say what to use
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
