package render

import (
	"fmt"
	"slices"
	"strings"

	"tasker/internal/cli/frame"
	"tasker/internal/cli/term"
	"tasker/internal/fault"
	"tasker/internal/task"
	"tasker/internal/text/words"
)

// column is a column that a table of tasks can have.
type column struct {
	name string // selects it in --columns
	term.Column
	cell func(f *frame.Factory, c *task.Card) term.Span
	some bool // without an explicit choice, shown only if some task has a value in it
}

var columns = []column{
	{"id", term.Column{Head: "ID"}, func(_ *frame.Factory, c *task.Card) term.Span { return term.Bold.Of(string(c.ID)) }, false},
	{"key", term.Column{Head: "KEY", Drop: 4}, key, true},
	{"state", term.Column{Head: "STATE"}, State, false},
	{"status", term.Column{Head: "STATUS"}, func(_ *frame.Factory, c *task.Card) term.Span { return Status(c.Status) }, true},
	{"priority", term.Column{Head: "PRI", Drop: 2}, func(_ *frame.Factory, c *task.Card) term.Span { return term.Textf("%d", c.Priority) }, false},
	{"title", term.Column{Head: "TITLE", Flex: true}, func(_ *frame.Factory, c *task.Card) term.Span { return term.Textf("%s", c.Title) }, false},
	{"due", term.Column{Head: "DUE", Drop: 1}, Due, true},
	{"holder", term.Column{Head: "HELD BY", Drop: 1}, holder, true},
	{"gate", term.Column{Head: "GATE", Drop: 5}, func(_ *frame.Factory, c *task.Card) term.Span { return term.Textf("%s", string(c.Gate)) }, true},
	{"ticks", term.Column{Head: "TICKS", Drop: 5}, ticks, true},
	{"version", term.Column{Head: "VERSION", Drop: 5}, func(_ *frame.Factory, c *task.Card) term.Span { return term.Textf("%d", c.Version) }, true},
	{"changed", term.Column{Head: "CHANGED", Drop: 3}, changed, false},
}

// usual lists the columns of a table if the user chooses none.
var usual = []string{"id", "key", "state", "priority", "title", "due", "holder", "changed"}

// Columns returns the names of the columns that a table of tasks can have.
func Columns() []string {
	return words.Each(columns, func(c column) string { return c.name })
}

// CheckColumns refuses a name that no column has.
func CheckColumns(names []string) error {
	for _, n := range names {
		if !slices.Contains(Columns(), n) {
			e := fault.Bad("--columns: there is no column %s", words.Quoted(n))
			return frame.Suggesting(e, "", frame.Near(n, Columns()), "of "+words.List(Columns()))
		}
	}
	return nil
}

func key(_ *frame.Factory, c *task.Card) term.Span {
	return term.Faint.Of(words.When(c.Key != string(c.ID), c.Key))
}

// State returns the state of a task and, if it waits, what it waits for.
func State(_ *frame.Factory, c *task.Card) term.Span { return named(task.States[c.State()], c) }

// named returns a state by its name and, if the task waits, what it waits for.
func named(state string, c *task.Card) term.Span {
	s := Mark(state)
	if state != task.States[task.StateWaiting] {
		return s
	}
	s.Text += " for " + words.Count(c.OpenDeps+c.Parts, "task", "tasks")
	return s
}

// Due returns when a task is due, and marks it if it is overdue.
func Due(f *frame.Factory, c *task.Card) term.Span {
	if overdue(f, c) {
		return term.Red.Of("! " + string(c.Due) + " overdue")
	}
	return term.Textf("%s", string(c.Due))
}

// overdue reports whether a task is open and its due date has passed.
func overdue(f *frame.Factory, c *task.Card) bool {
	t := task.Task{Due: c.Due}
	at, ok := t.DueAt()
	return ok && !c.Status.Closed() && at.Go().Before(f.Now())
}

// overdueMark marks an overdue task where there is no room for the date.
const overdueMark = "! overdue"

// dueShort returns the short form of the due column for a narrow terminal, which only marks overdue tasks. It returns
// nil if none is overdue.
func dueShort(f *frame.Factory, cards []task.Card) []term.Span {
	short, some := make([]term.Span, len(cards)), false
	for i := range cards {
		if overdue(f, &cards[i]) {
			short[i], some = term.Red.Of(overdueMark), true
		}
	}
	if !some {
		return nil
	}
	return short
}

func holder(_ *frame.Factory, c *task.Card) term.Span {
	if c.Claim == nil {
		return term.Span{}
	}
	return term.Textf("%s", c.Claim.Actor)
}

func ticks(_ *frame.Factory, c *task.Card) term.Span {
	return term.Plain.Of(words.When(c.Progress.Total > 0, fmt.Sprintf("%d/%d", c.Progress.Checked, c.Progress.Total)))
}

func changed(f *frame.Factory, c *task.Card) term.Span {
	return term.Faint.Of(Ago(f, c.UpdatedAt))
}

// Tasks prints tasks as a table, with the chosen columns or, without a choice, the default ones. The states come from the
// answer, because a record alone does not have everything that a state follows from. Some answers, and those of an older
// server, have no states. Of the ready tasks, those that only humans may hold are shown as such.
func Tasks(f *frame.Factory, tasks []*task.Task, states []string, forPeople []task.ID, chosen ...string) {
	cards := make([]task.Card, len(tasks))
	for i, t := range tasks {
		cards[i] = task.CardOf(t)
	}
	table(f, cards, states, forPeople, chosen)
}

// Cards prints tasks as a table; see Tasks.
func Cards(f *frame.Factory, cards []task.Card, forPeople []task.ID) {
	table(f, cards, nil, forPeople, nil)
}

// table prints tasks as a table, with the given states, or the states that the cards imply.
func table(f *frame.Factory, cards []task.Card, states []string, forPeople []task.ID, chosen []string) {
	if len(cards) == 0 {
		return
	}
	if f.ServerURL() != "" {
		cards = slices.Clone(cards)
		for i := range cards {
			cards[i].Parts = cards[i].OpenChildren
		}
	}
	names := chosen
	if len(names) == 0 {
		names = usual
	}
	var cols []term.Column
	rows := make([][]term.Span, len(cards))
	for _, name := range names {
		i := slices.IndexFunc(columns, func(c column) bool { return c.name == name })
		c := columns[i]
		cells := make([]term.Span, len(cards))
		empty := true
		for j := range cards {
			switch cells[j] = c.cell(f, &cards[j]); {
			case c.name != "state":
			case slices.Contains(forPeople, cards[j].ID):
				cells[j] = ForPeople
			case j < len(states):
				cells[j] = named(states[j], &cards[j])
			}
			empty = empty && cells[j].Text == ""
		}
		if empty && c.some && len(chosen) == 0 {
			continue
		}
		if c.name == "due" {
			c.Short = dueShort(f, cards)
		}
		cols = append(cols, c.Column)
		for j := range cards {
			rows[j] = append(rows[j], cells[j])
		}
	}
	f.Out.Table(cols, rows)
}

// Card returns the card of a task, from which State derives its state.
func Card(f *frame.Factory, t *task.Task) task.Card { return task.CardOf(whole(f, t)) }

// whole returns a task with everything that its state is derived from. A record does not distinguish parts from
// children, so through a server a child also counts as a part if the two wait for each other.
func whole(f *frame.Factory, t *task.Task) *task.Task {
	if f.ServerURL() == "" {
		return t
	}
	c := *t
	c.Parts = c.OpenChildren
	return &c
}

// Line returns a task in at most cells cells: its mark, its id, whether it is overdue or ready for people only, and its
// title.
func Line(f *frame.Factory, c *task.Card, forPeople bool, cells int) term.Span {
	mark, _, _ := strings.Cut(Mark(task.States[c.State()]).Text, " ")
	text, style := mark+" "+string(c.ID)+" "+words.When(forPeople, "(for people) "), term.Plain
	if overdue(f, c) {
		text, style = text+overdueMark+" ", term.Red
	}
	return style.Of(term.Cut(term.Inert(text+c.Title, false), cells))
}

// Twig is a task in a tree.
type Twig struct {
	ID     task.ID
	State  string
	Status task.Status
	Holder task.Opt
	Due    task.Opt
	Title  string
	More   string // follows the title
}

// Branch prints a task on one line after the edges of a tree, with its title cut to the width of the terminal.
func Branch(f *frame.Factory, edges string, t Twig) {
	mark := Mark(t.State)
	by := words.When(t.Holder != "", " by "+term.Inert(string(t.Holder), false))
	late := words.When(overdue(f, &task.Card{Status: t.Status, Due: t.Due}), " "+overdueMark)
	title := term.Inert(t.Title, false)
	if w := f.Out.Width; w > 0 {
		room := w - term.Columns(edges+string(t.ID)+"  "+mark.Text+late+"  "+t.More)
		by = term.Cut(by, max(1, room-min(term.Columns(title), room/2))) // cut the title first, since the holder is short
		title = term.Cut(title, max(1, room-term.Columns(by)))
	}
	f.Out.Line(term.Faint.Of(edges), term.Bold.Of(string(t.ID)), term.Textf("  "), mark,
		term.Textf("%s", by), term.Red.Of(late), term.Textf("  %s%s", title, t.More))
}

// taskLine prints one task in one line.
func taskLine(f *frame.Factory, t *task.Task) {
	f.Out.Line(term.Bold.Of(string(t.ID)), term.Textf("  "), Mark(task.States[whole(f, t).State()]), term.Textf("  %s", t.Title))
}
