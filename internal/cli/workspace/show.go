package workspace

import (
	"cmp"
	"context"
	"io"
	"os"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"tasker/internal/bundle"
	"tasker/internal/cli/frame"
	"tasker/internal/cli/render"
	"tasker/internal/cli/term"
	"tasker/internal/core"
	"tasker/internal/fault"
	"tasker/internal/op"
	"tasker/internal/text/words"
	"tasker/internal/workspace"
	"tasker/internal/workspace/machine"
)

func newList(f *frame.Factory) *cobra.Command {
	var all bool
	return f.Command(frame.Spec{
		Use: "list", Short: op.WorkspaceList.Op.Summary, Args: frame.Between(0, 0),
		Example: []string{"tasker workspace list", "tasker workspace list --all --json   # of other machines too"},
		Flags: []frame.Flag{
			frame.Bool(&all, "all", "also those of other machines"),
		},
	}, func(ctx context.Context, f *frame.Factory, _ []string) error {
		ctx, m, err := Manager(ctx, f)
		if err != nil {
			return err
		}
		list, err := m.Workspaces.List(core.Doing(ctx, op.WorkspaceList.Op.Name), workspace.Query{Host: words.Either(all, "", m.Host)})
		return f.Answered(err, list, func() {
			if len(list) == 0 {
				f.Say("No task has a workspace here\n")
				return
			}
			f.Out.Table([]term.Column{{Head: "TASK"}, {Head: "STATE"}, {Head: "BRANCH"}, {Head: "PORTS"}, {Head: "PATH", Flex: true}, {Head: "HOLDER"}}, term.Rows(list, func(v workspace.View) []term.Span {
				return []term.Span{
					{Text: string(v.Task)}, {Text: string(v.State)}, {Text: string(v.Branch)}, {Text: numbers(v.Ports)}, {Text: v.Path}, term.Faint.Of(holder(v)),
				}
			}))
		})
	})
}

func holder(v workspace.View) string {
	if v.Claim == nil {
		return "nobody"
	}
	return v.Claim.Actor
}

func numbers(ports []int) string {
	return strings.Join(words.Each(ports, strconv.Itoa), " ")
}

func newShow(f *frame.Factory) *cobra.Command {
	var log bool
	return f.Command(frame.Spec{
		Use: "show [ID]", Short: "Show the workspace of a task", IDs: true, Args: frame.Between(0, 1),
		Example: []string{"tasker workspace show demo-4", "tasker workspace show demo-4 --log   # what its steps printed"},
		Flags: []frame.Flag{
			frame.Bool(&log, "log", "print what its steps printed"),
		},
	}, func(ctx context.Context, f *frame.Factory, args []string) error {
		return here(ctx, f, frame.OrCurrent(args), func(ctx context.Context, m *machine.Manager, v workspace.View) error {
			if log {
				return showLog(f, v)
			}
			if seen, err := m.Look(ctx, v.Task); err != nil { // show what was seen last
				f.Warn([]string{"it was not looked at: " + err.Error()})
			} else if seen != nil {
				v = *seen
			}
			return f.Answer(v, func() { showPlace(f, v) })
		})
	})
}

func showLog(f *frame.Factory, v workspace.View) error {
	if v.Record.Log == "" {
		f.Say("No step has run in the workspace of %s\n", v.Task)
		return nil
	}
	file, err := os.Open(v.Record.Log)
	if err != nil {
		return fault.Missing("the log of %s is not there any more: %s", v.Task, v.Record.Log)
	}
	_, err = io.Copy(f.Out, file)
	return cmp.Or(err, file.Close())
}

// answerPlace answers with a workspace that was made or changed, unless that failed.
func answerPlace(f *frame.Factory, v workspace.View, err error) error {
	return f.Answered(err, v, func() {
		f.Warn(v.Warnings)
		showPlace(f, v)
	})
}

// showPlace prints a workspace.
func showPlace(f *frame.Factory, v workspace.View) {
	f.Out.Printf("%s\n", v.Path)
	line := func(what, text string) {
		if text != "" {
			f.Out.Printf("  %-8s %s\n", what, text)
		}
	}
	line("task", string(v.Task)+", "+string(v.State)+", made "+render.Ago(f, v.OpenedAt))
	line("branch", string(v.Branch))
	line("base", string(v.Base))
	line("ports", numbers(v.Ports))
	if v.Claim != nil {
		line("held by", v.Claim.Actor)
	}
	if s := v.Record.Seen; s != nil && v.Branch != "" {
		text := words.Either(s.Dirty, "changes that are not committed", "clean")
		if v.Base != "" {
			text += ", " + strconv.Itoa(s.Ahead) + " ahead, " + strconv.Itoa(s.Behind) + " behind"
			if where := (&bundle.Workspace{Base: v.Base, Ahead: &s.Ahead, Landed: &s.Landed, Pushed: &s.Pushed}).Commits(); where != "" {
				text += ", its commits are " + where
			}
		}
		line("work", text)
	}
	for _, s := range v.Steps {
		line("step", s.Name+": exit code "+strconv.Itoa(s.ExitCode)+", "+strconv.FormatInt(s.DurationMs, 10)+" ms")
	}
}
