package inbox

import (
	"cmp"
	"context"
	"slices"
	"sort"

	"tasker/internal/task"
	"tasker/internal/task/query"
	"tasker/internal/task/waiting"
	"tasker/internal/views/reading"
)

// HomeOut is a project on one screen for its reader: the head of each list, with its total.
type HomeOut struct {
	Project   string            `json:"project"`
	Name      task.Opt          `json:"name"`
	Actor     string            `json:"actor"`
	Kind      string            `json:"kind"`
	Inbox     InboxOut          `json:"inbox"` // questions first
	Holding   []reading.Holding `json:"holding"`
	Next      []task.Card       `json:"next"` // what the reader may claim, in the order of selection
	Situation Situation         `json:"situation"`
	Others    []reading.Lease   `json:"others"` // what others hold
}

// homeLimit is how many of each are on the screen, unless a request sets a limit.
const homeLimit = 5

// Home returns what waits for the caller in a project, what it holds, what it can do next, how far along the project
// is, and who works on what. It reads one snapshot, and no more of each list than fits a screen.
func (s *Service) Home(ctx context.Context, in reading.ProjectIn) (HomeOut, error) {
	in.Limit = cmp.Or(in.Limit, new(homeLimit))
	return within(ctx, s.Env, in.Slug, in.Limit, func(sc scene) (HomeOut, error) {
		out := HomeOut{Project: sc.Project.Slug, Name: sc.Project.Name}
		me, err := s.reading.On(sc.Tx).Whoami(ctx, reading.WhoamiIn{Project: sc.Project.Slug})
		if err != nil {
			return out, err
		}
		out.Actor, out.Kind, out.Holding = me.Full(), me.Kind, me.Holding
		if out.Inbox, err = sc.questionsFirst(); err != nil {
			return out, err
		}
		next, err := sc.Lane(query.LaneHoldable, sc.Limit)
		if err != nil {
			return out, err
		}
		for _, t := range next {
			out.Next = append(out.Next, task.CardOf(t))
		}
		if out.Situation, err = sc.situation(sc.Actor); err != nil {
			return out, err
		}
		out.Others, err = sc.others(out.Holding)
		return out, err
	})
}

// questionsFirst returns the head of the caller's inbox, with questions before the rest and each part oldest first.
func (s scene) questionsFirst() (InboxOut, error) {
	g := gatherer{scene: s, reader: s.Actor}
	found, total, err := g.gather("")
	if err != nil {
		return InboxOut{}, err
	}
	if len(found) > s.Limit { // older items may have left no room for questions
		questions, err := g.ofKind(waiting.WaitQuestion, "", s.Limit)
		if err != nil {
			return InboxOut{}, err
		}
		found = append(slices.DeleteFunc(found, isQuestion), questions...)
	}
	sort.SliceStable(found, func(i, j int) bool { return isQuestion(found[i]) && !isQuestion(found[j]) })
	return s.listed(s.Actor, found, total)
}

func isQuestion(s stub) bool {
	return s.kind == waiting.ItemQuestion
}

// others returns what is held in the project, except by the reader.
func (s scene) others(mine []reading.Holding) ([]reading.Lease, error) {
	held, err := s.View.HeldFirst(s.Project.Slug, s.Limit+len(mine))
	if err != nil {
		return nil, err
	}
	out := make([]reading.Lease, 0, s.Limit)
	for _, h := range held {
		own := slices.ContainsFunc(mine, func(m reading.Holding) bool { return m.Task == h.Task })
		if !own && len(out) < s.Limit {
			out = append(out, reading.Lease{
				Task: h.Task, Title: h.Title, Actor: task.Opt(h.Actor), Since: h.Since, ExpiresAt: h.ExpiresAt, Progress: h.Progress,
			})
		}
	}
	return out, nil
}
