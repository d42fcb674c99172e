package render

import (
	"tasker/internal/cli/frame"
	"tasker/internal/cli/term"
	"tasker/internal/task"
)

// Tasks prints tasks as a table.
func Tasks(f *frame.Factory, tasks []*task.Task) {
	cards := make([]task.Card, len(tasks))
	for i, t := range tasks {
		cards[i] = task.CardOf(t)
	}
	Cards(f, cards)
}

// Cards prints tasks as a table.
func Cards(f *frame.Factory, cards []task.Card) {
	if len(cards) == 0 {
		return
	}
	cols := []term.Column{
		{Head: "ID"}, {Head: "STATUS"}, {Head: "PRI", Drop: 2}, {Head: "TITLE", Flex: true}, {Head: "HELD BY", Drop: 1},
		{Head: "CHANGED", Drop: 3},
	}
	rows := make([][]term.Span, 0, len(cards))
	for i := range cards {
		c, holder := &cards[i], term.Span{}
		if c.Claim != nil {
			holder = term.Textf("%s", c.Claim.Actor)
		}
		rows = append(rows, []term.Span{
			term.Bold.Of(string(c.ID)), Status(c.Status), term.Textf("%d", c.Priority), term.Textf("%s", c.Title), holder,
			term.Faint.Of(Ago(c.UpdatedAt, f.Now())),
		})
	}
	f.Out.Table(cols, rows)
}

// taskLine prints one task in one line.
func taskLine(f *frame.Factory, t *task.Task) {
	f.Out.Spans(term.Bold.Of(string(t.ID)), term.Textf("  "), Status(t.Status))
	f.Out.Printf("  %s\n", t.Title)
}
