package reading

import (
	"context"
	"fmt"
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"tasker/internal/config"
	"tasker/internal/core"
	"tasker/internal/fault"
	"tasker/internal/hint"
	"tasker/internal/plan"
	"tasker/internal/policy"
	"tasker/internal/store"
	"tasker/internal/strict"
	"tasker/internal/task"
	"tasker/internal/text/words"
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
	ActOn     *task.Cause `json:"actOn"` // what it waits for in the end; null if it does not wait

	Approvals []task.Requirement `json:"-"` // the missing ones that the caller may give
}

// Mine reports whether the caller holds the task: its claim is then in nobody's way, and nothing would change it.
func (x ExplainOut) Mine() bool {
	return slices.ContainsFunc(x.Ready.Reasons, func(r Reason) bool { return r.Rule == ruleClaim && !r.OK && len(r.Change) == 0 })
}

// RuleCircle is the rule whose reasons name the circles of dependencies and parts that a task is in.
const RuleCircle = "no part"

// ruleClaim is the rule about live claims.
const ruleClaim = "claim"

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
		t, p, err := found(ctx, tx, in.Task)
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
		e := &explainer{
			tx: tx, t: t, project: p, actor: a, policy: pol, settings: settings,
			reader: pol.Reader(a), mine: t.Claim != nil && t.Claim.Actor == a.Full(),
		}
		if err := e.load(); err != nil {
			return ExplainOut{}, err
		}
		if e.against, e.standing, err = policy.Obstacles(tx, a, pol, policy.Asked{Task: t}); err != nil {
			return ExplainOut{}, err
		}
		out := ExplainOut{
			Task: t.ID, Title: t.Title, Status: t.Status, Actor: a.Full(), Kind: kindOf(a),
			Ready: e.ready(), Claimable: e.claimable(), Closable: e.closable(),
		}
		if out.ActOn, err = s.causeOf(core.Scene{Tx: tx, View: tx, Project: p}, t); err != nil {
			return out, err
		}
		out.Approvals = slices.DeleteFunc(slices.Clone(e.against.Approvals), func(r task.Requirement) bool { return !a.Human || !r.By(a) })
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
	reader   fault.Reader
	mine     bool // the actor holds the task

	waits    []string   // open dependencies, as text
	parts    []string   // as text
	circles  [][]string // that the task is in: for a child that is not a part, the path to its parent
	standing task.Standing
	against  task.Obstacles // to a move to done by the caller
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
	e.circles, err = circlesOf(e.tx, t)
	return err
}

const (
	maxCircles = 20   // how many circles an explanation names
	maxCircled = 1000 // how many open children that are in a circle with their parents are looked at
)

// circlesOf returns the circles that a task is in. A project without circles costs one look at an index.
func circlesOf(tx *store.Tx, t *task.Task) ([][]string, error) {
	children, err := tx.Circled(t.Project, true, maxCircled)
	if err != nil || len(children) == 0 {
		return nil, err
	}
	ways, err := plan.CircleWays(children, plan.Ties{From: tx.TiesFrom, To: tx.TiesTo})
	var out [][]string
	for _, way := range ways {
		if len(out) == maxCircles {
			break
		}
		if slices.Contains(way, t.ID) {
			out = append(out, words.Each(way, func(id task.ID) string { return string(id) }))
		}
	}
	return out, err
}

// named returns, as text, the tasks that a rule is about.
func (e *explainer) named(brief []*task.Task, which func(*task.Task) bool) ([]string, error) {
	all, err := e.tx.TasksByID(task.IDsOf(brief))
	var out []string
	for _, t := range slices.DeleteFunc(all, func(t *task.Task) bool { return !which(t) }) {
		text := fmt.Sprintf("%s (%s", t.ID, inWords(t.Status))
		if t.Claim != nil {
			text += ", " + t.Claim.String()
		}
		out = append(out, text+")")
	}
	return out, err
}

// ready applies the rules of the frontier. A claim says why a task is in progress, so that is not said again.
func (e *explainer) ready() Verdict {
	t := e.t
	out := []Reason{e.claim()}
	if t.Claim == nil {
		out = append(out, e.say("status", t.Status == task.Open, "it is "+inWords(t.Status), e.opening()))
	}
	out = append(out, e.dependencies(), e.partsClosed(), e.questions())
	for _, way := range e.circles {
		out = append(out, e.say(RuleCircle, true, plan.CircleWords(way), nil))
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

// claimable applies the rules of a claim by the caller. The holder renews the claim, which asks for less.
func (e *explainer) claimable() Verdict {
	t := e.t
	var fence *int64
	if e.mine {
		fence = &t.Claim.Fence
	}
	_, _, err := t.ClaimBy(e.actor, e.policy, fence, nil, e.tx.Now())
	out := []Reason{e.archived()}
	if e.mine {
		out = append(out, e.say(ruleClaim, true, "you hold it", nil))
		if err != nil {
			out = append(out, e.routed())
		}
	} else {
		out = append(out, e.claim(), e.say("status", !t.Status.Closed() && t.Status != task.InReview, "it is "+inWords(t.Status), e.opening()),
			e.dependencies(), e.questions(), e.routed())
	}
	return Verdict{Yes: e.allowed(err) && !e.project.Archived, Reasons: out}
}

// closable applies the rules of a move to done by the caller.
func (e *explainer) closable() Verdict {
	t := e.t
	_, err := t.MoveBy(e.actor, e.policy, task.Move{To: task.Done}, e.standing, e.tx.Now())
	out := []Reason{e.archived(), e.hold(), e.say("status", true, closing(t.Status), nil)}
	o := e.against
	if n := len(t.Criteria); n > 0 {
		out = append(out, e.met("criteria", task.Obstacles{Criteria: o.Criteria}, fmt.Sprintf("all %d are ticked", n)))
	}
	if t.Gate != "" {
		key := strict.Join("gates", string(t.Gate))
		out = append(out, e.met("gate", task.Obstacles{Gate: o.Gate}, fmt.Sprintf("the gate %s is defined", t.Gate), key))
		if o.Gate == "" {
			reason := e.met("evidence", task.Obstacles{Evidence: o.Evidence, Why: o.Why}, "all the evidence that the gate asks for is there", key)
			if closes := o.Proving(t.ID); !reason.OK && len(closes) > 0 {
				reason.Change = hint.Advice(closes.For(e.reader))
			}
			out = append(out, reason)
		}
	}
	out = append(out, e.approvals(o)...)
	if e.policy.RequireNoteOnDone {
		out = append(out, e.met("note", task.Obstacles{Note: o.Note}, "there is a note", "agentDefaults.requireNoteOnDone"))
	}
	out = append(out, e.met("questions", task.Obstacles{Questions: o.Questions, Unnamed: o.Unnamed}, noQuestion))
	return Verdict{Yes: e.allowed(err) && !e.project.Archived, Reasons: append(out, e.closingsByAgents(o)...)}
}

// closingsByAgents returns what the rules for closings by agents find. What also keeps the task from being ready is said
// in the same words.
func (e *explainer) closingsByAgents(o task.Obstacles) (out []Reason) {
	c := o.Closing
	if len(o.Record) > 0 {
		out = append(out, e.met("record", task.Obstacles{Record: o.Record}, ""))
	}
	if len(c.Deps)+c.UnnamedDeps > 0 {
		out = append(out, e.dependencies())
	}
	if len(c.Parts)+c.UnnamedParts > 0 {
		out = append(out, e.partsClosed())
	}
	for _, one := range []struct {
		rule, why string
		task.Closing
	}{
		{"review", c.Taken, task.Closing{Taken: c.Taken}},
		{"supervision", "it is supervised: a human closes it, from review", task.Closing{Supervised: c.Supervised}},
	} {
		if !one.Empty() {
			out = append(out, e.say(one.rule, false, one.why, e.remove(task.Obstacles{Closing: one.Closing})))
		}
	}
	if back := c.SentBack; back != nil {
		out = append(out, e.say(back.Name(), false, back.Sentence(), e.remove(task.Obstacles{Closing: task.Closing{SentBack: back}})))
	}
	return out
}

// approvals returns a reason for each required approval, with the setting that requires it.
func (e *explainer) approvals(o task.Obstacles) []Reason {
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
		out = append(out, e.say("approval", !missing, why, e.remove(task.Obstacles{Approvals: []task.Requirement{r}}), key))
	}
	return out
}
