package frame

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"tasker/internal/fault"
	"tasker/internal/text/words"
)

// Spec declares a command: its name, what it does, and examples, which its help shows first.
type Spec struct {
	Use     string
	Short   string
	Long    string   // more help, below the examples
	Example []string // whole command lines
	Args    cobra.PositionalArgs
	IDs     bool // the first argument is a task (or every one, if the command takes several)
	Many    bool
	Hidden  bool // no help lists it
	Flags   []Flag
	// Commands are the subcommands.
	Commands []*cobra.Command
	// Complete offers a shell candidates for an argument that is not a task.
	Complete cobra.CompletionFunc
	Here     string // the command's name in the refusal to run through a server; for commands that have no route
}

// Command builds the command that a Spec declares. Its arguments have passed Args when run is called.
func (f *Factory) Command(s Spec, run func(ctx context.Context, f *Factory, args []string) error) *cobra.Command {
	cmd := &cobra.Command{
		Use: s.Use, Short: s.Short, Long: s.Long,
		Example: strings.Join(s.Example, "\n"),
		Args:    s.Args,
		Hidden:  s.Hidden,

		ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(cmd *cobra.Command, args []string) error {
			if s.Here != "" {
				if err := f.OnlyHere(s.Here); err != nil {
					return err
				}
			}
			return run(cmd.Context(), f, args)
		},
	}
	if s.IDs {
		cmd.ValidArgsFunction = InTurn(Completing{f}.Tasks)
	}
	if s.Many {
		cmd.ValidArgsFunction = Completing{f}.Tasks
	}
	if s.Complete != nil {
		cmd.ValidArgsFunction = s.Complete
	}
	for _, add := range s.Flags {
		add(cmd.Flags())
	}
	cmd.AddCommand(s.Commands...)
	return cmd
}

// Group returns a command that only holds others.
func (f *Factory) Group(s Spec) *cobra.Command {
	s.Args = NoSuchCommand
	cmd := f.Command(s, nil)
	cmd.RunE = func(cmd *cobra.Command, _ []string) error { return cmd.Help() }
	return cmd
}

// called maps names from other programs to our commands.
var called = map[string]string{
	"assign": "claim", "take": "claim", "pick": "next --claim", "grab": "next --claim", "pull": "sync pull", "push": "sync push",
	"finish": "done", "complete": "done", "resolved": "done", "drop": "release", "unclaim": "release", "unassign": "release", "stop": "release",
	"log": "events", "history": "events", "activity": "events", "feed": "events", "tree": "subtree", "children": "subtree",
	"find": "search", "grep": "search", "todo": "ready", "todos": "ready", "tasks": "list", "issues": "list", "info": "show", "cat": "show",
	"describe": "show", "get": "show", "open": "show", "why": "explain", "blocked": "list --blocked", "waiting": "list --blocked",
	"depend": "edit --add-dep", "dep": "edit --add-dep", "link": "edit --link", "rename": "edit --title", "tick": "check", "untick": "uncheck",
	"abandon": "cancel", "wontfix": "cancel", "archive": "project archive", "login": "session create", "user": "whoami", "me": "whoami",
	"who": "machine", "web": "serve", "server": "serve", "kanban": "board", "plan": "apply", "question": "ask", "reply": "answer",
	"dump": "export", "load": "import", "settings": "config show", "upgrade-db": "db migrate", "migrate": "db migrate",
	"projects": "project list", "sprint": "list", "st": "status", "reject": "return", "verify": "approve", "lgtm": "approve",
}

// NoSuchCommand refuses an argument given in place of a command, and suggests the nearest command.
func NoSuchCommand(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	var names []string
	instead := map[string]string{} // by names that are not those of commands
	for _, c := range cmd.Commands() {
		if !c.Hidden {
			names = append(names, c.Name())
			for _, alias := range c.Aliases {
				instead[alias] = c.Name()
			}
		}
	}
	if !cmd.HasParent() {
		maps.Copy(instead, called)
	}
	e := fault.Bad("there is no command %q", strings.TrimSpace(strings.TrimPrefix(cmd.CommandPath()+" "+args[0], "tasker ")))
	return Suggesting(e, cmd.CommandPath()+" ", commandFor(args[0], names, instead), cmd.CommandPath()+" --help lists what there is")
}

// Suggesting returns a refusal with a hint: near, which was probably meant, with the words in lead before it; or, if near is
// empty, the hint otherwise.
func Suggesting(e *fault.Error, lead, near, otherwise string) *fault.Error {
	if near == "" {
		return e.WithHint("%s", otherwise)
	}
	return e.WithHint("did you mean %s%s?", lead, near)
}

// commandFor returns the command that somebody most likely meant by a text: the one to use instead of the text, the nearest
// name, or the one to use instead of that name.
func commandFor(text string, names []string, instead map[string]string) string {
	if command := instead[strings.ToLower(text)]; command != "" {
		return command
	}
	near := Near(text, append(names, slices.Sorted(maps.Keys(instead))...))
	return cmp.Or(instead[near], near)
}

// Exactly requires one argument per name; the refusal says which one is missing.
func Exactly(names ...string) cobra.PositionalArgs {
	return Between(len(names), len(names), names...)
}

// Between requires at least least and at most limit arguments; limit < 0 means no upper bound.
func Between(least, limit int, names ...string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		usage := "usage: " + cmd.UseLine()
		switch {
		case len(args) < least:
			return fault.Bad("%s needs %s", cmd.CommandPath(), names[len(args)]).WithHint("%s", usage)
		case limit == 0 && len(args) > 0:
			return fault.Bad("%s takes no arguments, and was given %q", cmd.CommandPath(), args[0]).WithHint("%s", usage)
		case limit >= 0 && len(args) > limit:
			return fault.Bad("%s takes %s at most, and %q is one more; a text of several words needs quotes",
				cmd.CommandPath(), words.Count(limit, "argument", "arguments"), args[limit]).WithHint("%s", usage)
		}
		return nil
	}
}

// OnlyHere refuses to run a command without a route through a server: it works on a database only.
func (f *Factory) OnlyHere(what string) error {
	if url := f.ServerURL(); url != "" {
		return fault.Decline("%s works on the database itself, and this command goes through the server at %s", what, url).
			WithHint("run it where the database is, without TASKER_URL and --server")
	}
	return nil
}

// Near returns the name that somebody most likely meant: one that begins with the text, or else the nearest, or "" if
// none is near enough.
func Near(text string, names []string) string {
	if len(text) >= 2 {
		for _, n := range names {
			if strings.HasPrefix(n, text) {
				return n
			}
		}
	}
	return words.Nearest(text, names)
}
