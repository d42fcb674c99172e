package op

// Tool is how an operation is offered to agents, where the route and the types do not tell. Every operation with a route
// is a tool.
type Tool struct {
	Name        string // unique
	About       string // what it is for, in words for an agent
	Step        int    // its place in the loop that an agent works through, from 1; 0: offered only with all others
	Idempotent  bool   // called again, it changes nothing more; reads are so anyway
	Destructive bool   // it overwrites what is there
	Wordless    bool   // its answer quotes no text of a task
	Remark      bool   // open to everybody, so it goes without the fence of a claim that is lost
}

// tool says how the operation is offered to agents. Without it the tool is tasker_<name> and says the summary.
func tool(name string, opts ...toolOption) option {
	return func(o *Op) {
		o.Tool.Name = name
		for _, opt := range opts {
			opt(&o.Tool)
		}
	}
}

type toolOption func(*Tool)

// about says what a tool is for, where an agent needs to know more than the operation's summary.
func about(text string) toolOption { return func(t *Tool) { t.About = text } }

// step puts a tool into the loop, in the order in which an agent meets them. There are at most fourteen: every further
// tool costs each agent attention in every turn.
func step(n int) toolOption { return func(t *Tool) { t.Step = n } }

func idempotent(t *Tool)  { t.Idempotent = true }
func destructive(t *Tool) { t.Destructive = true }
func wordless(t *Tool)    { t.Wordless = true }
func remark(t *Tool)      { t.Remark = true }
