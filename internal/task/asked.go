package task

import (
	"strings"

	"tasker/internal/fault"
	"tasker/internal/hint"
)

// Line returns the line that a criterion asks for, if it asks for a command: its text begins with CommandPrefix. What
// follows the last ` # ` outside quotes is for readers, and no part of the line.
func (c Criterion) Line() (line string, ok bool) {
	if !IsCommand(c.Text) {
		return "", false
	}
	rest := c.Text[1:] // with the blank, which a remark may follow at once
	return strings.TrimSpace(rest[:remark(rest)]), true
}

// remark returns where the last ` # ` outside quotes begins, or the length of the line.
func remark(line string) int {
	at, quote := len(line), byte(0)
	for i := 0; i < len(line); i++ {
		switch b := line[i]; {
		case b == '\\' && quote != '\'':
			i++
		case quote != 0:
			if b == quote {
				quote = 0
			}
		case b == '\'' || b == '"':
			quote = b
		case strings.HasPrefix(line[i:], " # "):
			at = i
		}
	}
	return at
}

// BadCriterion returns why a criterion that asks for a command cannot be one, or "". Any other text passes.
func BadCriterion(text string) (why string) {
	line, ok := Criterion{Text: text}.Line()
	switch {
	case !ok:
		return ""
	case strings.ContainsAny(text, lineBreaks):
		return brokenCommand
	}
	return BadCommand(CommandKind(line))
}

// Run returns the call that runs the command of a criterion and ticks it, or false for a criterion that is none. It gives
// the line as it stands: nothing runs a line of the database by itself.
func (c Criterion) Run(id ID) (call hint.Call, ok bool) {
	line, ok := c.Line()
	return hint.ProveLine(id, c.Index, line), ok
}

// CheckShown declines the tick of a criterion that is a command where it does not rest on a run of it: an agent next to
// declared humans ticks it in no other way. Others may tick it by hand.
func (t *Task) CheckShown(c Criterion, a Actor, p Policy, on Basis) error {
	run, ok := c.Run(t.ID)
	if !ok || on.Rests == RestsOnRun || !p.bound(a) {
		return nil
	}
	return fault.Decline("criterion %d of %s is a command: a run of it that ended well ticks it, and nothing else that an agent gives", c.Index, t.ID).
		WithMissing(c.missing()).WithHint("run it: %s", run)
}
