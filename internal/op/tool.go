package op

// Tool is how an operation is offered to agents, as far as the route and the types do not say. Every operation with a
// route is a tool.
type Tool struct {
	Name        string // unique
	About       string // what it is for, in words for an agent
	Step        int    // its position in the loop that an agent works through, from 1; 0: offered only with all others
	Idempotent  bool   // calling it again changes nothing more; reads always are
	Destructive bool   // it overwrites existing data
	Wordless    bool   // its answer quotes no text of a task
	Remark      bool   // open to everybody, so it works without the fence of a lost claim
}

// tool sets how the operation is offered to agents. Without it the tool is tasker_<name> and its description is the
// summary.
func tool(name string, opts ...toolOption) option {
	return func(o *Op) {
		o.Tool.Name = name
		for _, opt := range opts {
			opt(&o.Tool)
		}
	}
}

type toolOption func(*Tool)

// about sets the description of a tool, if an agent needs to know more than the operation's summary.
func about(text string) toolOption { return func(t *Tool) { t.About = text } }

// step puts a tool into the loop, in the order in which an agent needs them. There are at most fifteen: every further
// tool costs each agent attention in every turn.
func step(n int) toolOption { return func(t *Tool) { t.Step = n } }

func idempotent(t *Tool)  { t.Idempotent = true }
func destructive(t *Tool) { t.Destructive = true }
func wordless(t *Tool)    { t.Wordless = true }
func remark(t *Tool)      { t.Remark = true }
