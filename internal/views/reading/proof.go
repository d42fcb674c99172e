package reading

import (
	"context"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"

	"tasker/internal/core"
	"tasker/internal/fault"
	"tasker/internal/policy"
	"tasker/internal/task"
	"tasker/internal/task/proven"
	"tasker/internal/task/query"
	"tasker/internal/workspace"
)

// ProofIn asks for closed work.
type ProofIn struct {
	Slug  string `path:"slug"`
	Days  *int   `query:"days"`
	Only  string `query:"only" about:"only work that nothing proves (any more), that was closed by force, or that is not on its base"`
	Limit *int   `query:"limit"`
}

// The filters of proof: see ProofIn.Only.
const (
	OnlyUnproven = "unproven"
	OnlyForced   = "forced"
	OnlyUnlanded = "unlanded"
)

// Choices lists the values of fields that accept only a few.
func (ProofIn) Choices() map[string][]string {
	return map[string][]string{"only": {OnlyUnproven, OnlyForced, OnlyUnlanded}}
}

// lookedThrough limits how many closed tasks are searched for matches.
const lookedThrough = 1_000

// ProofOut is closed work with its proof.
type ProofOut struct {
	Project string  `json:"project"`
	Days    int     `json:"days"`
	Tally   Tally   `json:"tally"`
	Closed  []Proof `json:"closed"`
}

// Tally counts all work that was closed in these days by how well it is proven, whether or not it is listed, next to the
// totals of the whole project.
type Tally struct {
	Project   task.Counts `json:"project"`
	Total     int         `json:"total"`
	More      bool        `json:"more"` // not everything that was asked for is listed: there is more than the limit allows, or than fits on a page
	Done      int         `json:"done"`
	Cancelled int         `json:"cancelled"`
	Evidence  int         `json:"evidence"`  // with at least one item
	Approved  int         `json:"approved"`  // with at least one valid approval
	Overrides int         `json:"overrides"` // closed by force
	Recorded  int         `json:"recorded"`  // created closed: imported, not checked
	NotLanded int         `json:"notLanded"` // whose work was not on its base when somebody last looked
}

// Proof is one closed task.
type Proof struct {
	Task      task.ID            `json:"task"`
	Title     string             `json:"title"`
	Status    task.Status        `json:"status"`
	ClosedBy  task.Opt           `json:"closedBy"`
	ClosedAt  task.Time          `json:"closedAt"`
	Recorded  bool               `json:"recorded"`
	Criteria  []task.Criterion   `json:"criteria"`
	Evidence  []task.Evidence    `json:"evidence"`
	Approvals []task.Approval    `json:"approvals"`
	Overrides []Override         `json:"overrides"`
	Landing   *workspace.Landing `json:"landing"`   // where the work was when somebody last looked; null if nobody could
	FoundOn   *workspace.FoundOn `json:"foundOn"`   // where its run was found then
	NotLanded task.Opt           `json:"notLanded"` // where the work is, as text, while it is not on its base
	Changed   *task.ChangedPaths `json:"changed"`   // what was changed since the claim; null if nobody recorded it
	LaterWork *task.LaterWork    `json:"laterWork"` // done later, on the same files; null if there is none
	Stale     []proven.Stale     `json:"stale"`     // runs on other files than the closing command saw
	Tree      task.Opt           `json:"tree"`      // unknown where no tree came with an agent's close that rests on runs; null elsewhere
	Older     task.OlderTicks    `json:"older"`     // ticks that rest on what is from before a return or a reopening
	Dropped   []task.DroppedTick `json:"dropped"`   // criteria that were ticked when an edit took them away
	Fallen    []proven.Fallen    `json:"fallen"`    // commands that were run again later and failed
}

// Override is a forced move, and what it overrode.
type Override struct {
	Event  int64     `json:"event"`
	At     task.Time `json:"at"`
	Actor  string    `json:"actor"`
	Passed []string  `json:"passedOver"`
}

const defaultDays = 30

// ProofOf returns closed work of the last days, newest first, with its evidence, ticks, approvals and overrides.
func (s *Service) ProofOf(ctx context.Context, in ProofIn) (ProofOut, error) {
	days := defaultDays
	if in.Days != nil {
		if days = *in.Days; days <= 0 || days > 36_600 {
			return ProofOut{}, fault.Bad("days is %d", days).WithMissing(fault.Parameter("days")).WithHint("a whole number from 1 to 36600")
		}
	}
	if in.Only != "" && !slices.Contains(in.Choices()["only"], in.Only) {
		return ProofOut{}, fault.Bad("only is %q", in.Only).WithMissing(fault.Parameter("only")).
			WithHint("one of %s", strings.Join(in.Choices()["only"], ", "))
	}
	return within(ctx, s.Env, in.Slug, in.Limit, func(sc scene) (ProofOut, error) {
		out := ProofOut{Project: sc.Project.Slug, Days: days, Tally: Tally{Project: sc.Project.Tasks}}
		counts, err := s.caches.tally(sc, days)
		if err != nil {
			return out, err
		}
		out.Tally.count(counts)
		look := sc.Limit
		if in.Only != "" {
			look = lookedThrough
		}
		closed, err := sc.View.Closed(sc.Project.Slug, "", daysBefore(sc.View.Now(), days), look+1)
		if err != nil {
			return out, err
		}
		if len(closed) > look {
			closed, out.Tally.More = closed[:look], true
		}
		landings, err := workspace.Landings(sc.Tx, closed)
		if err != nil {
			return out, err
		}
		taken := query.Page{Bytes: core.PageBytes}.Taken()
		for _, t := range closed {
			p, err := sc.proof(t)
			if err != nil {
				return out, err
			}
			if p.Landing = landings[t.ID]; p.Landing != nil {
				p.NotLanded, p.FoundOn = task.Opt(p.Landing.Words()), p.Landing.FoundOn()
			}
			if !p.is(in.Only) {
				continue
			}
			if p.Changed, err = sc.Tx.Changed(t); err != nil {
				return out, err
			}
			if p.LaterWork, err = sc.Tx.Later(t, p.Changed); err != nil {
				return out, err
			}
			if len(out.Closed) == sc.Limit || !taken.Add(p.bytes(t)) {
				out.Tally.More = true
				break
			}
			out.Closed = append(out.Closed, p)
		}
		return out, nil
	})
}

// is reports whether the proof matches the filter; without a filter, every proof does.
func (p *Proof) is(only string) bool {
	switch only {
	case OnlyUnproven:
		approved := slices.ContainsFunc(p.Approvals, func(a task.Approval) bool { return !a.Stale })
		return p.Status == task.Done && (len(p.Evidence) == 0 && !approved || len(p.Fallen) > 0)
	case OnlyForced:
		return len(p.Overrides) > 0
	case OnlyUnlanded:
		return p.NotLanded != ""
	}
	return true
}

func (s scene) proof(t *task.Task) (Proof, error) {
	p := Proof{
		Task: t.ID, Title: t.Title, Status: t.Status, ClosedBy: task.Opt(t.ClosedBy), ClosedAt: t.ClosedAt,
		Recorded: t.Recorded, Criteria: t.Criteria,
	}
	var err error
	if t.Evidences > 0 {
		if p.Evidence, _, err = s.View.NewestEvidence(t.ID, task.MaxListed); err != nil {
			return p, err
		}
		p.Fallen = proven.FallenOf(p.Evidence)
		task.Doubted(p.Evidence, p.Criteria)
		if slices.ContainsFunc(p.Evidence, proven.Ran) {
			if err := s.Tx.Outputs(t.ID, p.Evidence); err != nil {
				return p, err
			}
		}
	}
	if t.Approvals > 0 {
		if p.Approvals, err = s.View.Approvals(t.ID); err != nil {
			return p, err
		}
	}
	if t.Recorded {
		return p, nil
	}
	if p.Stale, p.Tree, err = s.seenAtClose(p); err != nil {
		return p, err
	}
	back, err := policy.SentBack(s.View, t)
	if err != nil {
		return p, err
	}
	p.Older = back.Older(t.Criteria)
	if p.Dropped, err = s.dropped(t); err != nil {
		return p, err
	}
	none := int64(0)
	forced, err := s.View.Events(query.Events{Task: t.ID, Kind: string(task.OverrideForced), SinceID: &none, Limit: 20})
	if err != nil {
		return p, err
	}
	for _, ev := range forced {
		var payload struct {
			Passed []string `json:"passedOver"`
		}
		if err := json.Unmarshal(ev.Payload, &payload); err != nil {
			return p, err
		}
		p.Overrides = append(p.Overrides, Override{Event: ev.ID, At: ev.At, Actor: ev.Actor, Passed: payload.Passed})
	}
	return p, nil
}

// editsRead limits how many edits of a task are searched for criteria that they took away.
const editsRead = 1_000

// dropped returns the criteria of a task that were ticked when an edit took them away, and that it does not have again.
func (s scene) dropped(t *task.Task) ([]task.DroppedTick, error) {
	if t.Version <= 2 { // a tick and an edit make three
		return nil, nil
	}
	var out []task.DroppedTick
	last := int64(0)
	for range editsRead / editPage {
		edits, err := s.View.Events(query.Events{Task: t.ID, Kind: string(task.TaskUpdated), SinceID: &last, Limit: editPage, Bytes: core.PageBytes})
		if err != nil {
			return nil, err
		}
		for _, ev := range edits {
			last = ev.ID
			var payload struct {
				Criteria *struct {
					From []task.Criterion `json:"from"`
					To   []task.Criterion `json:"to"`
				} `json:"criteria"`
			}
			if err := json.Unmarshal(ev.Payload, &payload); err != nil {
				return nil, err
			}
			if c := payload.Criteria; c != nil {
				out = append(out, task.DroppedTicks(ev, c.From, c.To)...)
			}
		}
		if len(edits) == 0 {
			break
		}
	}
	return slices.DeleteFunc(out, func(d task.DroppedTick) bool {
		return slices.ContainsFunc(t.Criteria, func(c task.Criterion) bool { return c.Text == d.Text })
	}), nil
}

// editPage is how many edits are read at once.
const editPage = 100

// seenAtClose returns the runs that the closing event of a finished task says were stale, and what it says of the tree. Only a
// task with runs has any.
func (s scene) seenAtClose(p Proof) (stale []proven.Stale, tree task.Opt, err error) {
	if p.Status != task.Done || len(proven.ReliedOn(p.Evidence, p.Criteria)) == 0 {
		return nil, "", nil
	}
	moves, err := s.View.Events(query.Events{Task: p.Task, Kind: string(task.TaskMoved), Limit: 1})
	if err != nil || len(moves) == 0 {
		return nil, "", err
	}
	var payload struct {
		Stale []proven.Stale `json:"stale"`
		Tree  task.Opt       `json:"tree"`
	}
	err = json.Unmarshal(moves[0].Payload, &payload)
	return payload.Stale, payload.Tree, err
}

// bytes returns about how many bytes the proof of a task takes.
func (p *Proof) bytes(t *task.Task) int {
	n := query.TaskBytes(t)
	for i := range p.Evidence {
		n += query.EvidenceBytes(&p.Evidence[i])
	}
	for i := range p.Approvals {
		n += 256 + len(p.Approvals[i].Note)
	}
	if p.Changed != nil {
		for _, path := range p.Changed.Paths {
			n += 4 + len(path)
		}
	}
	for i := range p.Dropped {
		n += 160 + len(p.Dropped[i].Text)
	}
	for i := range p.Overrides {
		for _, passed := range p.Overrides[i].Passed {
			n += 24 + len(passed)
		}
	}
	return n
}

func (t *Tally) count(n query.Proven) {
	t.Total, t.Done, t.Cancelled = n.Done+n.Cancelled, n.Done, n.Cancelled
	t.Evidence, t.Approved, t.Overrides, t.Recorded, t.NotLanded = n.Evidence, n.Approved, n.Overrides, n.Recorded, n.NotLanded
}

// daysBefore returns the moment some days before now.
func daysBefore(now task.Time, days int) task.Time { return now.Add(-int64(days) * dayMs) }
