package planning

import (
	"context"
	"fmt"
	"slices"

	"tasker/internal/core"
	"tasker/internal/event/undo"
	"tasker/internal/fault"
	"tasker/internal/hint"
	"tasker/internal/store"
	"tasker/internal/task"
	"tasker/internal/task/query"
	"tasker/internal/text/words"
)

// UndoIn names what to undo: a batch or an event by its number, or everything that an actor did in a project since a
// time.
type UndoIn struct {
	Number  int64
	Event   bool // the number is an event's, even if a batch has the same number
	By      string
	Since   string // a time
	Project string // with By
	// SkipConflicts undoes the rest if something has changed again since; without it, nothing is undone in that case.
	SkipConflicts bool
	DryRun        bool
}

// UndoOut is what was undone, or would be, newest first.
type UndoOut struct {
	Undone    []Undone       `json:"undone"`
	Conflicts []UndoConflict `json:"conflicts"`
	Left      []Left         `json:"left"`     // what has no inverse, and stays
	Released  []task.ID      `json:"released"` // tasks whose claims ended, with By
	// Waiting lists open tasks that wait again, because a dependency was reopened.
	Waiting []task.ID `json:"waiting"`
	BuiltOn []BuiltOn `json:"builtOn"` // the first maxBuiltOn
	Commits []Commit  `json:"commits"` // of tasks whose closing was undone, newest first: the order to revert them in
	DryRun  bool      `json:"dryRun"`
}

// Undone is an event that was undone, and what that changed.
type Undone struct {
	Event   int64                 `json:"event"`
	Task    task.Opt              `json:"task"` // null if the project was changed
	Changes map[string]task.Delta `json:"changes"`
}

// UndoConflict is a reason why an event cannot be undone.
type UndoConflict struct {
	Event int64    `json:"event"`
	Task  task.Opt `json:"task"` // null if the project was changed
	Field string   `json:"field"`
	Now   any      `json:"now"`
	Why   string   `json:"why"`
}

// Left is an event that has no inverse.
type Left struct {
	Event int64     `json:"event"`
	Task  task.Opt  `json:"task"`
	Kind  task.Kind `json:"kind"`
}

// BuiltOn is what somebody else did to a task after the change being undone.
type BuiltOn struct {
	Event int64     `json:"event"`
	Task  task.ID   `json:"task"`
	Kind  task.Kind `json:"kind"`
	Actor string    `json:"actor"`
}

// Commit is a commit that evidence names.
type Commit struct {
	Task   task.ID `json:"task"`
	Commit string  `json:"commit"`
}

// Limits of one undo.
const (
	maxUndo    = 20_000 // events
	maxBuiltOn = 100
	undoPage   = 1000
)

// Undo writes the inverse of events, newest first, in one transaction and with events of its own. Each inverse is a write
// under the same rules as any other, and names the event that it undoes. If something has changed again since, nothing is
// undone, unless conflicts are to be skipped.
func (s *Service) Undo(ctx context.Context, in UndoIn) (UndoOut, error) {
	if err := checkUndo(in); err != nil {
		return UndoOut{}, err
	}
	var project string
	out, err := core.WriteAlone(ctx, s.Env, func(tx *store.Tx) (UndoOut, error) {
		u := &undoing{s: s, ctx: ctx, tx: tx, in: in, out: UndoOut{DryRun: in.DryRun}}
		if err := u.run(); err != nil {
			return UndoOut{}, err
		}
		blocked := len(u.out.Conflicts) > 0 && !in.SkipConflicts
		if !in.DryRun && blocked {
			u.out.Undone, u.out.Released, u.out.Waiting, u.out.Commits = nil, nil, nil, nil
		}
		if in.DryRun || blocked {
			return u.out, core.TakeBack()
		}
		project = u.p.Slug
		return u.out, nil
	})
	if err == nil {
		s.HearOf(ctx, project)
	}
	return out, err
}

func checkUndo(in UndoIn) error {
	switch {
	case in.By == "" && in.Number <= 0:
		return fault.Bad("undo needs a number").WithMissing("number").
			WithHint("the number of an event or a batch, as %s lists them; or an actor and a time", hint.Command("events"))
	case in.By != "" && in.Number != 0:
		return fault.Bad("a number and an actor are two ways to say what to undo").WithHint("give one of them")
	case in.By != "" && in.Since == "":
		return fault.Bad("say since when to undo what an actor did").WithMissing("since").WithHint("a time, or a duration such as 2h back from now")
	case in.By == "":
		return nil
	}
	_, _, err := task.ParseActor(in.By)
	return fault.At("by", err)
}

// undoing is one undo in a turn.
type undoing struct {
	s    *Service
	ctx  context.Context
	tx   *store.Tx
	in   UndoIn
	p    *task.Project
	a    task.Actor
	pol  task.Policy
	out  UndoOut
	last int64             // the newest event before this undo
	made map[task.ID]int64 // the tasks that the undone events created, with the creating event
}

func (u *undoing) run() error {
	u.last = u.tx.LastEvent()
	events, err := u.events()
	if err != nil {
		return err
	}
	var inverses, opens, projects []undo.Inverse
	u.made = map[task.ID]int64{}
	var created []task.ID
	for _, ev := range slices.Backward(events) {
		inv, ok, err := undo.Of(ev)
		switch {
		case err != nil:
			return err
		case !ok && undo.Silent(ev.Kind):
		case !ok:
			u.out.Left = append(u.out.Left, Left{ev.ID, ev.Task, ev.Kind})
		case inv.Create:
			u.made[inv.Task] = ev.ID
			created = append(created, inv.Task)
		case inv.OpensProject():
			opens = append(opens, inv)
		case inv.Task == "":
			projects = append(projects, inv)
		default:
			inverses = append(inverses, inv)
		}
	}
	if err := u.projectsBack(opens); err != nil {
		return err
	}
	if u.p.Archived && (len(u.out.Conflicts) > 0 || len(inverses)+len(created)+len(projects) == 0) {
		return nil // it stays archived, and the reason is among the conflicts or what is left
	}
	if err := core.Writable(u.p); err != nil {
		return err
	}
	if err := u.tasksBack(events, inverses, created); err != nil {
		return err
	}
	return u.projectsBack(projects) // last, because a different slug changes the ids of the tasks
}

// tasksBack undoes what was done to tasks: first what changed them, then their creations.
func (u *undoing) tasksBack(events []task.Event, inverses []undo.Inverse, created []task.ID) error {
	if u.in.By != "" {
		if err := u.release(); err != nil {
			return err
		}
	}
	reopened, err := u.invertAll(inverses)
	if err != nil {
		return err
	}
	if err := u.uncreate(created); err != nil {
		return err
	}
	return u.consequences(events, reopened)
}

// invertAll undoes events except creations, newest first, and returns the tasks whose closing was undone.
func (u *undoing) invertAll(inverses []undo.Inverse) (reopened []task.ID, err error) {
	for _, inv := range inverses {
		if _, made := u.made[inv.Task]; made {
			continue // the whole task is removed
		}
		was := len(u.out.Undone)
		if err := u.invert(inv); err != nil {
			return nil, err
		}
		if len(u.out.Undone) > was && inv.Move != nil && inv.Move.Now == task.Done && !inv.Move.Back.Closed() {
			reopened = append(reopened, inv.Task)
		}
	}
	return reopened, nil
}

// events returns the events to undo, oldest first, and finds the project and the caller's identity in it.
func (u *undoing) events() ([]task.Event, error) {
	var events []task.Event
	var err error
	if u.in.By != "" {
		events, err = u.eventsBy()
	} else {
		events, err = u.eventsOf(u.in.Number)
	}
	if err != nil {
		return nil, err
	}
	for _, ev := range events {
		if u.p == nil && ev.Project != "" {
			if err := u.within(string(ev.Project)); err != nil {
				return nil, err
			}
		}
		if u.p == nil || string(ev.Project) != u.p.Slug {
			return nil, fault.Decline("event %d (%s) cannot be undone: it is not a change of one project", ev.ID, ev.Kind).
				WithHint("look at it: %s", hint.Command(fmt.Sprintf("events --since-id %d --limit 1", ev.ID-1)))
		}
		inv, ok, err := undo.Of(ev)
		if err != nil {
			return nil, err
		}
		if why := undo.May(u.a, u.pol, ev, inv); ok && why != "" {
			return nil, fault.Decline("event %d cannot be undone by %s: %s", ev.ID, u.a.FullOr("you"), why).
				WithHint("%s", u.pol.Have("do it"))
		}
	}
	return events, nil
}

func (u *undoing) within(slug string) (err error) {
	if u.p, err = u.tx.Project(slug); err != nil {
		return err
	}
	u.a, u.pol, err = u.s.Rules(u.ctx, u.tx, u.p)
	return err
}

// eventsOf returns the events of a batch, or one event.
func (u *undoing) eventsOf(number int64) (out []task.Event, err error) {
	if err := core.LogHas(u.tx, number-1); err != nil {
		return nil, err
	}
	// A batch has the number of its first event, and its events are consecutive.
	out, err = u.read(query.Events{}, number-1, func(ev task.Event) bool { return ev.ID == number || !u.in.Event && ev.Batch == number })
	if err == nil && (len(out) == 0 || out[0].ID != number) {
		return nil, fault.Missing("there is no event %d", number).WithHint("list them: %s", hint.Command("events"))
	}
	return out, err
}

// read returns the events that a query finds after one, up to the first that is not wanted.
func (u *undoing) read(q query.Events, after int64, wanted func(task.Event) bool) (out []task.Event, err error) {
	q.SinceID, q.Limit = &after, undoPage
	for {
		page, err := u.tx.Events(q)
		if err != nil {
			return nil, err
		}
		for _, ev := range page {
			if !wanted(ev) {
				return out, nil
			}
			out = append(out, ev)
		}
		switch {
		case len(out) > maxUndo:
			return nil, fault.Decline("these are more than %d events, the most that can be undone at once", maxUndo).
				WithHint("undo the newest first, batch by batch")
		case len(page) < undoPage:
			return out, nil
		}
		after = page[len(page)-1].ID
	}
}

// eventsBy returns what an actor did in the project since a time.
func (u *undoing) eventsBy() (out []task.Event, err error) {
	p, err := core.ProjectOf(u.ctx, u.tx, u.in.Project)
	if err != nil {
		return nil, err
	}
	if err := u.within(p.Slug); err != nil {
		return nil, err
	}
	since, err := core.ParseSince(u.in.Since)
	if err != nil {
		return nil, err
	}
	if err := core.LogReaches(u.tx, since); err != nil {
		return nil, err
	}
	out, err = u.read(query.Events{Project: p.Slug, By: u.in.By, Since: since}, 0, func(task.Event) bool { return true })
	if err == nil && len(out) == 0 {
		return nil, fault.Missing("%s did nothing in %s since then", u.in.By, p.Slug).
			WithHint("see what it did: %s", hint.Command("events --by "+words.Shell(u.in.By)))
	}
	return out, err
}

// release ends the claims of the actor whose work is undone.
func (u *undoing) release() error {
	held, err := u.tx.Held(u.p.Slug, u.in.By, false)
	if err != nil {
		return err
	}
	for _, t := range held {
		if !undo.Named(u.in.By, t.Claim.Actor) {
			continue
		}
		held, err := core.Release(u.tx, u.a, t, nil, false)
		if err != nil {
			return err
		}
		if held != "" {
			u.out.Released = append(u.out.Released, t.ID)
		}
	}
	return nil
}
