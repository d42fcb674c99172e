package mcpserver

import (
	"slices"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"tasker/internal/op"
	"tasker/internal/safetext"
)

// loop are the operations that an agent needs to work through a plan, in the order in which it meets them. There are
// at most twelve: every further tool costs each agent attention in every turn.
var loop = []string{"next", "show", "claim", "list", "check", "note", "evidence", "ask", "move", "apply", "search", "release"}

// instructions are the short manual that a client shows its model at the start.
const instructions = "Tasker hands out the tasks of a plan. Call tasker_next: it claims the next task for you and answers all there is to know of it " +
	"(resume: true gives back what you hold already). Do the work. tasker_check each criterion once it is true, tasker_evidence for what the gate asks, " +
	"tasker_note what the next worker should know. Then tasker_move to done with next: true, which claims the next task in the same step; " +
	"a refusal lists all that is missing. " +
	"Stuck: tasker_ask (blocking), or tasker_release with a note. A claim has a lease, which your own writes extend.\n" + safetext.Mark

// about says what a tool is for, where an agent needs to know more than the operation's summary.
var about = map[string]string{
	"next":     "Claim the next task for you, in one step, and answer everything about it. task is null when there is nothing: idle says why.",
	"show":     "Show a task with everything a worker needs: criteria, gate, notes, what it waits for.",
	"claim":    "Claim one task by id, or renew the claim you hold.",
	"check":    "Tick acceptance criteria that are true now; checked: false unticks.",
	"evidence": "Record evidence, such as what the gate asks for.",
	"move":     "Move a task: done, in_review, cancelled, open. check, evidence and note are applied first, all or nothing. A refusal lists all that is missing.",
	"apply":    "Create or update tasks by key, all or nothing: one as task (without key: a new one), or several as tasks.",
	"release":  "Give a task back, with a note for the next worker.",
	"ask":      "Ask a person or another actor about a task. A blocking question takes it off the frontier until it is answered.",
}

// hints tell a client what a call can do; a GET only reads. Whatever is not listed adds and never overwrites, and does
// so again when it is called again.
var hints = map[string]struct{ idempotent, destructive bool }{
	"check":   {idempotent: true},
	"release": {idempotent: true},
	"apply":   {idempotent: true, destructive: true}, // it overwrites fields of tasks that exist
	"edit":    {idempotent: true, destructive: true},
	"approve": {idempotent: true},
}

// withheld are arguments that tools do not have: the fence is sent by itself, and an override is for people.
var withheld = []string{"fence", "force", "expectedVersion"}

// tool is an operation as it is offered.
type tool struct {
	op     *op.Op
	listed *mcp.Tool
	quotes bool // its answer holds text that others wrote
}

// wordless are the operations whose answer holds no text of tasks: every other is marked as quoting some.
var wordless = []string{"version", "claim", "release", "note", "evidence", "ack", "seen", "met", "ownership", "doctor"}

// offered makes the tools: those of the loop, and after them every other operation that has a route where all is
// asked for. An operation that there is no such of yet is left out.
func offered(all bool) ([]*tool, error) {
	var ops []*op.Op
	for _, name := range loop {
		if i := slices.IndexFunc(op.Table, func(o *op.Op) bool { return o.Name == name }); i >= 0 {
			ops = append(ops, op.Table[i])
		}
	}
	for _, o := range op.Table {
		if all && o.Method != "" && !slices.Contains(loop, o.Name) {
			ops = append(ops, o)
		}
	}
	tools := make([]*tool, 0, len(ops))
	for _, o := range ops {
		t, err := toolOf(o)
		if err != nil {
			return nil, err
		}
		tools = append(tools, t)
	}
	return tools, nil
}

func toolOf(o *op.Op) (*tool, error) {
	in, err := inSchema(o)
	if err != nil {
		return nil, err
	}
	out, err := outSchema(o)
	if err != nil {
		return nil, err
	}
	text := o.Summary + "."
	if more, ok := about[o.Name]; ok {
		text = more
	}
	h := hints[o.Name]
	a := &mcp.ToolAnnotations{ReadOnlyHint: o.Method == "GET", IdempotentHint: o.Method == "GET" || h.idempotent}
	if !a.ReadOnlyHint {
		a.DestructiveHint = &h.destructive
	}
	return &tool{op: o, quotes: !slices.Contains(wordless, o.Name), listed: &mcp.Tool{
		Name: "tasker_" + o.Name, Description: text, InputSchema: in, OutputSchema: out,
		Annotations: a,
	}}, nil
}
