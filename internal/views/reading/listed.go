package reading

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"sync"

	"tasker/internal/core"
	"tasker/internal/fault"
	"tasker/internal/hint"
	"tasker/internal/store"
	"tasker/internal/task"
	"tasker/internal/task/query"
	"tasker/internal/text/words"
)

// parseSort refuses anything that is not the name of an order.
func parseSort(s string) (query.Sort, error) {
	switch s {
	case "", "id":
		return query.ByID, nil
	}
	if slices.Contains(query.Sorts, s) {
		return query.Sort(s), nil
	}
	return "", fault.Bad("%s is not an order", words.Quoted(s)).WithHint("one of %s", words.List(query.Sorts))
}

// parseGroup refuses anything that tasks cannot be grouped by.
func parseGroup(s string) (query.Sort, error) {
	if s == "" || slices.Contains(query.Groups, s) {
		return query.Sort(s), nil
	}
	return "", fault.Bad("tasks are not grouped by %s", words.Quoted(s)).WithHint("one of %s", words.List(query.Groups))
}

// stand returns the state of each task, and which of them only humans may hold although they are ready.
func (s *Service) stand(tx *store.Tx, p *task.Project, tasks []*task.Task) (states []string, forPeople []task.ID, err error) {
	states, forPeople = make([]string, len(tasks)), []task.ID{}
	policy := sync.OnceValues(func() (task.Policy, error) { return s.Policy(tx, p) }) // it is only looked up for ready tasks
	for i, t := range tasks {
		states[i] = task.States[t.State()]
		if !t.Ready() {
			continue
		}
		pol, err := policy()
		if err != nil {
			return nil, nil, err
		}
		if t.ReadyForPeople(pol) {
			forPeople = append(forPeople, t.ID)
		}
	}
	return states, forPeople, nil
}

// readyForPeople returns the tasks that are ready, but only for humans.
func readyForPeople(pol task.Policy, tasks []*task.Task) []task.ID {
	return task.IDsOf(slices.DeleteFunc(slices.Clone(tasks), func(t *task.Task) bool { return !t.ReadyForPeople(pol) }))
}

// ListGroup is a run of listed tasks that belong together.
type ListGroup struct {
	Name  string   `json:"name"`  // the task they are part of, the state, the holder, or the priority; empty if they have none
	Title task.Opt `json:"title"` // of the task that they are part of
	Tasks int      `json:"tasks"` // how many of them are on this page
	More  bool     `json:"more"`  // the next page may begin with more of them
}

// groupsOf returns the groups of tasks that are already sorted by group.
func groupsOf(tx store.View, slug string, tasks []*task.Task, by query.Sort) (out []ListGroup, err error) {
	if by == query.ByID {
		return nil, nil
	}
	var parents []task.ID
	for _, t := range tasks {
		name := groupName(t, by)
		if n := len(out); n == 0 || out[n-1].Name != name {
			out = append(out, ListGroup{Name: name})
			if by == query.ByParent && name != "" {
				parents = append(parents, task.ID(name))
			}
		}
		out[len(out)-1].Tasks++
	}
	titles, err := tx.Titles(slug, parents)
	for i := range out {
		out[i].Title = task.Opt(titles[task.ID(out[i].Name)])
	}
	return out, err
}

// TitlesIn names tasks of a project.
type TitlesIn struct {
	Slug string
	IDs  []task.ID
}

// Titles returns the titles of tasks, as they are now. Tasks that do not exist are left out.
func (s *Service) Titles(ctx context.Context, in TitlesIn) (map[task.ID]string, error) {
	return core.Read(ctx, s.Env, func(tx *store.Tx) (map[task.ID]string, error) { return tx.Titles(in.Slug, in.IDs) })
}

// StatesIn names tasks of any project.
type StatesIn struct{ IDs []task.ID }

// States returns the states of tasks. Tasks that do not exist are left out.
func (s *Service) States(ctx context.Context, in StatesIn) (map[task.ID]string, error) {
	return core.Read(ctx, s.Env, func(tx *store.Tx) (map[task.ID]string, error) {
		tasks, err := tx.TasksByID(in.IDs)
		out := make(map[task.ID]string, len(tasks))
		for _, t := range tasks {
			out[t.ID] = task.States[t.State()]
		}
		return out, err
	})
}

// groupName returns the name of a task's group.
func groupName(t *task.Task, by query.Sort) string {
	switch by {
	case query.ByState:
		return task.States[t.State()]
	case query.ByHolder:
		return string(t.Holder())
	case query.ByPriority:
		return "P" + strconv.Itoa(t.Priority)
	default:
		return string(t.Parent)
	}
}

// parseStatuses returns the states of tasks in any of the statuses, which are separated by commas, of a project that may
// be unnamed.
func parseStatuses(list, project string) (query.States, error) {
	var set query.States
	for name := range strings.SplitSeq(list, ",") {
		of := query.Of(task.Status(strings.TrimSpace(name)))
		if of == 0 && slices.Contains(task.States, strings.TrimSpace(name)) {
			return 0, fault.Bad("%q is a state, and not a status", name).WithHint("ask for the state: %s", hint.ListState(project, strings.TrimSpace(name)))
		}
		if of == 0 {
			return 0, fault.Bad("%q names no status", name).WithHint("one of %s; several separated by commas", words.List(task.Statuses))
		}
		set |= of
	}
	return set, nil
}
