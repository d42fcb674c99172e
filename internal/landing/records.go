package landing

import (
	"slices"

	"tasker/internal/core"
	"tasker/internal/policy"
	"tasker/internal/store/inboxdb"
	"tasker/internal/task"
	"tasker/internal/workspace"
)

// The bounds of a landing: how many tasks of each status are looked at, and how many are visited to find what they build on.
const (
	maxWaiting = 1000
	maxVisited = 20_000
)

// Waiting returns what the records say about every task of a project that is not on its base: those that are done, closed
// first, and those in review whose branch is known, with the unfinished tasks that they wait for. named adds tasks that
// somebody asks for. With Queue it says what is ready to land.
func Waiting(s core.Scene, named ...task.ID) ([]Record, error) {
	done, err := workspace.UnlandedFirst(s.Tx, s.Project.Slug, maxWaiting)
	if err != nil {
		return nil, err
	}
	reviewed, err := reviewed(s)
	if err != nil {
		return nil, err
	}
	asked, err := s.Tx.TasksByID(named)
	if err != nil {
		return nil, err
	}
	var tasks []*task.Task
	seen := map[task.ID]bool{}
	for _, t := range slices.Concat(asked, done, reviewed) {
		if !seen[t.ID] {
			seen[t.ID], tasks = true, append(tasks, t)
		}
	}
	l := &loading{Scene: s, by: map[task.ID]*Record{}}
	if err := l.read(tasks, named); err != nil {
		return nil, err
	}
	if err := l.edges(tasks); err != nil {
		return nil, err
	}
	return l.out, nil
}

// reviewed returns the tasks in review whose branch may be known.
func reviewed(s core.Scene) ([]*task.Task, error) {
	if s.Project.Tasks.InReview == 0 {
		return nil, nil
	}
	return workspace.Reviewed(s.Tx, s.Project.Slug, maxWaiting)
}

// loading gathers records.
type loading struct {
	core.Scene
	out []Record
	by  map[task.ID]*Record
}

// read adds the records of tasks, without what they wait for.
func (l *loading) read(tasks []*task.Task, named []task.ID) error {
	ids := make([]task.ID, len(tasks))
	for i, t := range tasks {
		ids[i] = t.ID
	}
	landings, err := workspace.Landings(l.Tx, tasks)
	if err != nil {
		return err
	}
	places, err := workspace.Newest(l.Tx, l.Project.Slug, ids)
	if err != nil {
		return err
	}
	bound, err := inboxdb.Bound(l.Tx, l.Project.Slug, ids)
	if err != nil {
		return err
	}
	approvals, err := l.Tx.ApprovalsOf(l.Project.Slug, ids)
	if err != nil {
		return err
	}
	for _, t := range tasks {
		r := Record{Task: t.ID, Status: t.Status, Since: t.UpdatedAt}
		if t.Status == task.Done {
			r.Since = t.ClosedAt
		}
		w := places[t.ID]
		switch at := landings[t.ID]; {
		case at != nil:
			r.Known, r.Landed = true, at.HasLanded()
		case t.Status == task.InReview && w != nil && w.OwnBranch():
			r.Known = true
			r.Landed = w.Seen != nil && w.Seen.Landed && !w.Seen.Dirty && w.Seen.Ahead == 0 && w.Seen.Commit != w.From
		case t.Status == task.InReview:
			r.Known = slices.ContainsFunc(bound[t.ID], func(b task.Binding) bool { return b.Kind == "branch" })
		}
		if t.Status == task.InReview && (r.Known || slices.Contains(named, t.ID)) {
			r.Approved, _ = task.ApprovedSince(t.AwaitingSince, approvals[t.ID], "")
			if !r.Approved && !slices.Contains(named, t.ID) {
				l.out = append(l.out, r)
				continue // what else it lacks decides nothing
			}
			left, _, err := policy.Obstacles(l.Tx, task.Actor{Human: true}, l.Policy, policy.Asked{Task: t, Move: task.Move{To: task.Done}})
			if err != nil {
				return err
			}
			r.Missing = left.Missing()
		}
		l.out = append(l.out, r)
	}
	for i := range l.out {
		l.by[l.out[i].Task] = &l.out[i]
	}
	return nil
}

// edges finds what each task waits for: it follows dependencies and parts until it comes to work that is not on its base,
// or to a task that is not closed.
func (l *loading) edges(tasks []*task.Task) error {
	next := map[task.ID][]task.ID{}
	state := map[task.ID]task.Status{}
	var level []task.ID
	var unfinished []Record
	for _, t := range tasks {
		state[t.ID] = t.Status
		level = append(level, t.ID)
	}
	for len(level) > 0 && len(state) < maxVisited {
		ties, err := l.Tx.TiesFrom(level)
		if err != nil {
			return err
		}
		var found []task.ID
		for _, e := range ties {
			if e.InCircle {
				continue
			}
			next[e.From] = append(next[e.From], e.To)
			if _, known := state[e.To]; !known {
				state[e.To] = ""
				found = append(found, e.To)
			}
		}
		read, err := l.Tx.TasksByID(found)
		if err != nil {
			return err
		}
		level = level[:0]
		for _, t := range read {
			state[t.ID] = t.Status
			if t.Status.Closed() {
				level = append(level, t.ID)
			} else {
				unfinished = append(unfinished, Record{Task: t.ID, Status: t.Status})
			}
		}
	}
	for i := range l.out {
		l.out[i].Waits = l.before(l.out[i].Task, next, state)
	}
	l.out = append(l.out, unfinished...)
	return nil
}

// before returns what a task waits for, at any distance.
func (l *loading) before(id task.ID, next map[task.ID][]task.ID, state map[task.ID]task.Status) (out []task.ID) {
	seen, todo := map[task.ID]bool{id: true}, []task.ID{id}
	for len(todo) > 0 {
		at := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		for _, to := range next[at] {
			if seen[to] {
				continue
			}
			seen[to] = true
			switch r := l.by[to]; {
			case r != nil && r.Landed: // its own dependencies went before it
				continue
			case r != nil && r.Known && state[to] == task.Done, !state[to].Closed():
				out = append(out, to)
			}
			if state[to].Closed() {
				todo = append(todo, to)
			}
		}
	}
	slices.SortFunc(out, task.CompareIDs)
	return out
}
