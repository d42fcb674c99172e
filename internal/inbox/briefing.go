package inbox

import (
	"cmp"
	"context"
	"slices"
	"sort"
	"strings"

	"github.com/go-json-experiment/json"

	"tasker/internal/core"
	"tasker/internal/store/inboxdb"
	"tasker/internal/task"
)

// BriefIn asks what happened in a project since the caller's mark, or since a time.
type BriefIn struct {
	Slug  string `path:"slug"`
	Since string `query:"since" about:"what happened from this time on, as in events; from your mark unless given"`
}

// BriefOut is what happened, by actor. It covers only a bounded number of the newest events of each kind.
type BriefOut struct {
	Project string    `json:"project"`
	Actor   string    `json:"actor"`
	Mark    int64     `json:"mark"`  // the reader's
	Since   task.Time `json:"since"` // if a time was asked for
	More    bool      `json:"more"`  // some are not listed
	Actors  []Deeds   `json:"actors"`

	Runners []task.Runner `json:"runners"` // where they stand now; one is listed for a moment after its end
}

// Deeds is what one actor did.
type Deeds struct {
	Actor    string `json:"actor"`
	Kind     string `json:"kind"`
	Closed   []Deed `json:"closed"`
	Forced   []Deed `json:"forced"`
	Reopened []Deed `json:"reopened"`
	Lapsed   []Deed `json:"lapsed"`
	SentBack []Deed `json:"sentBack"`
	Asked    []Deed `json:"asked"`
}

// Deed is one thing that an actor did.
type Deed struct {
	Task  task.ID   `json:"task"`
	Title string    `json:"title"`
	Event int64     `json:"event"`
	At    task.Time `json:"at"`
	Text  string    `json:"text"` // the result, what was overridden, or the question
}

// briefed is how many events of a kind a briefing looks at.
const briefed = 250

// Brief returns what happened in a project since the caller's mark: tasks closed, forced, reopened, lapsed and sent
// back, and questions asked.
func (s *Service) Brief(ctx context.Context, in BriefIn) (BriefOut, error) {
	var since task.Time
	if in.Since != "" {
		at, err := core.ParseSince(in.Since)
		if err != nil {
			return BriefOut{}, err
		}
		since = at
	}
	return within(ctx, s.Env, in.Slug, nil, func(sc scene) (BriefOut, error) { return sc.briefing(s.Env, since) })
}

// briefing returns what happened since a time, or since the reader's mark if the time is zero.
func (s scene) briefing(svc *core.Env, since task.Time) (BriefOut, error) {
	out := BriefOut{Project: s.Project.Slug, Actor: s.Actor.Name, Since: since}
	var err error
	if out.Runners, err = s.Tx.Runners(s.Project.Slug); err != nil {
		return out, err
	}
	if out.Mark, err = inboxdb.Mark(s.Tx, s.Actor.Name); err != nil {
		return out, err
	}
	start, err := s.View.LogStart()
	if err != nil {
		return out, err
	}
	after := out.Mark
	if since != 0 {
		if err := core.LogReaches(s.Tx, since); err != nil {
			return out, err
		}
		after = 0
	}
	out.More = since == 0 && after < start.First-1
	var all []deed
	for _, kind := range []task.Kind{task.TaskMoved, task.OverrideForced, task.ClaimExpired, task.QuestionAsked} {
		looked := 0
		err := s.Tx.Latest(s.Project.Slug, kind, after, briefed+1, func(ev task.Event) {
			if ev.At < since {
				return
			}
			if looked++; looked > briefed {
				out.More = true
				return
			}
			if d, ok := deedOf(ev); ok {
				all = append(all, d)
			}
		})
		if err != nil {
			return out, err
		}
	}
	slices.SortFunc(all, func(a, b deed) int { return cmp.Compare(a.Event, b.Event) })
	out.Actors, err = s.deeds(svc, all)
	return out, err
}

// deed is an event in a briefing, with its actor and the list of the actor that it belongs on.
type deed struct {
	Deed
	actor string
	on    func(*Deeds) *[]Deed
}

func deedOf(ev task.Event) (deed, bool) {
	d := deed{Deed: Deed{Task: task.ID(ev.Task), Event: ev.ID, At: ev.At}, actor: ev.Actor}
	var p struct {
		payload
		From task.Status `json:"from"`
		To   any         `json:"to"`
	}
	if json.Unmarshal(ev.Payload, &p) != nil {
		return d, false
	}
	p.payload = p.payload.short()
	switch ev.Kind {
	case task.OverrideForced:
		if ev.Task == "" { // a policy that was taken over; the briefing is about tasks
			return d, false
		}
		d.on, d.Text = func(a *Deeds) *[]Deed { return &a.Forced }, strings.Join(p.Passed, "; ")
	case task.ClaimExpired:
		d.on, d.actor = func(a *Deeds) *[]Deed { return &a.Lapsed }, p.Actor
		d.Text = "the lease ran out"
	case task.QuestionAsked:
		d.on, d.Text = func(a *Deeds) *[]Deed { return &a.Asked }, p.Text
	case task.TaskMoved:
		to, _ := p.To.(string)
		d.Text = string(p.From) + " to " + to
		switch from, to := p.From, task.Status(to); {
		case to.Closed() && !from.Closed():
			d.on, d.Text = func(a *Deeds) *[]Deed { return &a.Closed }, string(to)
		case from.Closed() && !to.Closed():
			d.on = func(a *Deeds) *[]Deed { return &a.Reopened }
		case from == task.InReview && !to.Closed():
			d.on = func(a *Deeds) *[]Deed { return &a.SentBack }
		default:
			return d, false
		}
	default:
		return d, false
	}
	return d, true
}

// deeds groups the events by actor, sorted by name.
func (s scene) deeds(svc *core.Env, all []deed) ([]Deeds, error) {
	var ids []task.ID
	for _, d := range all {
		ids = append(ids, d.Task)
	}
	titles, err := s.View.Titles(s.Project.Slug, ids)
	if err != nil {
		return nil, err
	}
	at := map[string]int{}
	var out []Deeds
	for _, d := range all {
		i, ok := at[d.actor]
		if !ok {
			kind, err := svc.KindIn(s.Tx, s.Project, d.actor)
			if err != nil {
				return nil, err
			}
			i = len(out)
			at[d.actor] = i
			out = append(out, Deeds{Actor: d.actor, Kind: kind})
		}
		d.Title = titles[d.Task]
		list := d.on(&out[i])
		*list = append(*list, d.Deed)
	}
	sort.SliceStable(out, func(i, j int) bool { return out[i].Actor < out[j].Actor })
	return out, nil
}
