package cli

import (
	"context"
	"errors"
	"slices"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"tasker/internal/fault"
)

// Main runs one command line and gives the exit code of the process.
func Main(p Process, w Wiring) int {
	f := newFactory(p, w)
	root := f.root(commandIn(p.Args))
	root.SetArgs(p.Args)
	root.SetIn(p.Stdin)
	root.SetOut(f.out)
	root.SetErr(f.err)
	err := root.ExecuteContext(context.Background())
	if closing := f.close(); err == nil {
		err = closing
	}
	if err == nil && !errors.Is(f.out.failed(), syscall.EPIPE) { // who stopped reading has what it wanted
		err = f.out.failed()
	}
	if err != nil && wantsJSON(p.Args) { // the flags may not have been read to their end
		f.flags.json = true
	}
	f.report(err)
	return exitCode(err)
}

// wantsJSON tells whether a command line asks for JSON, also where another flag of it is faulty.
func wantsJSON(args []string) bool {
	if at := slices.Index(args, "--"); at >= 0 {
		args = args[:at]
	}
	return slices.Contains(args, "--json") || slices.Contains(args, "--json=true")
}

// commandIn gives the name of the command in a command line, "" where that takes reading all of it. It spares a
// process the making of forty commands that it does not run.
func commandIn(args []string) string {
	for i := 0; i < len(args); i++ {
		switch a := args[i]; {
		case a == "-p" || slices.Contains(valueFlags, strings.TrimPrefix(a, "--")) && strings.HasPrefix(a, "--"):
			i++
		case a == "-h" || a == "--help" || a == "--":
			return ""
		case !strings.HasPrefix(a, "-"):
			return a
		}
	}
	return ""
}

// valueFlags are the global flags that take a value.
var valueFlags = []string{"project", "actor", "db", "server", "config", "color"}

// topic is a group of commands in the help of tasker itself.
type topic struct {
	title    string
	commands []entry
}

// entry is a command that is made when it is needed.
type entry struct {
	name string
	make func(*factory) *cobra.Command
}

func topics() []topic {
	return []topic{
		{"Plan", []entry{
			{"apply", (*factory).newApply}, {"add", (*factory).newAdd}, {"edit", (*factory).newEdit},
		}},
		{"Work", []entry{
			{"next", (*factory).newNext}, {"claim", (*factory).newClaim}, {"start", (*factory).newStart}, {"renew", (*factory).newRenew}, {"release", (*factory).newRelease},
			{"check", (*factory).newCheck}, {"uncheck", (*factory).newUncheck}, {"note", (*factory).newNote}, {"evidence", (*factory).newEvidence},
			{"decide", (*factory).newDecide}, {"ask", (*factory).newAsk}, {"answer", (*factory).newAnswer}, {"wait", (*factory).newWait},
			{"move", (*factory).newMove}, {"review", (*factory).newReview}, {"done", (*factory).newDone}, {"cancel", (*factory).newCancel}, {"reopen", (*factory).newReopen},
			{"return", (*factory).newReturn}, {"approve", (*factory).newApprove},
		}},
		{"Look", []entry{
			{"ready", (*factory).newReady}, {"board", (*factory).newBoard}, {"work", (*factory).newWork}, {"machine", (*factory).newMachine}, {"bottlenecks", (*factory).newBottlenecks},
			{"proof", (*factory).newProof}, {"subtree", (*factory).newSubtree}, {"graph", (*factory).newGraph}, {"list", (*factory).newList}, {"show", (*factory).newShow}, {"explain", (*factory).newExplain}, {"prime", (*factory).newPrime}, {"search", (*factory).newSearch}, {"events", (*factory).newEvents}, {"whoami", (*factory).newWhoami},
		}},
		{"For people", []entry{
			{"inbox", (*factory).newInbox}, {"estate", (*factory).newEstate}, {"overview", (*factory).newOverview}, {"brief", (*factory).newBrief},
		}},
		{"Other systems", []entry{
			{"sync", (*factory).newSync}, {"ownership", (*factory).newOwnership}, {"conflicts", (*factory).newConflicts},
		}},
		{"Agents", []entry{
			{"run", (*factory).newRun}, {"prove", (*factory).newProve}, {"setup", (*factory).newSetup}, {"mcp", (*factory).newMCP},
		}},
		{"Run", []entry{
			{"serve", (*factory).newServe}, {"project", (*factory).newProject}, {"config", (*factory).newConfig}, {"session", (*factory).newSession}, {"doctor", (*factory).newDoctor}, {"db", (*factory).newDB},
			{"completion", (*factory).newCompletion}, {"upgrade", (*factory).newUpgrade}, {"version", (*factory).newVersion}, {"help", (*factory).newHelp},
		}},
	}
}

// root makes the command tasker, with the one command that only names, or with all of them.
func (f *factory) root(only string) *cobra.Command {
	root := f.command(spec{
		use: "tasker", short: "A graph of tasks that people and agents plan, claim, prove and close",
		example: []string{
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
			return f.newVersion().RunE(cmd, nil)
		}
		return f.home(cmd.Context())
	}
	root.Args = noSuchCommand
	root.SilenceErrors, root.SilenceUsage = true, true
	root.CompletionOptions.DisableDefaultCmd = true
	root.SetHelpFunc(func(cmd *cobra.Command, _ []string) { f.help(cmd) })
	root.SetFlagErrorFunc(flagFault)
	root.PersistentPreRun = func(*cobra.Command, []string) { f.begin() }
	f.globalFlags(root)

	var all []*cobra.Command
	for _, t := range topics() {
		for _, e := range t.commands {
			if e.name == only {
				root.AddCommand(e.make(f))
				return root
			}
		}
	}
	for _, t := range topics() {
		for _, e := range t.commands {
			all = append(all, e.make(f))
		}
	}
	root.AddCommand(all...)
	return root
}

func (f *factory) globalFlags(root *cobra.Command) {
	fs := root.PersistentFlags()
	fs.StringVarP(&f.flags.project, "project", "p", "", "the project (else TASKER_PROJECT, the configuration, the only one there is)")
	fs.StringVar(&f.flags.actor, "actor", "", "who acts (else TASKER_ACTOR, the configuration, your user name)")
	fs.BoolVar(&f.flags.json, "json", false, "answer in JSON, errors too")
	fs.StringVar(&f.flags.db, "db", "", "the database: a path, or a postgres:// URL (else TASKER_DB)")
	fs.StringVar(&f.flags.server, "server", "", "go through the server at this URL (else TASKER_URL)")
	fs.StringVar(&f.flags.config, "config", "", "the configuration file (else TASKER_CONFIG, .tasker.json here or above)")
	fs.Var(f.flags.color, "color", "colours: auto, always or never")
	fs.BoolVar(&f.flags.quiet, "quiet", false, "say only what was asked for")
	fs.BoolP("help", "h", false, "show help")
	_ = root.RegisterFlagCompletionFunc("project", f.completeProjects)
	_ = root.RegisterFlagCompletionFunc("color", cobra.FixedCompletions(f.flags.color.of, cobra.ShellCompDirectiveNoFileComp))
	_ = root.MarkPersistentFlagFilename("config", "json")
}

// group makes a command that only holds others.
func (f *factory) group(name, short string, example ...string) *cobra.Command {
	cmd := f.command(spec{use: name, short: short, example: example}, nil)
	cmd.Args = noSuchCommand
	cmd.RunE = func(cmd *cobra.Command, _ []string) error { return cmd.Help() }
	return cmd
}

// noSuchCommand refuses an argument where a command was expected, and suggests the nearest.
func noSuchCommand(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	var names []string
	for _, c := range cmd.Commands() {
		if !c.Hidden {
			names = append(names, c.Name())
		}
	}
	e := fault.Bad("there is no command %q", strings.TrimSpace(strings.TrimPrefix(cmd.CommandPath()+" "+args[0], "tasker "))).
		WithHint("%s --help lists what there is", cmd.CommandPath())
	if near := nearest(args[0], names); near != "" {
		e.WithHint("did you mean %s %s?", cmd.CommandPath(), near)
	}
	return e
}
