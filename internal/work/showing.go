package work

import (
	"context"
	"fmt"
	"slices"

	"github.com/go-json-experiment/json"

	"tasker/internal/store"
	"tasker/internal/task"
	"tasker/internal/task/proven"
	"tasker/internal/task/query"
)

// earlierRuns is how many of a project's newest items of evidence are searched for runs of a kind.
const earlierRuns = 100

// showing records evidence and ticks the criteria that its first item proves. A run that covers no criterion is
// recorded with a warning, and nothing is ticked.
func (s *Service) showing(ctx context.Context, tx *store.Tx, t *task.Task, in EvidenceIn) (added, error) {
	p, err := tx.Project(t.Project)
	if err != nil {
		return added{}, err
	}
	a, pol, err := s.Writer(ctx, tx, p, t, in.Fence)
	if err != nil {
		return added{}, err
	}
	// Ticks that are not allowed are refused before anything is recorded.
	shown := task.Evidence{Task: t.ID, Kind: in.Items[0].Kind, Value: in.Items[0].Value}
	if _, _, err := ticked(t, a, pol, ticks{indexes: in.Check, checked: true, on: by(shown)}, tx.Now()); err != nil {
		return added{}, err
	}
	doubts, err := doubtsOf(tx, t, in)
	if err != nil {
		return added{}, err
	}
	items := slices.Clone(in.Items)
	if len(doubts) > 0 {
		items[0].Note = task.Opt(doubts[0] + ": it ticks nothing")
		if in.Items[0].Note != "" {
			items[0].Note = in.Items[0].Note + "; " + items[0].Note
		}
	}
	stored, ids, err := addEvidence(tx, t, items)
	if err != nil {
		return added{}, err
	}
	if len(doubts) > 0 {
		out, err := addedTo(ctx, tx, t, in.Fence, ids...)
		out.Doubts, out.Unrun = []string{doubts[0] + ": nothing was ticked"}, unrun(t.Criteria)
		return out, err
	}
	after, events, err := ticked(t, a, pol, ticks{indexes: in.Check, checked: true, on: by(stored[0])}, tx.Now())
	if err != nil {
		return added{}, err
	}
	if after, err = saveExtending(tx, a, t, after, events, true); err != nil {
		return added{}, err
	}
	out := added{IDs: ids, Checked: in.Check, Unrun: unrun(after.Criteria)}
	of := func(c task.Criterion) bool { return slices.Contains(in.Check, c.Index) }
	out.Doubts = task.Doubts(slices.DeleteFunc(slices.Clone(after.Criteria), func(c task.Criterion) bool { return !of(c) }))
	if a.Holds(t.Claim) && t.ChangedSince() {
		out.Changed = t.ID
	}
	return out, nil
}

// doubtsOf returns why the first item, if it was run, does not prove the criteria.
func doubtsOf(tx *store.Tx, t *task.Task, in EvidenceIn) ([]string, error) {
	run, ok := proven.Parse(in.Items[0].Value)
	if !ok {
		return nil, nil
	}
	filled := *t
	if err := tx.Fill(&filled); err != nil {
		return nil, err
	}
	events, err := tx.Events(query.Events{Project: t.Project, Kind: string(task.EvidenceAdded), Limit: earlierRuns})
	if err != nil {
		return nil, err
	}
	var earlier []proven.Run
	for _, e := range slices.Backward(events) {
		var item task.EvidenceItem
		if err := json.Unmarshal(e.Payload, &item); err != nil {
			return nil, err
		}
		if before, ok := proven.Parse(item.Value); ok && item.Kind == in.Items[0].Kind {
			earlier = append(earlier, before)
		}
	}
	var out []string
	for _, i := range in.Check {
		if why := proven.NotShown(run, t.Criteria[i-1].Text, string(filled.Body), earlier); why != "" {
			out = append(out, fmt.Sprintf("criterion %d: %s", i, why))
		}
	}
	return out, nil
}
