package inbox

import (
	"maps"
	"slices"
	"sort"

	"tasker/internal/task"
	"tasker/internal/task/waiting"
)

// maxBehind is how many dependencies on the tasks of an inbox are searched for tasks that become ready next.
const maxBehind = 5000

// byImpact returns an inbox sorted by urgency and by the work that settling an item frees. It ranks all counted items,
// and writes the text of as many as the limit allows. If a task is named, it returns only the items of that task.
func (s scene) byImpact(reader task.Actor, all bool, only task.ID, behind map[task.ID]int) (InboxOut, error) {
	out := InboxOut{Project: s.Project.Slug, Actor: reader.Name}
	limit := s.Limit
	s.Limit = counted
	g := gatherer{scene: s, reader: reader, all: all}
	found, total, err := g.gather(only)
	if err != nil {
		return out, err
	}
	out.Total, out.TotalMore = min(total, counted), total > counted
	items, err := s.items(reader, found[:min(len(found), counted)])
	if err != nil {
		return out, err
	}
	ids := make([]task.ID, len(items))
	for i, it := range items {
		ids[i] = it.Task
	}
	slices.SortFunc(ids, task.CompareIDs)
	ids = slices.Compact(ids)
	known, next, err := s.freed(ids)
	if err != nil {
		return out, err
	}
	now := s.View.Now()
	ranks := make(map[string]waiting.Rank, len(items))
	for i, it := range items {
		freed := waiting.FreedOf(it.Kind, known[it.Task], behind[it.Task], next[it.Task])
		items[i].Frees = &freed
		ranks[it.ID] = waiting.RankOf(it.Kind, it.Status, it.Since, now, freed)
	}
	sort.SliceStable(items, func(i, j int) bool { return ranks[items[i].ID].Compare(ranks[items[j].ID]) < 0 })
	out.Items = items[:min(len(items), limit)]
	return out, s.about(out.Items)
}

// freed returns tasks by their ids, and how many tasks become ready once each of them is closed.
func (s scene) freed(ids []task.ID) (known map[task.ID]*task.Task, next map[task.ID]int, err error) {
	of := map[task.ID][]task.ID{} // what a task waits for, among the given tasks
	tasks, err := s.View.TasksByID(ids)
	if err != nil {
		return nil, nil, err
	}
	for _, t := range tasks {
		if t.Part() {
			of[task.ID(t.Parent)] = append(of[task.ID(t.Parent)], t.ID)
		}
	}
	known, next = task.ByID(tasks), map[task.ID]int{}
	edges, err := s.View.EdgesTo(ids, maxBehind)
	if err != nil {
		return nil, nil, err
	}
	for _, e := range edges {
		of[e.From] = append(of[e.From], e.To)
	}
	tasks, err = s.View.TasksByID(slices.SortedFunc(maps.Keys(of), task.CompareIDs))
	for _, t := range tasks {
		if !waiting.FreedNext(t) {
			continue
		}
		for _, id := range of[t.ID] {
			if on := known[id]; on != nil && !on.Status.Closed() {
				next[id]++
			}
		}
	}
	return known, next, err
}
