package picture

import (
	"cmp"
	"slices"

	"tasker/internal/store"
	"tasker/internal/task"
)

// causes follows waiting tasks to what they wait for in the end.
type causes struct {
	view  store.View
	first map[task.ID]task.ID // the first task that each waits for
	known map[task.ID]*task.Task
}

// maxRounds limits how often tasks further along the chains are read. Most of a chain is in the lane already.
const maxRounds = 20

// learn reads what tasks wait for first, and those tasks.
func (c causes) learn(tasks []*task.Task) (awaited []*task.Task, err error) {
	var ids []task.ID
	for _, t := range tasks {
		if c.known[t.ID] = t; t.Waits() {
			ids = append(ids, t.ID)
		}
	}
	first, err := c.view.FirstAwaited(ids)
	if err != nil {
		return nil, err
	}
	var missing []task.ID
	for _, id := range ids {
		if on, ok := first[id]; ok {
			c.first[id] = on
			if c.known[on] == nil {
				missing = append(missing, on)
			}
		}
	}
	slices.Sort(missing)
	awaited, err = c.view.TasksByID(slices.Compact(missing))
	for _, t := range awaited {
		c.known[t.ID] = t
	}
	return awaited, err
}

// cards returns the cards of waiting tasks, each with the first task that it waits for.
func (c causes) cards(tasks []*task.Task) ([]LaneCard, error) {
	next, err := c.learn(tasks)
	for rounds := 0; err == nil && rounds < maxRounds; rounds++ {
		next = slices.DeleteFunc(next, func(t *task.Task) bool { return t.State() != task.StateWaiting })
		if len(next) == 0 {
			break
		}
		next, err = c.learn(next)
	}
	if err != nil {
		return nil, err
	}
	out := make([]LaneCard, len(tasks))
	for i, t := range tasks {
		out[i] = LaneCard{Card: task.CardOf(t), State: task.States[t.State()]}
		if on := c.known[c.first[t.ID]]; on != nil {
			out[i].Others = t.OpenDeps + t.Parts - 1
			out[i].WaitsFor = onCard(on)
		}
	}
	return out, nil
}

func onCard(t *task.Task) *OnCard {
	return &OnCard{Task: t.ID, Title: t.Title, Status: t.Status, State: task.States[t.State()], Holder: t.Holder()}
}

// group returns cards by their cause: first cards that wait for an answer or whose cause was not found, and then the
// causes with the most cards.
func (c causes) group(cards []LaneCard) (out []LaneCause) {
	at := map[task.ID]int{}
	for _, card := range cards {
		end := c.end(card.ID)
		i, ok := at[end]
		if !ok {
			i = len(out)
			at[end] = i
			out = append(out, LaneCause{})
			if end != "" {
				out[i].On = onCard(c.known[end])
			}
		}
		out[i].Cards = append(out[i].Cards, card)
	}
	slices.SortStableFunc(out, func(a, b LaneCause) int {
		return cmp.Or(store.One(a.On != nil)-store.One(b.On != nil), cmp.Compare(len(b.Cards), len(a.Cards)))
	})
	return out
}

// end follows a task to the first one on its chain that does not wait; empty if none was found.
func (c causes) end(id task.ID) task.ID {
	for steps := 0; steps <= len(c.known); steps++ { // a circle has no end
		on := c.known[c.first[id]]
		switch {
		case on == nil:
			return ""
		case on.State() != task.StateWaiting:
			return on.ID
		}
		id = on.ID
	}
	return ""
}
