package inbox

import (
	"context"
	"slices"

	"tasker/internal/core"
	"tasker/internal/fault"
	"tasker/internal/task"
	"tasker/internal/task/waiting"
	"tasker/internal/text/words"
	"tasker/internal/views/reading"
)

// InboxIn asks what waits for somebody: the named actor, or else the caller; with all set, for anyone.
type InboxIn struct {
	Slug  string `path:"slug"`
	Actor string `query:"actor"`
	All   bool   `query:"all"`
	Task  string `query:"task" about:"only what waits about this task"`
	Sort  string `query:"sort" about:"impact: by urgency, and within it by the work that settling an item frees; oldest first by default"`
	Limit *int   `query:"limit"`
}

// Choices lists the values of fields that have a fixed set of them.
func (InboxIn) Choices() map[string][]string {
	return map[string][]string{"sort": {waiting.SortImpact}}
}

// InboxOut is what waits, oldest first. Total is exact up to 1,000.
type InboxOut struct {
	Project   string `json:"project"`
	Actor     string `json:"actor"`
	Total     int    `json:"total"`
	TotalMore bool   `json:"totalMore"`
	Items     []Item `json:"items"`
}

// Item is one thing that waits for somebody.
type Item struct {
	ID       string           `json:"id"`
	Kind     waiting.ItemKind `json:"kind"`
	Project  string           `json:"project"`
	Task     task.ID          `json:"task"`
	Title    string           `json:"title"`
	Status   task.Status      `json:"status"` // of the task
	For      string           `json:"for"`    // role:lead, actor:ann, human, or the addressee of a question
	Why      string           `json:"why"`
	Since    task.Time        `json:"since"`
	Event    *int64           `json:"event"`   // null while the lapse is not written yet
	Seen     bool             `json:"seen"`    // the reader has put it away
	TakenBy  task.Opt         `json:"takenBy"` // who deals with it for now
	TakenTo  task.Time        `json:"takenUntil"`
	Unblocks int              `json:"unblocks"`
	Frees    *waiting.Freed   `json:"frees"`  // what it keeps back; null unless the inbox is sorted by impact
	Settle   []string         `json:"settle"` // the commands that settle it, the recommended one first; TEXT is to be filled in

	About   *About   `json:"about"`   // what people need in order to decide; null for other kinds
	Dispute *Dispute `json:"dispute"` // where another system disagrees; null for other kinds

	// Left is what the task of a review still needs to be done: the commands depend on it, and Why says it.
	Left task.Obstacles `json:"-"`
}

// Inbox returns what waits for somebody in a project. It is derived from the project's state: an item exists as long as
// its cause.
func (s *Service) Inbox(ctx context.Context, in InboxIn) (InboxOut, error) {
	switch in.Sort {
	case "":
		return s.inboxOf(ctx, in, func(sc scene, reader task.Actor, only task.ID) (InboxOut, error) {
			return sc.inbox(reader, in.All, only)
		})
	case waiting.SortImpact:
		return s.inboxByImpact(ctx, in)
	}
	return InboxOut{}, fault.Bad("sort is %s", words.Quoted(in.Sort)).WithHint("impact, or nothing").WithMissing(fault.Parameter("sort"))
}

// inboxByImpact counts what depends on tasks only if something waits: in a large project that takes much longer than the
// inbox itself.
func (s *Service) inboxByImpact(ctx context.Context, in InboxIn) (InboxOut, error) {
	var tasks []task.ID
	out, err := s.inboxOf(ctx, in, func(sc scene, reader task.Actor, only task.ID) (InboxOut, error) {
		sc.Limit = counted
		g := gatherer{scene: sc, reader: reader, all: in.All}
		found, _, err := g.gather(only)
		tasks = nil
		for _, s := range found {
			tasks = append(tasks, s.ref.Task)
		}
		return InboxOut{Project: sc.Project.Slug, Actor: reader.Name}, err
	})
	if err != nil || len(tasks) == 0 {
		return out, err
	}
	slices.SortFunc(tasks, task.CompareIDs)
	behind, err := s.reading.Behind(ctx, reading.BehindIn{Slug: in.Slug, Tasks: slices.Compact(tasks)})
	if err != nil {
		return InboxOut{}, err
	}
	return s.inboxOf(ctx, in, func(sc scene, reader task.Actor, only task.ID) (InboxOut, error) {
		return sc.byImpact(reader, in.All, only, behind)
	})
}

// inboxOf runs a read of an inbox on one snapshot. only is the task whose items are wanted; empty for all.
func (s *Service) inboxOf(ctx context.Context, in InboxIn, read func(sc scene, reader task.Actor, only task.ID) (InboxOut, error)) (InboxOut, error) {
	return within(ctx, s.Env, in.Slug, in.Limit, func(sc scene) (InboxOut, error) {
		reader, err := s.ReaderIn(ctx, sc.Tx, sc.Project, in.Actor)
		if err != nil {
			return InboxOut{}, err
		}
		var only task.ID
		if in.Task != "" {
			if _, only, err = core.Below(ctx, sc.Tx, in.Slug, in.Task); err != nil {
				return InboxOut{}, err
			}
		}
		return read(sc, reader, only)
	})
}

// inbox returns a reader's items, oldest first; only those of one task, if it is named.
func (s scene) inbox(reader task.Actor, all bool, only task.ID) (InboxOut, error) {
	g := gatherer{scene: s, reader: reader, all: all}
	found, total, err := g.gather(only)
	if err != nil {
		return InboxOut{}, err
	}
	return s.listed(reader, found, total)
}

// listed returns a reader's inbox with the first of the items found.
func (s scene) listed(reader task.Actor, found []stub, total int) (InboxOut, error) {
	items, err := s.worded(reader, found[:min(len(found), s.Limit)])
	return InboxOut{Project: s.Project.Slug, Actor: reader.Name, Total: min(total, counted), TotalMore: total > counted, Items: items}, err
}
