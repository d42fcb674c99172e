package people

import (
	"context"

	"tasker/internal/task"
	"tasker/internal/task/inbox"
)

// InboxIn asks what waits for somebody: the named actor, else the caller; with all, for anyone.
type InboxIn struct {
	Slug  string `path:"slug"`
	Actor string `query:"actor"`
	All   bool   `query:"all"`
	Limit *int   `query:"limit"`
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
	ID       string         `json:"id"`
	Kind     inbox.ItemKind `json:"kind"`
	Project  string         `json:"project"`
	Task     task.ID        `json:"task"`
	Title    string         `json:"title"`
	Status   task.Status    `json:"status"` // of the task
	For      string         `json:"for"`    // role:lead, actor:ann, human, or the addressee of a question
	Why      string         `json:"why"`
	Since    task.Time      `json:"since"`
	Event    *int64         `json:"event"` // null while a lapse is yet to be written
	Seen     bool           `json:"seen"`  // the reader has put it away
	Unblocks int            `json:"unblocks"`
}

// Inbox returns what waits for somebody in a project. It is derived from the project's state: an item exists as long
// as its cause.
func (s *Service) Inbox(ctx context.Context, in InboxIn) (InboxOut, error) {
	return within(ctx, s.Env, in.Slug, in.Limit, func(sc scene) (InboxOut, error) {
		reader, err := s.ReaderIn(ctx, sc.Project, in.Actor)
		if err != nil {
			return InboxOut{}, err
		}
		return sc.inbox(reader, in.All)
	})
}

func (s scene) inbox(reader task.Actor, all bool) (InboxOut, error) {
	out := InboxOut{Project: s.Project.Slug, Actor: reader.Name}
	g := gatherer{scene: s, reader: reader, all: all}
	found, total, err := g.gather("")
	if err != nil {
		return out, err
	}
	out.Total, out.TotalMore = min(total, counted), total > counted
	out.Items, err = s.items(reader, found[:min(len(found), s.Limit)])
	return out, err
}
