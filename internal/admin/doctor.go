package admin

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"tasker/internal/core"
	"tasker/internal/plan"
	"tasker/internal/store"
	"tasker/internal/store/recount"
	"tasker/internal/task"
	"tasker/internal/task/query"
	"tasker/internal/text/words"
)

// DoctorIn limits the recount to a project, and says whether to repair what it finds.
type DoctorIn struct {
	Project string
	Fix     bool
}

// DoctorOut says what was checked, what was found, and what was repaired.
type DoctorOut struct {
	OK     bool     `json:"ok"`
	Checks []Check  `json:"checks"`
	Fixed  []string `json:"fixed"` // the first repairs

	Projects []string `json:"-"` // the projects that were checked
}

// Check is the result of one check. A check that passed may still have something to say.
type Check struct {
	Name  string   `json:"name"`
	OK    bool     `json:"ok"`
	Found []string `json:"found"`
	Fix   task.Opt `json:"fix"` // what to do about it
}

// The checks that do not compare with a recount.
const (
	CheckCircles = "circles" // of dependencies and parts: they stop nothing, and there is nothing to repair
)

// maxFound limits how many findings of a check are listed.
const maxFound = 1000

// repairable lists the checks whose findings can be derived from records and edges.
var repairable = []query.Check{query.CheckCounts, query.CheckOrder, query.CheckSearch, query.CheckOrphans}

// Repairable reports whether what the check finds can be repaired.
func (c Check) Repairable() bool { return slices.Contains(repairable, query.Check(c.Name)) }

// maxCircles limits how many children that are not parts are checked in a project.
const maxCircles = 1000

// mendsInTurn is how many steps of a repair share a turn. Each takes a few statements, so others wait for milliseconds.
const mendsInTurn = 200

// maxRounds limits how often a repair checks again for what is left, because somebody wrote in between or because a
// repair had consequences: removed records may change counts.
const maxRounds = 8

// Doctor recounts everything that is maintained in addition to the records, and returns the differences. If asked to, it
// writes the recounted values, in short turns with an event each, and checks again. If it is interrupted, part of the
// database is repaired, and the next call finds the rest.
func (s *Service) Doctor(ctx context.Context, in DoctorIn) (DoctorOut, error) {
	out, wrong, err := s.examine(ctx, in)
	if err != nil || !in.Fix {
		return out, err
	}
	var fixed []string
	listed := map[string]bool{}
	for round := 0; len(wrong) > 0 && round < maxRounds; round++ {
		for _, damaged := range wrong {
			found, err := s.repair(ctx, damaged)
			if err != nil {
				return out, err
			}
			for _, f := range found {
				if text := said(f); !listed[text] {
					listed[text] = true
					fixed = append(fixed, text)
				}
			}
		}
		if out, wrong, err = s.examine(ctx, in); err != nil {
			return out, err
		}
	}
	out.Fixed = limited(fixed)
	return out, nil
}

// damaged is a project in which something can be repaired, and the steps of the repair.
type damaged struct {
	slug  string
	steps []*recount.Repair
}

// repair carries out the steps of a project, some in each turn, and returns what they have repaired.
func (s *Service) repair(ctx context.Context, p damaged) (fixed []query.Finding, err error) {
	for some := range slices.Chunk(p.steps, mendsInTurn) {
		found, err := core.WriteAlone(ctx, s.Env, func(tx *store.Tx) ([]query.Finding, error) { return mend(tx, p.slug, some) })
		if err != nil {
			return nil, err
		}
		fixed = append(fixed, found...)
	}
	return fixed, nil
}

// mend carries out some steps in a turn and records what was wrong.
func mend(tx *store.Tx, slug string, steps []*recount.Repair) ([]query.Finding, error) {
	done, err := recount.Mend(tx, slug, steps)
	if err != nil || len(done) == 0 { // somebody else has repaired it in the meantime
		return nil, err
	}
	var found []query.Finding
	var last *query.Finding
	for _, m := range done {
		if m.Of != last { // the steps of one finding are consecutive
			last = m.Of
			found = append(found, *last)
		}
	}
	const shown = 100
	return found, tx.Record(slug, "", core.ProjectUpdated(task.Payload{"repaired": len(found), "values": found[:min(len(found), shown)]}))
}

// examine checks everything, and returns the projects in which something can be repaired.
func (s *Service) examine(ctx context.Context, in DoctorIn) (out DoctorOut, wrong []damaged, err error) {
	out, err = core.Read(ctx, s.Env, func(tx *store.Tx) (DoctorOut, error) {
		wrong = nil
		slugs, err := core.Meant(tx, in.Project, "")
		if err != nil {
			return DoctorOut{}, err
		}
		found := map[query.Check][]string{}
		var circles []string
		for _, slug := range slugs {
			differing, steps, err := recount.Recount(tx, slug)
			if err != nil {
				return DoctorOut{}, err
			}
			for _, f := range differing {
				found[f.Check] = append(found[f.Check], said(f))
			}
			if len(steps) > 0 {
				wrong = append(wrong, damaged{slug, steps})
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

// said returns a difference as text.
func said(f query.Finding) string {
	return fmt.Sprintf("%s: %s is stored as %s, and counts %s", cmp.Or(string(f.Task), string(f.Project)), f.What, f.Stored, f.Counted)
}

// limited returns the first texts, followed by how many more there are.
func limited(all []string) []string {
	if len(all) <= maxFound {
		return all
	}
	return append(slices.Clone(all[:maxFound]), fmt.Sprintf("and %d more", len(all)-maxFound))
}

// circlesIn returns the circles of more than two tasks, as text.
func circlesIn(tx *store.Tx, slug string) ([]string, error) {
	children, err := tx.Circled(slug, false, maxCircles)
	if err != nil || len(children) == 0 {
		return nil, err
	}
	ways, err := plan.CircleWays(children, plan.Ties{From: tx.TiesFrom, To: tx.TiesTo})
	var out []string
	for _, way := range ways {
		if len(way) > 2 {
			out = append(out, plan.CircleWords(words.Each(way, func(id task.ID) string { return string(id) })))
		}
	}
	return out, err
}
