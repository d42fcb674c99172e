package work

import (
	"context"
	"fmt"

	"tasker/internal/cli/frame"
	"tasker/internal/fault"
	"tasker/internal/hint"
	"tasker/internal/text/words"
	"tasker/internal/work"
)

// proveFirst proves a task that is about to be closed, as `tasker prove ID` does, and takes out of the move what the proof
// has done: the ticks, which rest on what ran. A line that fails or was not run, or a tick that was not made, leaves the
// task as it is.
func (o *moveOptions) proveFirst(ctx context.Context, f *frame.Factory, in *work.MoveIn) (warnings []string, err error) {
	proving := &proveOptions{check: in.Check, expected: in.ExpectedVersion}
	p, err := proving.prove(ctx, f, work.EvidenceIn{Task: in.Task, Fence: in.Fence}, nil)
	if err != nil {
		return nil, p.failed(f, err)
	}
	if !f.Flags.JSON {
		p.say(f)
		f.Warn(p.out.Warnings)
		p.out.Warnings = nil
	}
	p.sayPrinted(f)
	if in.Check = nil; in.ExpectedVersion != nil {
		in.ExpectedVersion = &p.version
	}
	return p.out.Warnings, p.unfinished()
}

// checkProof refuses flags that contradict --prove.
func (o *moveOptions) checkProof() error {
	switch {
	case o.prove && o.in.DryRun:
		return fault.Bad("--dry-run changes nothing, and --prove runs and records").WithHint("leave one of them out")
	case o.prove && o.in.By != nil:
		return fault.Bad("--by names the evidence that the ticks rest on, and with --prove they rest on what it runs").WithHint("leave one of them out")
	}
	return nil
}

// unfinished declines to close a task whose proof has not run every line or made every tick; nil if it has.
func (p *proof) unfinished() error {
	id, unmade := p.shown.Task.ID, p.unmade()
	switch {
	case len(p.skipped) > 0:
		return fault.Decline("%s is not closed: not every line of %s ran", id, gateOf(p.shown)).
			WithMissing(p.skipped...).WithHint("run it where the project's file declares it, or have it declared in .tasker.json: %s", hint.ProveGate(id))
	case len(unmade) > 0:
		missing := words.Each(unmade, func(i int) string { return fmt.Sprintf("criterion %d: %s", i, p.shown.Criteria[i-1].Text) })
		return fault.Decline("%s is not closed: what ran does not show what was to be ticked", id).
			WithMissing(missing...).WithHint("run what shows it (%s), or say what you saw (%s); then close it",
			hint.ProveCriterion(id, unmade[0]), hint.Seen(id, unmade[0]))
	}
	return nil
}
