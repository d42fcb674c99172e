package work

import (
	"strings"

	"tasker/internal/cli/frame"
	"tasker/internal/cli/term"
)

// tailBytes is how much of the output of a command that failed is shown if nobody watches it run: a worker needs it to
// mend the cause. Of a command that ended well, what its evidence keeps is enough.
const tailBytes = 4000

// printed is what a command printed.
type printed struct {
	command string
	kept    string // the end, as it is kept with evidence
	end     string // more of it
	bytes   int64  // in all
	failed  bool
}

// show prints the end of the output for a reader who did not watch the command run, each line indented so that none
// passes for ours. It comes after the result: an agent reads that first, and pays for every line.
func (p printed) show(f *frame.Factory, to *term.Terminal) {
	text := p.kept
	if p.failed {
		text = strings.TrimRight(p.end, "\n")
	}
	switch {
	case f.Process.ErrTTY || text == "":
		return
	case int64(len(text))+1 < p.bytes:
		to.Printf("%s printed %d bytes, the last %d of them:\n", p.command, p.bytes, len(text))
	default:
		to.Printf("%s printed:\n", p.command)
	}
	to.Block("  ", text)
}

// beside returns where a command that runs, and what it printed, is shown: next to the result, so that nothing that puts
// the two streams together in its own way puts them in another order. Where standard output is a document, or where
// somebody watches the other stream, it is that.
func beside(f *frame.Factory) *term.Terminal {
	if f.Process.ErrTTY || f.Flags.JSON || f.Flags.Quiet {
		return f.Err
	}
	return f.Out
}
