package admin

import (
	"context"

	"tasker/internal/core"
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
}

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
		}
		out.Healthy = len(out.Findings) == 0
		return out, nil
	})
}
