package task

import (
	"slices"

	"tasker/internal/fault"
)

// RunnerState is what a runner of commands does.
type RunnerState string

// The states of a runner.
const (
	RunnerWorking RunnerState = "working"
	RunnerIdle    RunnerState = "idle"    // it waits for work
	RunnerPaused  RunnerState = "paused"  // its workers take nothing until a limit or an outage ends
	RunnerStopped RunnerState = "stopped" // it has ended; with a reason: by itself
)

// RunnerStates lists the states.
var RunnerStates = []RunnerState{RunnerWorking, RunnerIdle, RunnerPaused, RunnerStopped}

// Limits of what a runner says of itself.
const (
	MaxRunnerWhy = 1000 // characters
	MaxWorkers   = 100
)

// Runner is a process that runs a command for one task after another, as it last said where it stands.
//
//field:json
type Runner struct {
	Actor   string      `json:"actor"` // with its instance
	Host    string      `json:"host"`
	State   RunnerState `json:"state"`
	Workers int         `json:"workers"`
	Tasks   []ID        `json:"tasks"` // that it works on; where it stopped by itself, those because of which
	Until   Time        `json:"until"` // null unless it pauses or waits
	Why     Opt         `json:"why"`   // why it pauses, or why it stopped by itself
	Since   Time        `json:"since"` // when it came into this state
}

// runnerLingers is how long a runner is shown after its last word, or after the time that it named, in milliseconds. A
// runner that works says every twenty seconds that it still does.
const runnerLingers = 60 * 1000

// Ends returns until when a runner that says nothing more is shown.
func (r Runner) Ends(now Time) Time {
	if r.State == RunnerStopped {
		return now.Add(runnerLingers)
	}
	return max(now, r.Until).Add(runnerLingers)
}

// StoppedItself reports whether the runner stopped because of what its commands did, so that a person has to look.
func (r Runner) StoppedItself() bool { return r.State == RunnerStopped && r.Why != "" }

// After returns the runner with the time since which it is in its state, and the event of the change; "" if there is none.
// before is what it said last, or nil.
func (r Runner) After(before *Runner, now Time) (Runner, Kind) {
	r.Since = now
	if before != nil && before.State == r.State {
		r.Since = before.Since
		return r, ""
	}
	was := RunnerStopped
	if before != nil {
		was = before.State
	}
	switch {
	case r.State == RunnerStopped:
		return r, RunnerEnded
	case was == RunnerStopped:
		return r, RunnerStarted
	case r.State == RunnerPaused:
		return r, RunnerPauses
	case was == RunnerPaused:
		return r, RunnerResumed
	}
	return r, ""
}

// Check returns what is wrong with what a runner says.
func (r Runner) Check() error {
	switch {
	case !slices.Contains(RunnerStates, r.State):
		return fault.Bad("state is %q", string(r.State)).WithMissing("state").WithHint("it is working, idle, paused or stopped")
	case r.Workers < 1 || r.Workers > MaxWorkers:
		return fault.Bad("workers is %d", r.Workers).WithMissing("workers").WithHint("a whole number from 1 to %d", MaxWorkers)
	}
	if err := fault.At("host", CheckName("host", r.Host)); err != nil {
		return err
	}
	if err := fault.At("tasks", CheckCount("tasks", len(r.Tasks), MaxWorkers)); err != nil {
		return err
	}
	return fault.At("why", CheckOptional("why", string(r.Why), MaxRunnerWhy))
}

// Payload returns what the event of a change says of the runner.
func (r Runner) Payload() Payload {
	p := Payload{"host": r.Host, "workers": r.Workers}
	switch {
	case r.State == RunnerPaused:
		p["until"], p["why"] = r.Until, r.Why
	case r.StoppedItself():
		p["why"], p["tasks"] = r.Why, r.Tasks
	}
	return p
}
