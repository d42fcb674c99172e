package reading

import (
	"cmp"
	"context"
	"slices"

	"tasker/internal/bundle"
	"tasker/internal/core"
	"tasker/internal/fault"
	"tasker/internal/store"
	"tasker/internal/task"
	"tasker/internal/text/words"
)

// WhoamiIn asks who the caller is, and what it holds in one project or in all.
type WhoamiIn struct {
	Project string `query:"project"`
}

// WhoamiOut says who the caller is, and what it holds.
type WhoamiOut struct {
	Actor        string    `json:"actor"`
	Instance     task.Opt  `json:"instance"`
	Kind         string    `json:"kind"`
	Roles        []string  `json:"roles"`
	Capabilities []string  `json:"capabilities"`
	How          string    `json:"how"`
	Project      task.Opt  `json:"project"`
	Applied      *bool     `json:"applied"` // whether a plan has created the project; null if no project is meant
	Rules        task.Opt  `json:"rules"`   // whose rules apply in the project
	Holding      []Holding `json:"holding"`
}

// Full returns the name with the instance, as in claims.
func (w WhoamiOut) Full() string {
	return task.Actor{Name: w.Actor, Instance: string(w.Instance)}.Full()
}

// Holding is a task that an actor can work on as its own.
type Holding struct {
	Actor     string        `json:"actor"` // who holds it: the caller, its plain name, or the instance that it acts for
	Task      task.ID       `json:"task"`
	Title     string        `json:"title"`
	Fence     int64         `json:"fence"`
	ExpiresAt task.Time     `json:"expiresAt"`
	LeftMs    *int64        `json:"leftMs"` // null without expiry
	Progress  task.Progress `json:"progress"`

	Workspace *bundle.Workspace `json:"workspace"` // null if it has none
}

// Whoami returns who the caller is, how that was decided, and what it holds: in the named or assumed project, or else in
// all.
func (s *Service) Whoami(ctx context.Context, in WhoamiIn) (WhoamiOut, error) {
	c := core.CallerOf(ctx)
	return core.Read(ctx, s.Env, func(tx *store.Tx) (WhoamiOut, error) {
		slug := cmp.Or(in.Project, c.Project)
		slugs, err := core.Meant(tx, in.Project, c.Project)
		unapplied := s.UnappliedIn(ctx, err) != ""
		if err != nil && !unapplied {
			return WhoamiOut{}, err
		}
		a, rules := c.Actor, ""
		if slug != "" && (len(slugs) == 1 || unapplied) {
			p := &task.Project{Slug: slug}
			if !unapplied {
				if p, err = tx.Project(slug); err != nil {
					return WhoamiOut{}, err
				}
			}
			if a, err = s.ActorIn(tx, p, a); err != nil {
				return WhoamiOut{}, err
			}
			eff, err := s.Settings.Effective(p)
			if err != nil {
				return WhoamiOut{}, err
			}
			if rules = eff.Rules(); unapplied {
				rules += "; the project is not applied yet"
			}
			files, err := s.Settings.ActorIn(p, c.Actor)
			if err != nil {
				return WhoamiOut{}, err
			}
			if !a.Alike(files) {
				rules += "; " + a.Name + " counts as the project's record says, and not as the files here do"
			}
		}
		out := WhoamiOut{
			Actor: a.Name, Instance: task.Opt(a.Instance), Kind: kindOf(a), How: a.By(c.How) + words.When(c.Assumed && !a.Declared, ", whom nobody declares"),
			Roles: a.Roles, Capabilities: a.Capabilities, Project: task.Opt(slug), Rules: task.Opt(rules),
		}
		if slug != "" {
			out.Applied = new(len(slugs) == 1)
		}
		held, err := core.Holdings(ctx, tx, slugs)
		if err != nil {
			return out, err
		}
		for _, t := range held {
			h := holding(t, tx.Now())
			p, err := tx.Project(t.Project)
			if err != nil {
				return out, err
			}
			at, err := bundle.Workspaces(tx, p, []*task.Task{t})
			if err != nil {
				return out, err
			}
			h.Workspace = at[t.ID]
			out.Holding = append(out.Holding, h)
		}
		return out, s.hearAll(ctx, tx, slug, held)
	})
}

// heardProjects limits in how many projects an actor gets news if it names no project.
const heardProjects = 20

// hearAll looks for news of the meant project, or else of the projects in which the caller holds something.
func (s *Service) hearAll(ctx context.Context, tx *store.Tx, slug string, held []*task.Task) error {
	var of []string
	if slug != "" {
		of = append(of, slug)
	} else {
		for _, t := range held {
			if !slices.Contains(of, t.Project) && len(of) < heardProjects {
				of = append(of, t.Project)
			}
		}
	}
	for _, project := range of {
		if err := s.Hear(ctx, tx, project, ""); err != nil && !fault.Is(err, fault.NotFound) { // declared, but not applied yet
			return err
		}
	}
	return nil
}

func holding(t *task.Task, now task.Time) Holding {
	c := t.Claim
	return Holding{
		Actor: c.Actor, Task: t.ID, Title: t.Title, Fence: c.Fence, ExpiresAt: c.ExpiresAt, LeftMs: leftMs(c, now), Progress: task.ProgressOf(t.Criteria),
	}
}

// leftMs returns how long a claim lasts; nil if it does not expire.
func leftMs(c *task.Claim, now task.Time) *int64 {
	if c.ExpiresAt == 0 {
		return nil
	}
	return new(max(0, int64(c.ExpiresAt-now)/1000))
}
