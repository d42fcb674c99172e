package workspace

import (
	"tasker/internal/fault"
	"tasker/internal/hint"
	"tasker/internal/task"
)

// Standing is what decides about the workspace of a task: the task, and the caller as it counts for it. Whatever keeps the
// record of a workspace, a database or a directory of this machine, asks the methods here what it may hold.
type Standing struct {
	Task *task.Task
	Who  task.Actor
	Now  task.Time
}

// View is a workspace as commands show it.
type View struct {
	Task     task.ID     `json:"task"`
	Path     string      `json:"path"`
	Host     string      `json:"host"`
	Strategy string      `json:"strategy"`
	Branch   task.Opt    `json:"branch"`
	Base     task.Opt    `json:"base"`
	Ports    []int       `json:"ports"`
	State    State       `json:"state"`
	Claim    *task.Claim `json:"claim"`
	OpenedAt task.Time   `json:"openedAt"`
	Steps    []Step      `json:"steps"`
	Warnings []string    `json:"warnings"`

	Record *Workspace `json:"-"`
	Closed bool       `json:"-"` // the task is closed
}

// View returns a workspace of the task as commands show it.
func (s Standing) View(w *Workspace) View {
	t := s.Task
	v := View{
		Task: w.Task, Path: w.Path, Host: w.Host, Strategy: w.Strategy, Branch: task.Opt(w.Branch), Base: task.Opt(w.Base),
		Ports: append([]int{}, w.Ports...), State: w.StateWith(t, s.Now), OpenedAt: w.OpenedAt, Steps: append([]Step{}, w.Steps...),
		Warnings: w.Warnings(), Record: w, Closed: t.Status.Closed(),
	}
	if t.Claim.Live(s.Now) {
		v.Claim = t.Claim
	}
	return v
}

// check refuses an act that the caller may not do; "" means no act.
func (s Standing) check(fence *int64, to Use) error {
	if to == "" {
		return nil
	}
	return CheckUse(s.Task, s.Who, fence, s.Now, to)
}

// Decide says what the caller may do with the task. database is the number by which what has the task is recognized.
func (in UseIn) Decide(s Standing, database int64) (Used, error) {
	if err := s.check(in.Fence, in.To); err != nil {
		return Used{}, err
	}
	return Used{Holds: s.Who.Holds(s.Task.Claim), Database: database}, nil
}

// Decide returns the record of a workspace that is about to be made. there is the one that the task has on that host; nil
// for none.
func (in BeginIn) Decide(s Standing, there *Workspace) (Workspace, error) {
	w := in.Workspace
	if err := s.check(in.Fence, ToOpen); err != nil {
		return w, err
	}
	if err := CheckOpen(s.Task); err != nil {
		return w, err
	}
	if there != nil {
		return w, fault.Stale("%s already has a workspace on %s, in %s", w.Task, w.Host, there.Path).
			WithHint("open it again: %s", hint.Command("workspace open "+string(w.Task)))
	}
	w.State, w.OpenedAt, w.OpenedBy = Opening, s.Now, s.Who.Full()
	if s.Task.Claim.Live(s.Now) {
		w.Fence = s.Task.Claim.Fence
	}
	return w, nil
}

// Decide returns the record as it is after a step, with what the log says about it. there is the record before, which only a look
// needs; nil for none.
func (in Made) Decide(s Standing, there *Workspace) (Workspace, []task.Draft, error) {
	w := in.Workspace
	if err := s.check(in.Fence, in.To); err != nil {
		return w, nil, err
	}
	if in.Looked && there != nil { // the rest may have changed since it was read
		now := *there
		now.Seen = w.Seen
		w = now
	}
	if w.Seen != nil && w.Seen.CheckedAt == 0 {
		seen := *w.Seen
		seen.CheckedAt = s.Now
		w.Seen = &seen
	}
	if (in.Opened || in.Taken) && s.Task.Claim.Live(s.Now) && (in.Taken || w.Fence == 0) {
		w.Fence = s.Task.Claim.Fence
	}
	return w, in.events(&w), nil
}

// events returns what the log says about it.
func (in Made) events(w *Workspace) []task.Draft {
	var out []task.Draft
	if in.Step != nil {
		out = append(out, task.Draft{Kind: task.WorkspaceStep, Payload: task.Payload{
			"name": in.Step.Name, "phase": in.Phase, "exitCode": in.Step.ExitCode, "durationMs": in.Step.DurationMs, "optional": in.Step.Optional,
			"host": w.Host, "file": in.Asked,
		}})
	}
	if in.Opened {
		out = append(out, task.Draft{Kind: task.WorkspaceOpened, Payload: w.Payload()})
	}
	return out
}

// Decide returns what the log says about a workspace that is gone, unless the caller may not remove its record.
func (in DropIn) Decide(s Standing, there *Workspace) ([]task.Draft, error) {
	if there.State == Open {
		if err := s.check(in.Fence, ToClose); err != nil {
			return nil, err
		}
	}
	if in.Kind == "" {
		return nil, nil
	}
	p := there.Payload()
	p["removed"] = in.Removed
	if in.Kept != "" {
		p["kept"] = in.Kept
	}
	if in.Why != "" {
		p["why"] = in.Why
	}
	return []task.Draft{{Kind: in.Kind, Payload: p}}, nil
}
