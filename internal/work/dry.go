package work

import (
	"context"
	"fmt"
	"slices"

	"tasker/internal/core"
	"tasker/internal/fault"
	"tasker/internal/glob"
	"tasker/internal/policy"
	"tasker/internal/store"
	"tasker/internal/task"
	"tasker/internal/task/proven"
	"tasker/internal/text/words"
)

// Rest is what the tick of a criterion rests on; null while it is not ticked.
type Rest struct {
	Index int             `json:"index"`
	Rests task.Opt        `json:"rests"`
	By    task.EvidenceID `json:"by"`    // the evidence, where it rests on one; in a dry run null for one that comes along
	Doubt task.Opt        `json:"doubt"` // why that may not show it
}

// restsOf returns what the ticks of criteria rest on.
func restsOf(list []task.Criterion) []Rest {
	out := make([]Rest, len(list))
	for i, c := range list {
		out[i] = Rest{c.Index, c.Rests, c.By, c.Doubt}
	}
	return out
}

// tried is what a dry run of a move has decided, up to where the move would write.
type tried struct {
	criteria []task.Criterion    // with the ticks that come along
	evidence []task.EvidenceItem // that comes along
	forced   []string            // what the override would pass over
}

// try answers what a move would meet, by the same rules as the move, in a snapshot: nothing is recorded, no lease is
// extended, and no idempotency key is used.
func (s *Service) try(ctx context.Context, in MoveIn) (MoveOut, error) {
	return core.Read(ctx, s.Env, func(tx *store.Tx) (MoveOut, error) {
		m, refusal := s.move(ctx, tx, in, core.Prints{})
		e := fault.Of(refusal)
		if refusal != nil && e.Kind != fault.Declined {
			return MoveOut{}, refusal
		}
		if m.Task == nil { // declined before anything that comes along was looked at
			t, _, _, pol, err := s.toWrite(ctx, tx, in.Task, nil)
			if err != nil {
				return MoveOut{}, err
			}
			m = moved{record: recordOf(t), From: t.Status, Asked: askedOf(pol, t), tried: tried{criteria: t.Criteria}}
		}
		out := MoveOut{DryRun: true, Stale: m.Stale, Tree: m.tree(), From: m.From, Closable: new(refusal == nil), Rests: restsOf(m.tried.criteria)}
		if refusal != nil {
			if out.Missing = e.Missing; len(out.Missing) == 0 {
				out.Missing = []string{e.Message}
			}
		}
		var err error
		if out.Task, err = m.fill(tx); err != nil {
			return out, err
		}
		if task.Status(in.To) != task.Done {
			return out, nil
		}
		out.Warnings, err = m.basis(tx, m.tried.criteria, m.tried.evidence)
		if err != nil {
			return out, err
		}
		if len(m.tried.forced) > 0 {
			out.Warnings = append(out.Warnings, "it passes over what is missing, which is logged: "+words.List(m.tried.forced))
		}
		open, err := leftOpen(tx, out.Task)
		out.Warnings = append(out.Warnings, open...)
		return out, err
	})
}

// basis warns of what a close rests on that was not run: ticks, and evidence that the gate asks for. added is evidence
// that is not recorded yet. It also warns of runs on other files, of ticks from before a return or reopening, and of commands
// that failed when they were run again.
func (m moved) basis(tx *store.Tx, criteria []task.Criterion, added []task.EvidenceItem) ([]string, error) {
	out := append(slices.Concat(unrun(criteria), task.Doubts(criteria)), words.Each(m.Stale, proven.Stale.Words)...)
	back, err := policy.SentBack(tx, m.Task)
	if err != nil {
		return nil, err
	}
	if older := back.Older(criteria).Words(); older != "" {
		out = append(out, older)
	}
	if m.Unseen {
		out = append(out, task.UnknownWords)
	}
	if m.Unjudged != "" {
		out = append(out, m.Unjudged)
	}
	for _, d := range m.Discounted {
		out = append(out, "evidence "+d.String()+" would not count for an agent's close")
	}
	if len(m.Asked) == 0 {
		return out, nil
	}
	items, _, err := tx.NewestEvidence(m.Task.ID, newestEvidence)
	for _, item := range added {
		items = append(items, task.Evidence{Kind: item.Kind, Value: item.Value})
	}
	out = append(out, words.Each(proven.FallenOf(items), proven.Fallen.Words)...)
	return slices.Concat(out, restsOnNothing("evidence", "evidence", proven.Typed(m.Asked, items))), err
}

// tree returns what the answer says of the tree of a close.
func (m moved) tree() task.Opt { return task.Opt(words.When(m.Unseen, task.TreeUnknown)) }

// askedOf returns the kinds of evidence that the gate of a task asks for.
func askedOf(pol task.Policy, t *task.Task) []string {
	kinds, _ := pol.GateFor(t.Gate)
	return kinds
}

// checkTree refuses a tree, and what differs from it, that no record may have.
func checkTree(in MoveIn) error {
	if err := fault.At("tree", task.CheckOptional("the tree", in.Tree, proven.MaxTree)); err != nil {
		return err
	}
	if err := fault.At("differs", task.CheckCount("trees", len(in.Differs), proven.MaxDiffering)); err != nil {
		return err
	}
	for i, d := range in.Differs {
		if err := fault.At(fmt.Sprintf("differs[%d]", i), d.Check()); err != nil {
			return err
		}
	}
	return nil
}

// seen returns what the caller of a move to done sees. The task's own files are those that its touches match; where it
// declares none, all are.
func seen(ctx context.Context, tx *store.Tx, t *task.Task, a task.Actor, in MoveIn) (out proven.Sight, err error) {
	out = proven.Sight{Tree: in.Tree, Differs: in.Differs, Own: glob.Covering(ctx, t.Touches)}
	if in.Tree != "" && in.To == string(task.Done) {
		out.Shared, err = core.SharedBy(ctx, tx, t, a)
	}
	return out, err
}

// staleAt returns the runs behind a move to done that were not made on the files that the caller sees, and why it was not
// judged whether they are. It reads nothing for a caller that does not say what it sees.
func staleAt(tx *store.Tx, t *task.Task, in MoveIn, sight proven.Sight) (stale []proven.Stale, unjudged string, err error) {
	if in.Tree == "" || in.To != string(task.Done) {
		return nil, "", nil
	}
	runs, err := policy.RunsBehind(tx, t, in.Evidence)
	return proven.StaleOn(sight, runs), sight.Unjudged(runs), err
}
