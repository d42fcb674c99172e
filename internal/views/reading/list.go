package reading

import (
	"cmp"
	"context"

	"tasker/internal/asof"
	"tasker/internal/core"
	"tasker/internal/fault"
	"tasker/internal/store"
	"tasker/internal/task"
	"tasker/internal/task/query"
)

// ListIn filters a list of tasks.
type ListIn struct {
	Project      string `query:"project"`
	Status       string `query:"status" about:"only tasks of this status, or of several separated by commas"`
	HeldBy       string `query:"heldBy" about:"only tasks that this actor holds"`
	Parent       string `query:"parent" about:"only children of this task"`
	DependsOn    string `query:"dependsOn" about:"only tasks that wait for this one, open or closed"`
	DependencyOf string `query:"dependencyOf" about:"only tasks that this one waits for, open or closed"`
	Key          string `query:"key" about:"the key of a task, exactly"`
	Q            string `query:"q" about:"only tasks with this text in title, key or id"`
	State        string `query:"state" about:"only tasks of this state; every task is in exactly one"`
	Ready        *bool  `query:"ready" about:"only tasks that are on the ready frontier, or only the others"`
	Blocked      *bool  `query:"blocked" about:"only open tasks that wait for a dependency or a part, or only the others"`
	Mine         bool   `query:"mine" about:"only tasks that the caller holds"`
	Priority     *int   `query:"priority" about:"only tasks of this priority, 0 to 3"`
	Gate         string `query:"gate" about:"only tasks with this gate"`
	Overdue      bool   `query:"overdue" about:"only open tasks whose due date has passed"`
	Mark         string `query:"mark" about:"only tasks with this mark, which cut across states"`
	Under        string `query:"under" about:"only tasks below this one, at any depth"`
	Sort         string `query:"sort" about:"the order: by number unless said otherwise"`
	Group        string `query:"group" about:"which tasks are listed together: groups then says how many of each are on the page"`
	Limit        *int   `query:"limit"`
	Cursor       string `query:"cursor" about:"nextCursor of the previous page"`
	At           *int64 `query:"at" about:"as it was after this event"`
}

// Choices lists the values of fields that accept only a few.
func (ListIn) Choices() map[string][]string {
	return map[string][]string{"state": task.States, "mark": task.Marks, "sort": query.Sorts, "group": query.Groups}
}

// ListOut is a page of tasks.
type ListOut struct {
	Project    string       `json:"project"`
	Total      int          `json:"total"`
	TotalMore  bool         `json:"totalMore"` // there are more than were counted
	Tasks      []*task.Task `json:"tasks"`
	States     []string     `json:"states"`    // of the tasks, in their order
	ForPeople  []task.ID    `json:"forPeople"` // those of them that are ready, but only for humans
	NextCursor task.Opt     `json:"nextCursor"`
	At         *asof.Was    `json:"at"`              // the requested moment; null: now
	Groups     []ListGroup  `json:"groups,omitzero"` // the groups of the tasks, in order, if they are grouped
}

// List returns the tasks of a project, filtered, by number or in another order, a page at a time.
func (s *Service) List(ctx context.Context, in ListIn) (ListOut, error) {
	limit, err := core.LimitOr(in.Limit, core.DefaultLimit)
	if err != nil {
		return ListOut{}, err
	}
	q := query.List{HeldBy: in.HeldBy, Key: in.Key, Text: in.Q, Ready: in.Ready, Blocked: in.Blocked,
		Priority: in.Priority, Gate: in.Gate, Overdue: in.Overdue, Limit: limit, Bytes: core.PageBytes, Cursor: in.Cursor}
	if in.Status != "" {
		if q.Among, err = parseStatuses(in.Status, in.Project); err != nil {
			return ListOut{}, fault.At(fault.Parameter("status"), err)
		}
	}
	if q.Sort, err = parseSort(in.Sort); err != nil {
		return ListOut{}, fault.At(fault.Parameter("sort"), err)
	}
	if q.Group, err = parseGroup(in.Group); err != nil {
		return ListOut{}, fault.At(fault.Parameter("group"), err)
	}
	if in.Priority != nil && (*in.Priority < 0 || *in.Priority > task.MaxPriority) {
		return ListOut{}, fault.Bad("priority is %d", *in.Priority).WithHint("a whole number from 0 to 3").WithMissing(fault.Parameter("priority"))
	}
	if in.Mine {
		q.HeldBy = core.CallerOf(ctx).Actor.Full()
	}
	if in.State != "" {
		state, err := task.ParseState(in.State)
		if err != nil {
			return ListOut{}, fault.At(fault.Parameter("state"), err)
		}
		q.State = &state
	}
	if in.Mark != "" {
		if q.Mark, err = task.ParseMark(in.Mark); err != nil {
			return ListOut{}, fault.At(fault.Parameter("mark"), err)
		}
		q.Reader = core.CallerOf(ctx).Actor.Name
	}
	if in.HeldBy != "" {
		if _, _, err := task.ParseActor(in.HeldBy); err != nil {
			return ListOut{}, fault.At(fault.Parameter("heldBy"), err)
		}
	}
	return core.Read(ctx, s.Env, func(tx *store.Tx) (out ListOut, err error) {
		q := q
		for _, named := range []struct {
			name string
			id   *task.ID
		}{{in.Parent, &q.Parent}, {in.DependsOn, &q.DependsOn}, {in.DependencyOf, &q.DependencyOf}, {in.Under, &q.Under}} {
			if named.name == "" {
				continue
			}
			p, id, err := core.Below(ctx, tx, cmp.Or(in.Project, q.Project), named.name)
			if err != nil {
				return out, err
			}
			q.Project, *named.id = p.Slug, id
		}
		p, err := core.ProjectOf(ctx, tx, cmp.Or(q.Project, in.Project))
		if err != nil {
			return out, err
		}
		out.Project, q.Project = p.Slug, p.Slug
		sc := core.Scene{Tx: tx, View: tx, Project: p}
		if q.Sort == query.BySelection {
			if sc.Actor, sc.Policy, err = s.Rules(ctx, tx, p); err != nil {
				return out, err
			}
		}
		return asof.Back(s.Env, sc, in.At, func(sc core.Scene, was *asof.Was) (ListOut, error) {
			list := sc.View.List
			if q.Sort == query.BySelection {
				list = func(q query.List) ([]*task.Task, query.Count, string, error) { return listSelected(sc, q) }
			}
			tasks, total, next, err := list(q)
			if err != nil {
				return out, err
			}
			out.At, out.Tasks, out.Total, out.TotalMore, out.NextCursor = was, tasks, total.N, total.More, task.Opt(next)
			if out.States, out.ForPeople, err = s.stand(tx, p, tasks); err != nil {
				return out, err
			}
			out.Groups, err = groupsOf(sc.View, p.Slug, tasks, q.Group)
			if n := len(out.Groups); n > 0 {
				out.Groups[n-1].More = next != ""
			}
			return out, err
		})
	})
}
