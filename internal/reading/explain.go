package reading

import (
	"context"
	"fmt"
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"tasker/internal/config"
	"tasker/internal/core"
	"tasker/internal/fault/hint"
	"tasker/internal/plan"
	"tasker/internal/store"
	"tasker/internal/strict"
	"tasker/internal/task"
)

// ExplainOut says why a task is or is not ready, whether the caller may claim it, and whether the caller may close it.
type ExplainOut struct {
	Task      task.ID     `json:"task"`
	Title     string      `json:"title"`
	Status    task.Status `json:"status"`
	Actor     string      `json:"actor"`
	Kind      string      `json:"kind"` // human or agent
	Ready     Verdict     `json:"ready"`
	Claimable Verdict     `json:"claimable"`
	Closable  Verdict     `json:"closable"`

	Approvals []task.Requirement `json:"-"` // the missing ones that the caller may give
}

// Verdict is a yes or no with every rule that it depends on. It is yes if all of them are satisfied.
type Verdict struct {
	Yes     bool     `json:"yes"`
	Reasons []Reason `json:"reasons"`
}

// Reason is the result of one rule: whether it is satisfied, why, which settings it uses, and what would change it.
type Reason struct {
	Rule     string      `json:"rule"`
	OK       bool        `json:"ok"`
	Why      string      `json:"why"`
	Settings []Setting   `json:"settings"`
	Change   hint.Advice `json:"change"`
}

// Setting is a configuration value that a rule uses, and its source.
type Setting struct {
	Key   string         `json:"key"`
	Value jsontext.Value `json:"value"`
	Layer string         `json:"layer"`
	File  task.Opt       `json:"file"`
	Line  *int           `json:"line"`
}

// Explain returns why a task is or is not ready, claimable by the caller, and closable.
func (s *Service) Explain(ctx context.Context, in core.TaskIn) (ExplainOut, error) {
	return core.Read(ctx, s.Env, func(tx *store.Tx) (ExplainOut, error) {
		t, err := core.Find(ctx, tx, in.Task)
		if err != nil {
			return ExplainOut{}, err
		}
		p, err := tx.Project(t.Project)
		if err != nil {
			return ExplainOut{}, err
		}
		a, pol, err := s.Writer(ctx, tx, p, t, nil)
		if err != nil {
			return ExplainOut{}, err
		}
		settings, err := s.Settings.Effective(p)
		if err != nil {
			return ExplainOut{}, err
		}
		e := &explainer{tx: tx, t: t, project: p, actor: a, policy: pol, settings: settings}
		if err := e.load(); err != nil {
			return ExplainOut{}, err
		}
		out := ExplainOut{
			Task: t.ID, Title: t.Title, Status: t.Status, Actor: a.Full(), Kind: "agent",
			Ready: e.ready(), Claimable: e.claimable(), Closable: e.closable(),
		}
		if a.Human {
			out.Kind = "human"
		}
		out.Approvals = slices.DeleteFunc(t.Obstacles(pol, e.standing).Approvals, func(r task.Requirement) bool { return !a.Human || !r.By(a) })
		return out, e.err
	})
}

// explainer explains one task.
type explainer struct {
	tx       *store.Tx
	t        *task.Task
	project  *task.Project
	actor    task.Actor
	policy   task.Policy
	settings *config.Effective

	waits    []string   // open dependencies, as text
	parts    []string   // as text
	circles  [][]string // for children that are not parts: the path from each to the task
	standing task.Standing
	err      error
}

// explained limits how many neighbours an explanation names.
const explained = 200

// load reads what the rules need in addition to the record, whose counts say what there is to read.
func (e *explainer) load() (err error) {
	t := e.t
	if t.Waits() {
		neighbours, err := e.tx.Neighbours(t, explained)
		if err != nil {
			return err
		}
		if e.waits, err = e.named(neighbours.Deps, func(d *task.Task) bool { return !d.Status.Closed() }); err != nil {
			return err
		}
		if e.parts, err = e.named(neighbours.Children, (*task.Task).Part); err != nil {
			return err
		}
	}
	if t.OpenChildren > t.Parts {
		e.circles, err = circlesBelow(e.tx, t)
	}
	e.standing.Notes = t.Notes
	if err == nil && t.Evidences > 0 {
		_, e.standing.Evidence, err = e.tx.NewestEvidence(t.ID, 1)
	}
	if err == nil && t.Approvals > 0 {
		e.standing.Approvals, err = e.tx.Approvals(t.ID)
	}
	if err == nil && t.Questions > 0 {
		e.standing.Questions, _, err = e.tx.Questions(t.ID, task.MaxListed)
	}
	return err
}

// maxCircles limits how many children that are not parts an explanation names.
const maxCircles = 20

// circlesBelow returns the circles of the children of a task that are not parts of it.
func circlesBelow(tx *store.Tx, t *task.Task) ([][]string, error) {
	children, err := tx.CircledBelow(t.ID, maxCircles)
	if err != nil {
		return nil, err
	}
	ways, err := plan.CircleWays(children, plan.Ties{From: tx.TiesFrom, To: tx.TiesTo})
	out := make([][]string, len(ways))
	for i, way := range ways {
		for _, id := range way {
			out[i] = append(out[i], string(id))
		}
	}
	return out, err
}

// named returns, as text, the tasks that a rule is about.
func (e *explainer) named(brief []*task.Task, which func(*task.Task) bool) ([]string, error) {
	all, err := e.tx.TasksByID(task.IDsOf(brief))
	var out []string
	for _, t := range slices.DeleteFunc(all, func(t *task.Task) bool { return !which(t) }) {
		words := fmt.Sprintf("%s (%s", t.ID, inWords(t.Status))
		if t.Claim != nil {
			words += ", " + t.Claim.String()
		}
		out = append(out, words+")")
	}
	return out, err
}

// ready applies the rules of the frontier.
func (e *explainer) ready() Verdict {
	t := e.t
	out := []Reason{
		e.say("status", t.Status == task.Open, "it is "+inWords(t.Status), e.opening()),
		e.claim("nobody holds it", hint.Advise("wait for it, or have its holder or a human release it: %s", hint.Release(t.ID))),
		e.dependencies(),
		e.say("parts", t.Parts == 0, e.waitsForParts(), hint.Advise("close them, or cancel them: a task comes after its parts")),
		e.questions(),
	}
	for _, way := range e.circles {
		out = append(out, e.say("no part", true, plan.CircleWords(way), nil))
	}
	if !t.Status.Closed() {
		out = append(out, e.say("selection", true, "ready tasks are handed out by "+e.policy.Order().Words(), nil, "integrations.selection"))
		if r := e.policy.Route(e.actor, t); r.PreferredActor != "" {
			keys := []string{}
			if t.PreferredActor == "" {
				keys = append(keys, "execution.preferredActor")
			}
			out = append(out, e.say("preference", true, fmt.Sprintf("it prefers %s, which is a bias and never a lock", r.PreferredActor), nil, keys...))
		}
	}
	return Verdict{Yes: t.Ready(), Reasons: out}
}

// claimable applies the rules of a claim by the caller.
func (e *explainer) claimable() Verdict {
	t := e.t
	_, _, err := t.ClaimBy(e.actor, e.policy, nil, nil, e.tx.Now())
	change := hint.Advise("take another (%s), wait, or have its holder or a human release it: %s", hint.Next(t.Project), hint.Release(t.ID))
	if t.Claim != nil && t.Claim.Actor == e.actor.Full() {
		change = hint.Advise("it is yours: %s", hint.Renew(t.ID, t.Claim.Fence))
	}
	r := e.policy.Route(e.actor, t)
	return Verdict{Yes: e.allowed(err) && !e.project.Archived, Reasons: []Reason{
		e.archived(),
		e.claim("nobody holds it", change),
		e.say("status", !t.Status.Closed() && t.Status != task.InReview, "it is "+inWords(t.Status), e.opening()),
		e.dependencies(),
		e.questions(),
		e.say("routing", r.MayHold, r.Why, hint.Advise("%s", r.WhatWouldChange), e.routing()...),
	}}
}

// closable applies the rules of a move to done by the caller.
func (e *explainer) closable() Verdict {
	t := e.t
	_, err := t.MoveBy(e.actor, e.policy, task.Move{To: task.Done}, e.standing, e.tx.Now())
	out := []Reason{e.archived(), e.hold(), e.say("status", true, closing(t.Status), nil)}
	o := t.Obstacles(e.policy, e.standing)
	remove := func(o task.Obstacles) hint.Advice { return hint.Advice(o.Advice(t.ID, e.actor, e.policy)) }
	if n := len(t.Criteria); n > 0 {
		out = append(out, e.say("criteria", len(o.Criteria) == 0, either(task.Obstacles{Criteria: o.Criteria}, fmt.Sprintf("all %d are ticked", n)),
			remove(task.Obstacles{Criteria: o.Criteria})))
	}
	if t.Gate != "" {
		key := strict.Join("gates", string(t.Gate))
		out = append(out, e.say("gate", o.Gate == "", either(task.Obstacles{Gate: o.Gate}, fmt.Sprintf("the gate %s is defined", t.Gate)),
			remove(task.Obstacles{Gate: o.Gate}), key))
		if o.Gate == "" {
			out = append(out, e.say("evidence", len(o.Evidence) == 0, either(task.Obstacles{Evidence: o.Evidence}, "there is all the evidence that the "+
				"gate asks for"), remove(task.Obstacles{Evidence: o.Evidence}), key))
		}
	}
	out = append(out, e.approvals(o, remove)...)
	if e.policy.RequireNoteOnDone {
		out = append(out, e.say("note", !o.Note, either(task.Obstacles{Note: o.Note}, "there is a note"), remove(task.Obstacles{Note: o.Note}),
			"agentDefaults.requireNoteOnDone"))
	}
	open := task.Obstacles{Questions: o.Questions, Unnamed: o.Unnamed}
	out = append(out, e.say("questions", open.Empty(), either(open, "no blocking question is open"), remove(open)))
	return Verdict{Yes: e.allowed(err) && !e.project.Archived, Reasons: out}
}

// approvals returns a reason for each required approval, with the setting that requires it.
func (e *explainer) approvals(o task.Obstacles, remove func(task.Obstacles) hint.Advice) []Reason {
	var out []Reason
	for i, r := range e.policy.Required(e.t) {
		key := fmt.Sprintf("execution.requireApproval[%d]", i)
		if n := i - len(e.policy.RequireApproval); n >= 0 {
			key = fmt.Sprintf("%s[%d]", strict.Join("execution.reviewPolicy", string(e.t.Gate)), n)
		}
		missing := slices.Contains(o.Approvals, r)
		why := r.String() + " is given"
		if missing {
			why = "missing: " + r.String()
		}
		out = append(out, e.say("approval", !missing, why, remove(task.Obstacles{Approvals: []task.Requirement{r}}), key))
	}
	return out
}
