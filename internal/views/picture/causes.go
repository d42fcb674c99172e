package picture

import (
	"cmp"
	"slices"

	"tasker/internal/store"
	"tasker/internal/task"
	"tasker/internal/views/reading/roots"
)

// charted returns what the tasks of a board wait for in the end.
func (s *Service) charted(sc scene, waiting []*task.Task) (*roots.Chart, error) {
	if sc.Project.Tasks.Left() > roots.MaxOpen {
		return roots.Follow(sc.View, task.IDsOf(waiting))
	}
	f, err := s.flows.of(sc)
	if err != nil {
		return nil, err
	}
	return f.roots, nil
}

// fillWaiting fills the lane of waiting tasks: the first of them as cards, and all of them by cause.
func (s *Service) fillWaiting(sc scene, l *BoardLane, waiting []*task.Task) error {
	chart, err := s.charted(sc, waiting)
	if err != nil {
		return err
	}
	cards := make([]LaneCard, len(waiting))
	root := make([]roots.Root, len(waiting))
	var ids []task.ID
	for i, t := range waiting {
		cards[i] = LaneCard{Card: task.CardOf(t), State: task.States[t.State()]}
		if r, waits := chart.Root(t.ID); waits && t.State() == task.StateWaiting {
			root[i] = r
			ids = append(ids, r.Task)
		}
	}
	slices.SortFunc(ids, task.CompareIDs)
	found, err := sc.View.TasksByID(slices.Compact(ids))
	if err != nil {
		return err
	}
	known := task.ByID(found)
	for i, r := range root {
		if on := known[r.Task]; on != nil {
			cards[i].WaitsFor, cards[i].Others = onCard(on), r.Others
		}
	}
	l.Cards = cards[:min(len(cards), sc.Limit)]
	l.Causes, l.CausesMore = group(cards, root), l.Total > len(cards)
	return nil
}

func onCard(t *task.Task) *OnCard {
	return &OnCard{Task: t.ID, Title: t.Title, Status: t.Status, State: task.States[t.State()], Holder: t.Holder()}
}

// group returns cards by their root: first cards that wait for an answer or whose root was not found, and then the roots
// that hold up the most.
func group(cards []LaneCard, root []roots.Root) (out []LaneCause) {
	at := map[task.ID]int{}
	for i, card := range cards {
		var end task.ID
		if card.WaitsFor != nil {
			end = card.WaitsFor.Task
		}
		k, ok := at[end]
		if !ok {
			k = len(out)
			at[end] = k
			out = append(out, LaneCause{On: card.WaitsFor, Holds: root[i].Holds})
		}
		out[k].Cards = append(out[k].Cards, card)
	}
	slices.SortStableFunc(out, func(a, b LaneCause) int {
		return cmp.Or(store.One(a.On != nil)-store.One(b.On != nil), cmp.Compare(b.Holds, a.Holds), cmp.Compare(len(b.Cards), len(a.Cards)))
	})
	return out
}
