package ui

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"tasker/internal/bundle"
	"tasker/internal/cli/follow"
	"tasker/internal/cli/frame"
	"tasker/internal/cli/render"
	"tasker/internal/cli/term"
	"tasker/internal/cli/workspace"
	"tasker/internal/fault"
	"tasker/internal/inbox"
	"tasker/internal/op"
	"tasker/internal/task"
	"tasker/internal/text/words"
	"tasker/internal/views/picture"
	"tasker/internal/views/reading"
	"tasker/internal/work"
)

// Operations are what the view needs from the program.
type Operations interface {
	// List returns the first rows of a list, narrowed by words.
	List(ctx context.Context, tab Tab, narrow string) (Listing, error)
	// Task returns a task as tasker show prints it.
	Task(ctx context.Context, id task.ID) (*Brief, error)
	// Around returns a task with its neighbours.
	Around(ctx context.Context, id task.ID) (*Neighbours, error)
	// Do carries out an act, and says what it did.
	Do(ctx context.Context, act Act) (string, error)
	// Await waits for an event after from, and returns the id of the newest one.
	Await(ctx context.Context, from int64) (int64, error)
	// Refusal returns an error in the words of the command line.
	Refusal(err error) frame.Refusal
}

// operations carries them out as commands do.
type operations struct {
	f       *frame.Factory
	project string
}

// rowLimit is how many rows of a list are loaded: more than anybody scrolls through.
const rowLimit = 200

func (o *operations) List(ctx context.Context, tab Tab, narrow string) (Listing, error) {
	in := reading.ListIn{Project: o.project, Q: narrow, Limit: new(rowLimit)}
	switch {
	case tab == TabInbox:
		return o.inbox(ctx, narrow)
	case tab == TabReady && narrow == "": // in the order of selection
		out, err := frame.Call(ctx, o.f, op.Ready, reading.ReadyIn{Slug: o.project, Limit: new(rowLimit)})
		return Listing{Rows: o.rowsOf(out.Tasks, out.ForPeople), Total: out.Total}, err
	case tab == TabReady:
		in.Ready = new(true)
	case tab == TabHeld:
		in.Mine = true
	}
	out, err := frame.Call(ctx, o.f, op.List, in)
	return Listing{Rows: o.rowsOf(out.Tasks, out.ForPeople), Total: out.Total, More: out.TotalMore}, err
}

func (o *operations) inbox(ctx context.Context, narrow string) (Listing, error) {
	out, err := frame.Call(ctx, o.f, op.Inbox, inbox.InboxIn{Slug: o.project, Limit: new(rowLimit)})
	l := Listing{Total: out.Total, More: out.TotalMore}
	for i := range out.Items {
		it := &out.Items[i]
		if narrow != "" && !strings.Contains(strings.ToLower(it.ID+" "+it.Title+" "+it.Why), strings.ToLower(narrow)) {
			l.Total--
			continue
		}
		l.Rows = append(l.Rows, Row{ID: it.Task, Title: it.Title, Item: it, Since: render.Ago(o.f, it.Since)})
	}
	return l, err
}

func (o *operations) rowsOf(tasks []*task.Task, people []task.ID) []Row {
	rows := make([]Row, len(tasks))
	for i, t := range tasks {
		c := render.Card(o.f, t)
		rows[i] = Row{
			ID: t.ID, Mark: render.State(o.f, &c), Priority: t.Priority, Title: t.Title, Due: render.Due(o.f, &c),
			Version: t.Version,
		}
		if slices.Contains(people, t.ID) {
			rows[i].Mark = render.ForPeople
		}
		if t.Claim != nil {
			rows[i].Holder = t.Claim.Actor
		}
	}
	return rows
}

func (o *operations) Task(ctx context.Context, id task.ID) (*Brief, error) {
	b, err := frame.Call(ctx, o.f, op.Show, reading.ShowIn{Task: string(id)})
	if err != nil {
		return nil, err
	}
	brief := briefOf(o.f, b)
	brief.Paint(leastWidth) // query the repository now, not while drawing
	return brief, nil
}

// briefOf returns a task as it was read.
func briefOf(f *frame.Factory, b *bundle.Bundle) *Brief {
	t := b.Task
	brief := &Brief{ID: t.ID, Version: t.Version}
	for _, q := range b.Questions {
		if q.Open() {
			brief.Questions = append(brief.Questions, q)
		}
	}
	paint := frame.Painted(f)
	brief.Paint = func(width int) [][]term.Span {
		return term.Styled(paint(width, func(f *frame.Factory) { render.Bundle(f, b) }))
	}
	return brief
}

func (o *operations) Around(ctx context.Context, id task.ID) (*Neighbours, error) {
	g, err := frame.Call(ctx, o.f, op.Graph, picture.GraphIn{Task: string(id), Upstream: new(1), Downstream: new(1)})
	if err != nil {
		return nil, err
	}
	out := &Neighbours{}
	for _, n := range g.Nodes {
		node := Node{ID: n.ID, Title: n.Title, Mark: render.Mark(n.State), Holder: string(n.Holder), More: n.Truncated}
		switch {
		case n.ID == g.Task:
			out.Task = node
		case n.Depth < 0:
			out.Sides[Upstream] = append(out.Sides[Upstream], node)
		default:
			out.Sides[Downstream] = append(out.Sides[Downstream], node)
		}
	}
	return out, nil
}

func (o *operations) Await(ctx context.Context, from int64) (int64, error) {
	return follow.Until(ctx, o.f, reading.EventsIn{Project: o.project}, from, follow.Any)
}

func (o *operations) Refusal(err error) frame.Refusal { return frame.RefusalOf(o.f, err) }

func (o *operations) Do(ctx context.Context, act Act) (string, error) {
	id := string(act.Task)
	fence, err := o.f.Fence(ctx, nil, id)
	if err != nil {
		return "", err
	}
	var version *int64
	if act.Version > 0 {
		version = &act.Version
	}
	switch act.Verb {
	case Approve:
		_, err = frame.Call(ctx, o.f, op.Approve, work.ApproveIn{Task: id, Kind: act.Kind, Role: act.Role, ExpectedVersion: version})
		return "Recorded your " + cmp.Or(act.Kind, task.KindApproval) + " of " + id, err
	case Close:
		return o.close(ctx, work.MoveIn{Task: id, To: string(task.Done), ExpectedVersion: version, Fence: fence})
	case Return:
		return o.giveBack(ctx, act, work.MoveIn{Task: id, To: string(task.Open), Note: &act.Text, ExpectedVersion: version, Fence: fence})
	case Answer:
		_, err = frame.Call(ctx, o.f, op.Answer, work.AnswerIn{Question: act.Question, Text: act.Text})
		return fmt.Sprintf("Answered question %d on %s", act.Question, id), err
	case Claim:
		var c work.ClaimOut
		c, err = frame.Call(ctx, o.f, op.Claim, work.ClaimIn{Task: id, Fence: fence})
		return render.Yours(o.f, c.Record()), err
	case Release:
		return o.release(ctx, work.ReleaseIn{Task: id, Fence: fence})
	case Tick, Untick:
		return o.tick(ctx, work.TickIn{Task: id, Indexes: act.Criteria, Fence: fence}, act.Verb == Tick)
	case Note:
		_, err = frame.Call(ctx, o.f, op.Note, work.NoteIn{Task: id, Text: act.Text, Fence: fence})
		return "Noted on " + id, err
	case PutAway:
		_, err = frame.Call(ctx, o.f, op.Ack, inbox.AckIn{Slug: o.project, Items: []string{act.Item}})
		return "Put away", err
	}
	return "", fault.New(fault.Internal, "there is no act %s", string(act.Verb))
}

func (o *operations) close(ctx context.Context, in work.MoveIn) (string, error) {
	in, changed := workspace.Carried(ctx, o.f, in, workspace.Reading(o.f))
	out, err := frame.Call(ctx, o.f, op.Move, in)
	if err != nil {
		return "", err
	}
	if said := workspace.Closed(ctx, o.f, in.Task, changed); said != "" {
		out.Warnings = append(out.Warnings, said)
	}
	return moved(out), nil
}

func (o *operations) giveBack(ctx context.Context, act Act, in work.MoveIn) (string, error) {
	if act.Item == "" {
		b, err := frame.Call(ctx, o.f, op.Show, reading.ShowIn{Task: in.Task})
		if err == nil {
			err = b.Task.CheckReturn()
		}
		if err != nil {
			return "", err
		}
	}
	out, err := frame.Call(ctx, o.f, op.Move, in)
	if err != nil {
		return "", err
	}
	return moved(out), nil
}

// moved says what the task's status is now, what became ready, and what else the reader should know.
func moved(out work.MoveOut) string {
	said := fmt.Sprintf("%s %s, was %s", out.Task.ID, render.Status(out.Task.Status).Text, render.StatusWord(out.From)) +
		words.When(out.UnblockedTotal > 0, "; "+words.Count(out.UnblockedTotal, "task", "tasks")+" became ready")
	return strings.Join(append([]string{said}, out.Warnings...), "; ")
}

func (o *operations) release(ctx context.Context, in work.ReleaseIn) (string, error) {
	out, err := frame.Call(ctx, o.f, op.Release, in)
	if out.Actor == "" {
		return in.Task + " was held by nobody", err
	}
	return fmt.Sprintf("%s is released; %s held it", in.Task, out.Actor), err
}

func (o *operations) tick(ctx context.Context, in work.TickIn, checked bool) (string, error) {
	in.Checked = &checked
	t, err := frame.Call(ctx, o.f, op.Tick, in)
	if err != nil {
		return "", err
	}
	p := task.ProgressOf(t.Criteria)
	return fmt.Sprintf("%s has %d of %s ticked", t.ID, p.Checked, words.Count(p.Total, "criterion", "criteria")), nil
}
