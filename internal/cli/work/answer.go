package work

import (
	"context"
	"strconv"

	"github.com/spf13/cobra"

	"tasker/internal/cli/frame"
	"tasker/internal/core/work"
	"tasker/internal/fault"
	"tasker/internal/op"
	"tasker/internal/remedy"
	"tasker/internal/task"
)

// answerOptions are what the command line gives `tasker answer`.
type answerOptions struct {
	withdraw bool
}

// NewAnswer returns the command `tasker answer`.
func NewAnswer(f *frame.Factory) *cobra.Command {
	o := &answerOptions{}
	cmd := f.Command(frame.Spec{
		Use: "answer QUESTION TEXT", Short: op.Answer.Summary, Args: frame.Between(1, 2, "the number of a QUESTION", "a TEXT"),
		Example: []string{`tasker answer 17 "the second one"`, "tasker answer 17 --withdraw   # your own question, settled otherwise"},
		Long:    "Questions have the number that asking them answered; tasker inbox and tasker show list it.",
	}, o.run)
	cmd.Flags().BoolVar(&o.withdraw, "withdraw", false, "take it back: only who asked may")
	return cmd
}

func (o *answerOptions) run(ctx context.Context, f *frame.Factory, args []string) error {
	id, err := strconv.ParseInt(args[0], 10, 64)
	if err != nil {
		return fault.Bad("%q is not the number of a question", args[0]).
			WithHint("%s and %s list questions with their numbers", remedy.Here("inbox"), remedy.Here("show ID"))
	}
	switch {
	case o.withdraw && len(args) == 2:
		return fault.Bad("a question is withdrawn without an answer").WithHint("leave the text out, or --withdraw")
	case o.withdraw:
		return frame.Do(ctx, f, op.Withdraw, work.QuestionIn{Question: id}, func(f *frame.Factory, q task.Question) {
			f.Say("Withdrew question %d on %s\n", q.ID, q.Task)
		})
	case len(args) == 1:
		return fault.Bad("the answer is missing").WithHint("for example: %s", remedy.Answer(id))
	}
	text, err := f.TextArg(args[1])
	if err != nil {
		return err
	}
	return frame.Do(ctx, f, op.Answer, work.AnswerIn{Question: id, Text: text}, func(f *frame.Factory, q task.Question) {
		f.Say("Answered question %d of %s on %s\n", q.ID, q.Actor, q.Task)
		frame.EchoStays(ctx, f, q.Task)
	})
}
