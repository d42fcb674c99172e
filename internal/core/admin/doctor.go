package admin

import (
	"context"

	"tasker/internal/core"
	"tasker/internal/plan"
	"tasker/internal/task"
	"tasker/internal/task/query"
)

// DoctorIn limits the recount to a project.
type DoctorIn struct {
	Project string
}

// DoctorOut is what was recounted and what differs.
type DoctorOut struct {
	Healthy  bool            `json:"healthy"`
	Checked  []string        `json:"checked"`
	Findings []query.Finding `json:"findings"`
	// Circles are children that are no parts of their parents, but for those that depend on their parents themselves. They
	// are nothing to mend.
	Circles []Circle `json:"circles"`
}

// Circle is a circle of dependencies and parts: the ids lead from the task to its parent, which leads to it.
type Circle struct {
	Project string    `json:"project"`
	Task    task.ID   `json:"task"`
	Parent  task.ID   `json:"parent"`
	Circle  []task.ID `json:"circle"`
}

// maxCircles is how many children of a project that are no parts are looked at.
const maxCircles = 1000

// Doctor recounts everything that is maintained besides the records, and returns the differences. It changes nothing.
func (s *Service) Doctor(ctx context.Context, in DoctorIn) (DoctorOut, error) {
	return core.Read(ctx, s.Env, func(tx *core.ReadTx) (DoctorOut, error) {
		var out DoctorOut
		slugs, err := core.Meant(tx, in.Project, "")
		if err != nil {
			return out, err
		}
		out.Checked = slugs
		for _, slug := range slugs {
			found, err := tx.Projects.Recount(slug)
			if err != nil {
				return out, err
			}
			out.Findings = append(out.Findings, found...)
			circles, err := circlesIn(tx, slug)
			if err != nil {
				return out, err
			}
			out.Circles = append(out.Circles, circles...)
		}
		out.Healthy = len(out.Findings) == 0
		return out, nil
	})
}

// circlesIn returns the circles of more than two.
func circlesIn(tx *core.ReadTx, slug string) ([]Circle, error) {
	children, err := tx.Graph.Circled(slug, maxCircles)
	if err != nil || len(children) == 0 {
		return nil, err
	}
	ways, err := plan.CircleWays(children, plan.Ties{From: tx.Graph.TiesFrom, To: tx.Graph.TiesTo})
	var out []Circle
	for _, way := range ways {
		if len(way) > 2 {
			out = append(out, Circle{Project: slug, Task: way[0], Parent: way[len(way)-1], Circle: way})
		}
	}
	return out, err
}
