package inbox

import (
	"slices"

	"tasker/internal/core"
	"tasker/internal/store"
	"tasker/internal/task"
	"tasker/internal/task/waiting"
)

// most is how many waiting things of a kind are read at once for notifications.
const most = 500

// Caused returns the items of a project, for anyone, that were caused by events after after and up to upTo, in the
// order of these events. It reads a few hundred of each kind at most; if there are more, it returns an earlier event,
// up to which the items are complete.
func (s *Service) Caused(tx *store.Tx, p *task.Project, after, upTo int64) (items []Item, through int64, err error) {
	g, err := s.everybody(tx, p)
	if err != nil {
		return nil, 0, err
	}
	var all []stub
	for _, kind := range waiting.WaitKinds {
		if kind == waiting.WaitStall {
			continue // no event causes it
		}
		page, found, err := g.page(waiting.Query{Kind: kind, After: after, Limit: most})
		if err != nil {
			return nil, 0, err
		}
		if len(page) == most && page[most-1].Event != task.ThisEvent {
			upTo = min(upTo, page[most-1].Event)
		}
		all = append(all, found...)
	}
	all = slices.DeleteFunc(all, func(st stub) bool { return st.of.Event == task.ThisEvent || st.of.Event <= after || st.of.Event > upTo })
	items, err = g.worded(task.Actor{}, oldest(all, len(all)))
	return items, upTo, err
}

// Judged returns the items that ask people to judge a task, for anyone.
func (s *Service) Judged(tx *store.Tx, p *task.Project, id task.ID) ([]Item, error) {
	g, err := s.everybody(tx, p)
	if err != nil {
		return nil, err
	}
	_, found, err := g.page(waiting.Query{Task: id, Kind: waiting.WaitJudgement, Limit: 1})
	if err != nil {
		return nil, err
	}
	return g.worded(task.Actor{}, found)
}

// Stalled returns the items of a project's tasks that have stalled after a moment, for anyone, and the moment up to
// which they are complete.
func (s *Service) Stalled(tx *store.Tx, p *task.Project, after task.Time) ([]Item, task.Time, error) {
	g, err := s.everybody(tx, p)
	if err != nil {
		return nil, 0, err
	}
	page, found, err := g.page(waiting.Query{Kind: waiting.WaitStall, After: int64(after), Limit: most})
	if err != nil {
		return nil, 0, err
	}
	through := tx.Now()
	if len(page) == most {
		through = page[most-1].Since
	}
	items, err := g.worded(task.Actor{}, found)
	return items, through, err
}

// everybody returns a gatherer of the items of a project for anyone.
func (s *Service) everybody(tx *store.Tx, p *task.Project) (*gatherer, error) {
	pol, err := s.Policy(tx, p)
	return &gatherer{scene: scene{core.Scene{Tx: tx, View: tx, Project: p, Policy: pol}, s.Env}, all: true}, err
}
