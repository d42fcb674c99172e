package picture

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"sort"

	"github.com/go-json-experiment/json"

	"tasker/internal/asof"
	"tasker/internal/bundle"
	"tasker/internal/fault"
	"tasker/internal/store/inboxdb"
	"tasker/internal/task"
	"tasker/internal/task/query"
	"tasker/internal/task/waiting"
)

// TimelineIn asks who held what and when.
type TimelineIn struct {
	Slug string
	Days *int
	At   *int64 // as it was after this event
}

// TimelineOut shows who held what and when, what comes next in which order, and how scope and closed work grew.
type TimelineOut struct {
	Project  string
	Days     int
	From, To task.Time
	Spans    []Held    // by start time
	More     bool      // older spans are left out
	Ahead    []Step    // the first steps of the projected order; in a project that is too large, the ready tasks
	Further  bool      // there are more steps
	Critical []Ahead   // a longest chain, beginning with its first task; of a very long one the beginning
	Longest  int       // how many tasks that chain has
	Burnup   []Level   // nil if there are no tasks
	At       *asof.Was // the requested moment; nil: now
}

// Held is one span in which an actor held a task, from its claim to how it ended: live, released, lapsed, or the status
// that the task was moved to.
type Held struct {
	Task     task.ID
	Title    string
	Actor    string
	From, To task.Time
	End      string
}

// Level is how many tasks there were at one moment, and how many of them were closed.
type Level struct {
	At     task.Time `json:"at"`
	Scope  int       `json:"scope"`
	Closed int       `json:"done"`
}

// Limits of a timeline.
const (
	timelineDays   = 14
	timelineEvents = 400 // of each kind that may end a claim
	timelineClaims = 50  // of each task
	timelineSpans  = 300
	timelineTasks  = 20_000 // a larger project has no order ahead
	burnupLevels   = 60
	timelineChain  = 100
)

// Timeline composes held spans from the log, the order ahead, and the burn-up.
func (s *Service) Timeline(ctx context.Context, in TimelineIn) (*TimelineOut, error) {
	days := timelineDays
	if in.Days != nil {
		if days = *in.Days; days <= 0 || days > 3660 {
			return nil, fault.Bad("days is %d", days).WithHint("a whole number from 1 to 3660")
		}
	}
	return withinAt(ctx, s.Env, in.Slug, nil, in.At, func(sc scene, was *asof.Was) (*TimelineOut, error) {
		now := sc.View.Now()
		out := &TimelineOut{Project: sc.Project.Slug, Days: days, From: now.Add(-int64(days) * 24 * 3600 * 1000), To: now, At: was}
		if err := sc.spans(out); err != nil {
			return nil, err
		}
		f, err := s.flows.of(sc)
		if err != nil {
			return nil, err
		}
		out.Longest = len(f.path)
		path, err := sc.View.TasksByID(f.path[:min(len(f.path), timelineChain)])
		if err != nil {
			return nil, err
		}
		for _, t := range path {
			out.Critical = append(out.Critical, Ahead{Brief: bundle.BriefOf(t), State: StateOf(t), Critical: true})
		}
		return out, sc.counted(f, out)
	})
}

// spans reads claims and their ends from the log: the newest ends, and the claims of their tasks and of held tasks. Only
// the newest claims of each task are read.
func (s scene) spans(out *TimelineOut) error {
	ends, from, err := s.ends()
	if err != nil {
		return err
	}
	held, err := s.View.HeldFirst(s.Project.Slug, timelineSpans)
	if err != nil {
		return err
	}
	out.More = from > 0 || s.Project.Held > len(held)
	lasts := map[task.ID]bool{}
	for _, h := range held {
		lasts[h.Task] = true
	}
	// A lease that has run out but is not swept yet has no end in the log either.
	if s.Tx != nil {
		lapsed, err := inboxdb.Waiting(s.Tx, waiting.Query{Project: s.Project.Slug, Kind: waiting.WaitLapse, After: task.Unwritten - 1, Limit: timelineSpans})
		if err != nil {
			return err
		}
		for _, w := range lapsed {
			lasts[w.Task] = true
		}
	}
	for id := range lasts {
		if _, ok := ends[id]; !ok {
			ends[id] = nil
		}
	}
	for _, id := range slices.SortedFunc(maps.Keys(ends), task.CompareIDs) {
		claims, err := s.View.Events(query.Events{Task: id, Kind: string(task.TaskClaimed), Limit: timelineClaims})
		if err != nil {
			return err
		}
		out.More = out.More || len(claims) == timelineClaims
		// A claim older than the known ends may also have ended before them, unless it still lasts.
		for len(claims) > 0 && claims[0].ID < from && (len(claims) > 1 || !lasts[id]) {
			claims = claims[1:]
		}
		if err := out.pair(id, append(claims, ends[id]...)); err != nil {
			return err
		}
	}
	if err := s.name(out.Spans); err != nil {
		return err
	}
	out.Spans = slices.DeleteFunc(out.Spans, func(h Held) bool { return h.To < out.From })
	sort.SliceStable(out.Spans, func(i, j int) bool { return out.Spans[i].From < out.Spans[j].From })
	if len(out.Spans) > timelineSpans {
		out.Spans, out.More = out.Spans[len(out.Spans)-timelineSpans:], true
	}
	return nil
}

// ends returns the newest events that may have ended a claim, by task, and the id from which on the list is complete: 0
// if it is complete from the beginning.
func (s scene) ends() (map[task.ID][]task.Event, int64, error) {
	out, from := map[task.ID][]task.Event{}, int64(0)
	for _, kind := range []task.Kind{task.ClaimReleased, task.ClaimExpired, task.TaskMoved} {
		events, err := s.View.Events(query.Events{Project: s.Project.Slug, Kind: string(kind), Limit: timelineEvents})
		if err != nil {
			return nil, 0, err
		}
		if len(events) == timelineEvents {
			from = max(from, events[0].ID)
		}
		for _, e := range events {
			out[task.ID(e.Task)] = append(out[task.ID(e.Task)], e)
		}
	}
	for id, events := range out {
		out[id] = slices.DeleteFunc(events, func(e task.Event) bool { return e.ID < from })
	}
	return out, from, nil
}

// pair makes spans of the claims and ends of one task.
func (o *TimelineOut) pair(id task.ID, log []task.Event) error {
	slices.SortFunc(log, func(a, b task.Event) int { return cmp.Compare(a.ID, b.ID) })
	held := false
	for _, e := range log {
		var end string
		switch e.Kind {
		case task.TaskClaimed:
			held = true
			o.Spans = append(o.Spans, Held{Task: id, Actor: e.Actor, From: e.At, To: o.To, End: "live"})
			continue
		case task.ClaimReleased:
			end = "released"
		case task.ClaimExpired:
			end = "lapsed"
		default:
			to, err := movedTo(e)
			if err != nil {
				return err
			}
			if end = string(to); to == task.InProgress {
				continue
			}
		}
		if held {
			last := &o.Spans[len(o.Spans)-1]
			last.To, last.End, held = e.At, end, false
		}
	}
	return nil
}

// movedTo returns the status that an event moved its task to.
func movedTo(e task.Event) (task.Status, error) {
	var p struct {
		To task.Status `json:"to"`
	}
	err := json.Unmarshal(e.Payload, &p)
	return p.To, err
}

// name adds task titles to spans, and ends those whose lease has run out but is not swept yet.
func (s scene) name(spans []Held) error {
	ids := make([]task.ID, len(spans))
	for i, h := range spans {
		ids[i] = h.Task
	}
	slices.Sort(ids)
	tasks, err := s.View.TasksByID(slices.Compact(ids))
	if err != nil {
		return err
	}
	known := task.ByID(tasks)
	for i := range spans {
		h, t := &spans[i], known[spans[i].Task]
		if t == nil {
			continue // it has since moved to another project
		}
		h.Title = t.Title
		if h.End == "live" && t.Claim == nil {
			h.To, h.End = t.UpdatedAt, "lapsed"
		}
	}
	return nil
}

// counted adds how the project grew, and the order ahead.
func (s scene) counted(f *flow, out *TimelineOut) error {
	total := s.Project.Tasks.Total()
	var err error
	if out.Burnup, err = s.burnup(); err != nil || total == 0 {
		return err
	}
	if total > timelineTasks {
		ready, err := s.Lane(query.LaneReady, stepTasks)
		if err != nil || len(ready) == 0 {
			return err
		}
		out.Ahead, out.Further = []Step{stepOf(f, ready)}, true
		return nil
	}
	tasks, _, _, err := s.View.List(query.List{Project: s.Project.Slug})
	if err != nil {
		return err
	}
	out.Ahead, out.Further = s.ahead(f, tasks)
	return nil
}

// burnup counts, at evenly spaced moments since the first task, how many tasks there were and how many were done.
// Cancelled tasks leave the scope.
func (s scene) burnup() ([]Level, error) {
	slug, now := s.Project.Slug, s.View.Now()
	first, err := s.View.FirstCreated(slug)
	if err != nil || first == 0 {
		return nil, err
	}
	step := max(now-first, 0)/(burnupLevels-1) + 1
	spans := query.Spans{From: first - step + 1, Each: step, N: burnupLevels} // each span ends at the moment of its level
	created, err := s.View.CreatedBySpan(slug, spans)
	if err != nil {
		return nil, err
	}
	done, err := s.View.ClosedBySpan(slug, task.Done, spans)
	if err != nil {
		return nil, err
	}
	cancelled, err := s.View.ClosedBySpan(slug, task.Cancelled, spans)
	if err != nil {
		return nil, err
	}
	out := make([]Level, burnupLevels)
	var level Level
	for i := range out {
		level.At = first + task.Time(i)*step
		level.Scope += created[i] - cancelled[i]
		level.Closed += done[i]
		out[i] = level
	}
	return out, nil
}
