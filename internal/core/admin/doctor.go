package admin

import (
	"context"
	"fmt"
	"slices"

	"tasker/internal/core"
	"tasker/internal/plan"
	"tasker/internal/task"
	"tasker/internal/task/query"
)

// DoctorIn limits the recount to a project, and says whether what it finds is repaired.
type DoctorIn struct {
	Project string
	Fix     bool
}

// DoctorOut is what was looked at and found, and what was repaired.
type DoctorOut struct {
	OK     bool     `json:"ok"`
	Checks []Check  `json:"checks"`
	Fixed  []string `json:"fixed"` // the first of what was repaired

	Projects []string `json:"-"` // those that were looked at
}

// Check is one thing that was looked at. Where it is well it may still have something to tell.
type Check struct {
	Name  string   `json:"name"`
	OK    bool     `json:"ok"`
	Found []string `json:"found"`
	Fix   task.Opt `json:"fix"` // what to do about it
}

// The checks that are no comparison with a recount.
const (
	CheckCircles = "circles" // of dependencies and parts: they stop nothing, and there is nothing to repair
)

// maxFound is how many findings of a check are told one by one.
const maxFound = 1000

// repairable are the checks whose findings follow from records and edges.
var repairable = []query.Check{query.CheckCounts, query.CheckOrder, query.CheckSearch, query.CheckOrphans}

// Repairable reports whether what the check finds can be repaired.
func (c Check) Repairable() bool { return slices.Contains(repairable, query.Check(c.Name)) }

// maxCircles is how many children of a project that are no parts are looked at.
const maxCircles = 1000

// Doctor recounts everything that is maintained besides the records, and returns the differences. Told to, it writes what
// it has counted, a turn and an event for each project, and looks again.
func (s *Service) Doctor(ctx context.Context, in DoctorIn) (DoctorOut, error) {
	out, wrong, err := s.examine(ctx, in)
	if err != nil || !in.Fix || len(wrong) == 0 {
		return out, err
	}
	var fixed []string
	for _, damaged := range wrong {
		who := core.By(ctx)
		who.Alone = true
		found, err := core.WriteBy(ctx, s.Env, who, func(tx *core.WriteTx) ([]query.Finding, error) { return repair(tx, damaged) })
		if err != nil {
			return out, err
		}
		for _, f := range found {
			fixed = append(fixed, said(f))
		}
	}
	out, _, err = s.examine(ctx, in)
	out.Fixed = limited(fixed)
	return out, err
}

// damaged is a project in which something can be repaired.
type damaged struct {
	slug   string
	checks []query.Check // that found it
}

// repair repairs one project and records what was wrong.
func repair(tx *core.WriteTx, p damaged) ([]query.Finding, error) {
	found, err := tx.Projects.Repair(p.slug, p.checks...)
	if err != nil {
		return nil, err
	}
	found = slices.DeleteFunc(found, func(f query.Finding) bool { return !slices.Contains(repairable, f.Check) })
	if len(found) == 0 {
		return nil, nil // somebody else has repaired it meanwhile
	}
	const shown = 100
	return found, tx.Log.Record(p.slug, "", core.ProjectUpdated(task.Payload{"repaired": len(found), "values": found[:min(len(found), shown)]}))
}

// examine looks at everything, and returns the projects in which something can be repaired.
func (s *Service) examine(ctx context.Context, in DoctorIn) (out DoctorOut, wrong []damaged, err error) {
	out, err = core.Read(ctx, s.Env, func(tx *core.ReadTx) (DoctorOut, error) {
		wrong = nil
		slugs, err := core.Meant(tx, in.Project, "")
		if err != nil {
			return DoctorOut{}, err
		}
		found := map[query.Check][]string{}
		var circles []string
		for _, slug := range slugs {
			differing, err := tx.Projects.Recount(slug)
			if err != nil {
				return DoctorOut{}, err
			}
			here := damaged{slug: slug}
			for _, f := range differing {
				found[f.Check] = append(found[f.Check], said(f))
				if slices.Contains(repairable, f.Check) && !slices.Contains(here.checks, f.Check) {
					here.checks = append(here.checks, f.Check)
				}
			}
			if len(here.checks) > 0 {
				wrong = append(wrong, here)
			}
			more, err := circlesIn(tx, slug)
			if err != nil {
				return DoctorOut{}, err
			}
			circles = append(circles, more...)
		}
		out := DoctorOut{OK: true, Projects: slugs}
		for _, name := range []query.Check{query.CheckCounts, query.CheckOrder, query.CheckSearch, query.CheckRecords, query.CheckOrphans} {
			check := Check{Name: string(name), OK: len(found[name]) == 0, Found: limited(found[name])}
			out.OK = out.OK && check.OK
			if name == query.CheckOrphans {
				out.Checks = append(out.Checks, Check{Name: CheckCircles, OK: true, Found: limited(circles)})
			}
			out.Checks = append(out.Checks, check)
		}
		return out, nil
	})
	return out, wrong, err
}

// said returns a difference in words.
func said(f query.Finding) string {
	where := string(f.Task)
	if where == "" {
		where = string(f.Project)
	}
	return fmt.Sprintf("%s: %s is stored as %s, and counts %s", where, f.What, f.Stored, f.Counted)
}

// limited returns the first texts, and as the last one how many more there are.
func limited(all []string) []string {
	if len(all) <= maxFound {
		return all
	}
	return append(slices.Clone(all[:maxFound]), fmt.Sprintf("and %d more", len(all)-maxFound))
}

// circlesIn returns the circles of more than two, in words.
func circlesIn(tx *core.ReadTx, slug string) ([]string, error) {
	children, err := tx.Graph.Circled(slug, maxCircles)
	if err != nil || len(children) == 0 {
		return nil, err
	}
	ways, err := plan.CircleWays(children, plan.Ties{From: tx.Graph.TiesFrom, To: tx.Graph.TiesTo})
	var out []string
	for _, way := range ways {
		if len(way) <= 2 {
			continue
		}
		names := make([]string, len(way))
		for i, id := range way {
			names[i] = string(id)
		}
		out = append(out, plan.CircleWords(names))
	}
	return out, err
}
