package render

import (
	"tasker/internal/cli/frame"
	"tasker/internal/cli/term"
	"tasker/internal/task"
	"tasker/internal/text/words"
)

// Runners prints where each runner of commands stands, in a line each.
func Runners(f *frame.Factory, runners []task.Runner) {
	for _, r := range runners {
		state := term.Textf("%s", string(r.State))
		if r.State == task.RunnerPaused || r.StoppedItself() {
			state = term.Red.Of(string(r.State))
		}
		f.Out.Spans(term.Textf("Runner of "), term.Bold.Of(r.Actor), term.Textf(" on %s: ", r.Host), state)
		if r.State == task.RunnerPaused && r.Until != 0 {
			f.Out.Printf(" until %s", Exact(r.Until))
		}
		if r.Why != "" {
			f.Out.Printf(", %s", r.Why)
		}
		f.Out.Printf("%s, %s, since %s\n", words.When(len(r.Tasks) > 0, " ("+words.And(r.Tasks)+")"), words.Count(r.Workers, "worker", "workers"), Ago(f, r.Since))
	}
}
