package workspace

import (
	"fmt"

	"tasker/internal/fault"
	"tasker/internal/task"
	"tasker/internal/text/words"
)

// State says how far a workspace is.
type State string

// The states. Abandoned is not stored: it is an open workspace whose claim has ended and whose task
// nobody holds.
const (
	Opening   State = "opening"
	Open      State = "open"
	Closing   State = "closing"
	Abandoned State = "abandoned"
)

// The strategies.
const (
	InPlace  = "in-place"
	Worktree = "worktree"
)

// Workspace is the record of where the work on a task happens, on one machine. It is written before
// anything is made, so that the record shows what a crash leaves behind.
type Workspace struct {
	Task     task.ID   `json:"-"`
	Host     string    `json:"-"`
	Path     string    `json:"path"`
	State    State     `json:"-"`
	Root     string    `json:"root"` // of the repository
	Strategy string    `json:"strategy"`
	Branch   string    `json:"branch,omitzero"`
	Base     string    `json:"base,omitzero"`    // what it starts from, in words
	From     string    `json:"from,omitzero"`    // the commit that the branch started at
	Against  string    `json:"against,omitzero"` // the ref of the base, to compare with
	OwnTree  bool      `json:"ownTree,omitzero"` // the directory was made for it, so it may be removed
	OwnRef   bool      `json:"ownRef,omitzero"`  // the branch was made for it
	Ports    []int     `json:"ports,omitempty"`
	Files    []string  `json:"files,omitempty"`   // written by providers, relative to the path
	Ignored  []string  `json:"ignored,omitempty"` // what git ignored after the last step of the setup: made by it
	OpenedAt task.Time `json:"openedAt"`
	OpenedBy string    `json:"openedBy"`
	Fence    int64     `json:"fence,omitzero"` // of the claim under which it was opened; 0 without one
	Steps    []Step    `json:"steps,omitempty"`
	Log      string    `json:"log,omitzero"` // the file with the whole output of its steps
	Seen     *Seen     `json:"seen,omitzero"`

	// How far closing has come, so that it can be finished after a crash.
	Forced   bool   `json:"forced,omitzero"`   // its ignored files may go
	Removing bool   `json:"removing,omitzero"` // its teardown is over and nothing in it would be lost; its directory is being removed
	Kept     string `json:"kept,omitzero"`     // the ref under which changes were stored
}

// Step says how one step of setup or teardown ended.
type Step struct {
	Name       string `json:"name"`
	ExitCode   int    `json:"exitCode"`
	DurationMs int64  `json:"durationMs"`
	Optional   bool   `json:"optional"`
}

// Warnings lists the failed steps that did not stop the rest.
func (w *Workspace) Warnings() []string {
	out := []string{}
	for _, s := range w.Steps {
		if s.ExitCode != 0 {
			out = append(out, fmt.Sprintf("the %s %q ended with exit code %d; its output is in %s",
				words.Either(s.Optional, "optional step", "step"), s.Name, s.ExitCode, w.Log))
		}
	}
	return out
}

// Seen is what the last command on its machine saw of a workspace.
type Seen struct {
	Commit    string    `json:"commit,omitzero"`
	Dirty     bool      `json:"dirty"`
	Ahead     int       `json:"ahead"`
	Behind    int       `json:"behind"`
	Landed    bool      `json:"landed"`
	Pushed    bool      `json:"pushed,omitzero"` // a remote has all of its commits
	CheckedAt task.Time `json:"checkedAt"`
}

// StateWith returns the state of a workspace given its task: it is abandoned if the claim under
// which it was opened has ended and nobody holds the task.
func (w *Workspace) StateWith(t *task.Task, now task.Time) State {
	if w.State == Open && w.Fence != 0 && !t.Status.Closed() && !t.Claim.Live(now) {
		return Abandoned
	}
	return w.State
}

// Use is an act on the workspace of a task, as a refusal words it.
type Use string

// The acts that need permission.
const (
	ToOpen    Use = "open its workspace"
	ToRead    Use = "read the environment of its workspace"
	ToExec    Use = "run something in its workspace"
	ToRefresh Use = "refresh its workspace"
	ToClose   Use = "close its workspace"
	ToPrune   Use = "clear away its workspace"
)

// CheckOpen refuses to make a workspace for a closed task.
func CheckOpen(t *task.Task) error {
	if t.Status.Closed() {
		return fault.Decline("%s is %s, and needs no workspace", t.ID, t.Status).WithHint("reopen it first, if there is more to do")
	}
	return nil
}

// CheckUse decides every act on the workspace of a task: the holder may, a human may, and anybody
// may if nobody holds the task. Two instances of one name are two actors, as in CheckHold, and a
// given fence must be that of the newest claim.
func CheckUse(t *task.Task, who task.Actor, fence *int64, now task.Time, to Use) error {
	if err := t.CheckFence(fence); err != nil {
		return err
	}
	err := t.CheckHold(who, now)
	if err == nil {
		return nil
	}
	refusal := *fault.Of(err)
	refusal.Message += ": " + who.FullOr("nobody") + " may not " + string(to)
	return &refusal
}

// Payload returns what the events of a workspace say about it.
func (w *Workspace) Payload() task.Payload {
	p := task.Payload{"path": w.Path, "host": w.Host, "strategy": w.Strategy}
	if w.Branch != "" {
		p["branch"], p["base"] = w.Branch, w.Base
	}
	if len(w.Ports) > 0 {
		p["ports"] = w.Ports
	}
	return p
}

// OwnBranch reports whether the workspace is on a branch that is compared with a base.
func (w *Workspace) OwnBranch() bool { return w.Branch != "" && w.Against != "" }
