package work

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"tasker/internal/cli/frame"
	"tasker/internal/cli/render"
	"tasker/internal/fault"
	"tasker/internal/hint"
	"tasker/internal/op"
	"tasker/internal/task"
	"tasker/internal/text/words"
	"tasker/internal/work"
)

// askOptions holds the options of `tasker ask`.
type askOptions struct {
	in    work.AskIn
	wait  time.Duration
	fence *int64
}

// NewAsk returns the command `tasker ask`.
func NewAsk(f *frame.Factory) *cobra.Command {
	o := &askOptions{}
	return f.Command(frame.Spec{
		Use: "ask ID TEXT", Short: op.Ask.Op.Summary, IDs: true, Args: frame.Exactly("the ID of a task", "a TEXT"),
		Example: []string{
			`tasker ask demo-4 "Which of the two formats?" --blocking --release --next   # and go on with something else`,
			`tasker ask demo-4 "May I drop the old one?" --blocking --to ann --wait 30m`,
		},
		Long: "Only the actor or role that it is put to, or a human, can answer a blocking question; the asker may withdraw it.",
		Flags: []frame.Flag{
			frame.Bool(&o.in.Blocking, "blocking", "nobody goes on with the task until it is answered"),
			frame.String(&o.in.To, "to", "who is to answer: an actor, or a role"),
			frame.Bool(&o.in.Release, "release", "give the task back in the same step"),
			frame.Bool(&o.in.Next, "next", "with --release: claim the next task in the same step"),
			frame.Duration(&o.wait, "wait", "wait for the answer this long, such as 30m (exit code 7 when the time runs out)"),
			frame.Fence(&o.fence),
		},
	}, o.run)
}

func (o *askOptions) run(ctx context.Context, f *frame.Factory, args []string) error {
	switch {
	case o.in.Next && !o.in.Release:
		return fault.Bad("--next claims another task, and this one is not given back").WithHint("add --release, or leave --next out")
	case o.in.Next && o.wait > 0:
		return fault.Bad("--next goes on with another task, and --wait waits for the answer").WithHint("leave one of them out")
	}
	a := f.Args(ctx)
	o.in.Task, o.in.Text, o.in.Fence = a.Task(args[0]), a.Text(args[1]), a.Fence(o.fence)
	q, err := frame.CallWith(a, op.Ask, o.in)
	if err != nil {
		return err
	}
	if o.wait > 0 {
		return askedAndWaiting(ctx, f, q, o.wait)
	}
	return f.Answer(q, func() {
		if q.Next != nil {
			showAsked(f, q, "")
			f.Say("\n")
			render.Following(f, *q.Next)
		} else {
			showAsked(f, q, "; wait for that: "+f.AsCommand(hint.Command("wait "+string(q.Task)+" --for answered")))
		}
		f.Echo(ctx, q.Task, "", hint.Withdraw(q.ID))
	})
}

// showAsked prints the question, and then what the asker can do in the meantime.
func showAsked(f *frame.Factory, q work.AskOut, then string) {
	whom, who := "", q.For
	if q.To != "" {
		whom, who = string(q.To)+" ", string(q.To)+" or a human"
	}
	f.Say("Asked %squestion %d about %s%s\n", whom, q.ID, q.Task, words.When(q.Released, ", and released it"))
	if q.Blocking {
		f.Say("%s is held back until %s answers it%s\n", q.Task, who, then)
	}
}

// askedAndWaiting waits for the answer, and shows the question with it.
func askedAndWaiting(ctx context.Context, f *frame.Factory, q work.AskOut, wait time.Duration) error {
	if !f.Flags.JSON {
		showAsked(f, q, "")
	}
	met, err := waitUntil(ctx, f, work.MetIn{Task: string(q.Task), For: work.ForAnswered, Question: &q.ID}, wait)
	if met.Question != nil {
		q.Question = *met.Question
	}
	return f.AnsweredOr(err, q, met.Met, frame.ErrNothing, func() {
		if met.Met {
			showAnswer(f, q.Question)
		} else {
			f.Say("Nobody has answered yet\n")
		}
	})
}

func showAnswer(f *frame.Factory, q task.Question) {
	f.Out.Printf("%s answers:\n", q.AnsweredBy)
	render.Text(f, "  ", string(q.Answer))
	f.News.Drop(func(text string) bool { return strings.Contains(text, fmt.Sprintf(" answered question %d (", q.ID)) })
}

// answerOptions holds the options of `tasker answer`.
type answerOptions struct {
	withdraw bool
}

// NewAnswer returns the command `tasker answer`.
func NewAnswer(f *frame.Factory) *cobra.Command {
	o := &answerOptions{}
	return f.Command(frame.Spec{
		Use: "answer QUESTION TEXT", Short: op.Answer.Op.Summary, Args: frame.Between(1, 2, "the number of a QUESTION", "a TEXT"),
		Example: []string{`tasker answer 17 "the second one"`, "tasker answer 17 --withdraw   # your own question, settled another way"},
		Long:    "QUESTION is the number that tasker ask printed; tasker inbox and tasker show list it.",
		Flags: []frame.Flag{
			frame.Bool(&o.withdraw, "withdraw", "take it back; only the asker may"),
		},
	}, o.run)
}

func (o *answerOptions) run(ctx context.Context, f *frame.Factory, args []string) error {
	id, err := strconv.ParseInt(args[0], 10, 64)
	if err != nil {
		return fault.Bad("%q is not the number of a question", args[0]).
			WithHint("%s and %s list questions with their numbers", hint.Here("inbox"), hint.Here("show ID"))
	}
	switch {
	case o.withdraw && len(args) == 2:
		return fault.Bad("a question is withdrawn without an answer").WithHint("leave the text out, or --withdraw")
	case o.withdraw:
		return frame.Do(ctx, f, op.Withdraw, work.QuestionIn{Question: id}, func(f *frame.Factory, q task.Question) {
			f.Say("Withdrew question %d on %s\n", q.ID, q.Task)
		})
	case len(args) == 1:
		return fault.Bad("the answer is missing").WithHint("for example: %s", hint.Answer(id))
	}
	a := f.Args(ctx)
	return frame.DoWith(a, op.Answer, work.AnswerIn{Question: id, Text: a.Text(args[1])}, func(f *frame.Factory, q task.Question) {
		f.Say("Answered question %d of %s on %s\n", q.ID, q.Actor, q.Task)
		frame.EchoStays(ctx, f, q.Task)
	})
}
