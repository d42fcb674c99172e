package inbox

import (
	"bufio"
	"context"
	"fmt"
	"strings"

	"tasker/internal/cli/frame"
	"tasker/internal/cli/render"
	"tasker/internal/cli/term"
	"tasker/internal/fault"
	"tasker/internal/hint"
	"tasker/internal/inbox"
	"tasker/internal/op"
	"tasker/internal/task"
	"tasker/internal/task/waiting"
	"tasker/internal/text/words"
	"tasker/internal/work"
)

// walkInbox goes through the inbox item by item.
func walkInbox(ctx context.Context, f *frame.Factory, in inbox.InboxIn) error {
	if f.Flags.JSON || in.All || in.Actor != "" {
		return fault.Bad("--walk goes through your own inbox, with you").WithHint("leave --json, --all and --for out")
	}
	if !f.Process.InTTY || !f.Process.OutTTY {
		return fault.Bad("--walk asks questions, and this is not a terminal").WithHint("list them instead: %s", hint.Here("inbox --json"))
	}
	out, err := frame.Call(ctx, f, op.Inbox, in)
	if err != nil {
		return err
	}
	w := &walker{f: f, in: bufio.NewScanner(f.Process.Stdin)}
	w.in.Buffer(nil, task.MaxText)
	for i, it := range out.Items {
		f.Out.Printf("\n")
		f.Out.Spans(term.Faint.Of(fmt.Sprintf("%d of %d  ", i+1, len(out.Items))))
		showItem(f, it, false)
		if !w.step(ctx, it) {
			break
		}
	}
	f.Out.Printf("\n")
	f.Say("%s\n", w.sum(out))
	return nil
}

// walker takes a person through the items of an inbox.
type walker struct {
	f    *frame.Factory
	in   *bufio.Scanner // of standard input
	done int
}

// line returns the next line of standard input, and reports false at its end.
func (w *walker) line() (string, bool) {
	ok := w.in.Scan()
	return strings.TrimSpace(w.in.Text()), ok
}

// action is one thing that a person can do about an item.
type action struct {
	key, words string
	do         func(context.Context) error
}

// step asks what to do about an item until it is settled. It reports whether the walk continues.
func (w *walker) step(ctx context.Context, it inbox.Item) bool {
	choices := w.choices(it)
	for {
		keys := words.Each(choices, func(c action) string { return c.key + " " + c.words })
		w.f.Out.Printf("%s > ", strings.Join(append(keys, "s skip", "q quit"), ", "))
		line, ok := w.line()
		if !ok {
			w.f.Out.Printf("\n")
			return false
		}
		switch line {
		case "q":
			return false
		case "s", "":
			return true
		}
		for _, c := range choices {
			if c.key != line {
				continue
			}
			if err := c.do(ctx); err != nil {
				w.f.Report(err)
				break
			}
			w.done++
			return true
		}
	}
}

// choices returns the actions for an item of its kind.
func (w *walker) choices(it inbox.Item) []action {
	id := string(it.Task)
	away := action{"a", "put away", func(ctx context.Context) error {
		return act(ctx, w.f, op.Ack, inbox.AckIn{Slug: it.Project, Items: []string{it.ID}}, func(*frame.Factory, inbox.AckOut) {})
	}}
	back := action{"b", "send back", func(ctx context.Context) error {
		why := w.ask("What has to change? ")
		return act(ctx, w.f, op.Move, work.MoveIn{Task: id, To: string(task.Open), Note: &why}, render.Move)
	}}
	switch it.Kind {
	case waiting.ItemApproval, waiting.ItemVerification:
		kind, _, _ := strings.Cut(string(it.Kind), "_")
		return []action{{"a", map[string]string{"approval": "approve", "verification": "verify"}[kind], func(ctx context.Context) error {
			return act(ctx, w.f, op.Approve, work.ApproveIn{Task: id, Kind: kind, Role: it.Role()}, func(f *frame.Factory, _ work.ApproveOut) {
				f.Say("Recorded your %s of %s\n", kind, id)
			})
		}}, back}
	case waiting.ItemReview:
		if it.Closed() { // it can be dismissed, or its task reopened
			return []action{away, back}
		}
		return []action{{"a", "approve: it is done", func(ctx context.Context) error {
			return act(ctx, w.f, op.Move, work.MoveIn{Task: id, To: string(task.Done)}, render.Move)
		}}, back}
	case waiting.ItemQuestion, waiting.ItemAsked:
		answer := action{"w", "write the answer", func(ctx context.Context) error {
			text := w.ask("Your answer: ")
			return act(ctx, w.f, op.Answer, work.AnswerIn{Question: it.Question(), Text: text}, func(f *frame.Factory, _ task.Question) {
				f.Say("Answered on %s\n", id)
			})
		}}
		if it.Kind == waiting.ItemAsked { // work goes on without the answer
			return []action{answer, away}
		}
		return []action{answer}
	default:
		return []action{away}
	}
}

// act carries out an operation, and says what was done.
func act[In, Out any](ctx context.Context, f *frame.Factory, o op.Of[In, Out], in In, say func(*frame.Factory, Out)) error {
	out, err := frame.Call(ctx, f, o, in)
	if err == nil {
		say(f, out)
	}
	return err
}

// ask returns one line, which may be empty: the operation refuses an empty text itself.
func (w *walker) ask(prompt string) string {
	w.f.Out.Printf("%s", prompt)
	line, _ := w.line()
	return line
}

// sum says how many items are left, including the ones that were not shown.
func (w *walker) sum(of inbox.InboxOut) string {
	if of.Total == 0 {
		return "Nothing waits for you"
	}
	return fmt.Sprintf("%d dealt with, %s%d left", w.done, words.When(of.TotalMore, "more than "), of.Total-w.done)
}
