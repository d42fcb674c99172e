package core

import "context"

// Doctor recounts everything that is maintained beside the records, and tells where it differs. It changes nothing.
func (s *Services) Doctor(ctx context.Context, in DoctorIn) (DoctorOut, error) {
	return read(ctx, s, func(tx ReadTx) (DoctorOut, error) {
		var out DoctorOut
		slugs, err := meant(tx, in.Project, "")
		if err != nil {
			return out, err
		}
		out.Checked = slugs
		for _, slug := range slugs {
			found, err := tx.Recount(slug)
			if err != nil {
				return out, err
			}
			out.Findings = append(out.Findings, found...)
		}
		out.Healthy = len(out.Findings) == 0
		return out, nil
	})
}
