package rewind

import (
	"slices"

	"tasker/internal/task"
	"tasker/internal/task/query"
)

func isOpen(t *task.Task) bool { return t != nil && !t.Status.Closed() }
func isPart(t *task.Task) bool { return t != nil && t.Part() }

func parentOf(t *task.Task) task.ID {
	if t == nil {
		return ""
	}
	return task.ID(t.Parent)
}

func depsOf(t *task.Task) []task.ID {
	if t == nil {
		return nil
	}
	return t.Deps
}

// Reopened returns the tasks that are open and were not, or were open and are not, by number. The tasks that depend on
// them wait for something else now.
func (s *State) Reopened() []task.ID {
	return slices.DeleteFunc(slices.Clone(s.IDs()), func(id task.ID) bool { return isOpen(s.now[id]) == isOpen(s.then[id]) })
}

// Parents returns the parents whose counts of children differ between now and then, of tasks as they are and as they
// were.
func (s *State) Parents() (out []task.ID) {
	for _, id := range s.IDs() {
		now, then := s.now[id], s.then[id]
		if parentOf(now) == parentOf(then) && isOpen(now) == isOpen(then) && isPart(now) == isPart(then) && (now == nil) == (then == nil) {
			continue
		}
		out = append(out, parentOf(now), parentOf(then))
	}
	return slices.DeleteFunc(out, func(id task.ID) bool { return id == "" })
}

// Edges returns the edges that existed then and are gone, and those that have come since.
func (s *State) Edges() (were, came []query.Tie) {
	for _, id := range s.IDs() {
		now, then := s.now[id], s.then[id]
		if up := parentOf(then); up != parentOf(now) && up != "" {
			were = append(were, query.Tie{From: up, To: id, Child: true})
		}
		if up := parentOf(now); up != parentOf(then) && up != "" {
			came = append(came, query.Tie{From: up, To: id, Child: true})
		}
		were = append(were, without(id, depsOf(then), depsOf(now))...)
		came = append(came, without(id, depsOf(now), depsOf(then))...)
	}
	return were, came
}

// without returns the dependencies of a task on the tasks of a list that are not in another.
func without(id task.ID, list, other []task.ID) (out []query.Tie) {
	if slices.Equal(list, other) {
		return nil
	}
	has := make(map[task.ID]bool, len(other))
	for _, on := range other {
		has[on] = true
	}
	for _, on := range list {
		if !has[on] {
			out = append(out, query.Tie{From: id, To: on})
		}
	}
	return out
}

// Recount counts each task's open dependencies and its parts. The state must have everything that depends on the tasks
// of Reopened, the tasks of Parents, and the ends of Edges; a dependency that is not in the state was open then if it
// is open now.
func (s *State) Recount() {
	parts := map[task.ID]counts{} // how many more each parent had
	add := func(child *task.Task, by int) {
		if up := parentOf(child); up != "" && isOpen(child) {
			n := parts[up]
			n.children += by
			n.parts += by * one(isPart(child))
			parts[up] = n
		}
	}
	for id, then := range s.then {
		add(s.now[id], -1)
		add(then, 1)
	}
	for id, then := range s.then {
		if then == nil {
			continue
		}
		was := parts[id]
		if now := s.now[id]; now != nil {
			was.children, was.parts, was.deps = was.children+now.OpenChildren, was.parts+now.Parts, now.OpenDeps
			for _, on := range now.Deps {
				was.deps -= one(isOpen(s.now[on]))
			}
		}
		for _, on := range then.Deps {
			was.deps += one(isOpen(s.then[on]))
		}
		if is := (counts{then.OpenChildren, then.Parts, then.OpenDeps}); is != was || then.NoDeps != (len(then.Deps) == 0) {
			t := s.own(id)
			t.OpenChildren, t.Parts, t.OpenDeps, t.NoDeps = was.children, was.parts, was.deps, len(then.Deps) == 0
		}
	}
}

// counts is what a task waited for: open children, those of them that are parts, and open dependencies.
type counts struct{ children, parts, deps int }

func one(is bool) int {
	if is {
		return 1
	}
	return 0
}
