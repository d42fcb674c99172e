package reading

import (
	"context"
	"encoding/binary"
	"io"
	"strings"

	"tasker/internal/fault"
	"tasker/internal/task"
	"tasker/internal/task/proven"
)

// AuditIn asks for recorded runs of closed work, to be run again.
type AuditIn struct {
	Slug   string
	By     string // only what this actor recorded, instances included
	Sample *int   // how many, at random
}

// AuditOut is a sample of what closed work was closed on.
type AuditOut struct {
	Project  string
	Recorded int  // the runs that the sample was drawn from
	More     bool // there is older work, which was not looked at
	Runs     []Audited
}

// Audited is a run that was recorded for a task that is done.
type Audited struct {
	Task     task.ID
	Gate     string
	Evidence task.Evidence
}

// The bounds of a sample.
const (
	defaultSample = 20
	maxSample     = 1_000
)

// Audit returns a sample of the runs that were recorded for done tasks, newest task first: of each task the newest run of
// each command that says that it ended well.
func (s *Service) Audit(ctx context.Context, in AuditIn) (AuditOut, error) {
	sample := defaultSample
	if in.Sample != nil {
		if sample = *in.Sample; sample < 1 || sample > maxSample {
			return AuditOut{}, fault.Bad("sample is %d", sample).WithMissing("sample").WithHint("a whole number from 1 to %d", maxSample)
		}
	}
	if in.By != "" {
		if _, _, err := task.ParseActor(in.By); err != nil {
			return AuditOut{}, err
		}
	}
	return within(ctx, s.Env, in.Slug, nil, func(sc scene) (AuditOut, error) {
		out := AuditOut{Project: sc.Project.Slug}
		closed, err := sc.View.Closed(sc.Project.Slug, task.Done, 0, lookedThrough+1)
		if err != nil {
			return out, err
		}
		if out.More = len(closed) > lookedThrough; out.More {
			closed = closed[:lookedThrough]
		}
		for _, t := range closed {
			if t.Evidences == 0 {
				continue
			}
			items, _, err := sc.View.NewestEvidence(t.ID, task.MaxListed)
			if err != nil {
				return out, err
			}
			for _, e := range proven.Recorded(items) {
				if in.By == "" || e.Actor == in.By || strings.HasPrefix(e.Actor, in.By+"/") {
					out.Runs = append(out.Runs, Audited{Task: t.ID, Gate: string(t.Gate), Evidence: e})
				}
			}
		}
		out.Recorded = len(out.Runs)
		out.Runs, err = proven.Drawn(out.Runs, sample, func(below int) (int, error) { return drawn(s.Random, below) })
		return out, err
	})
}

// drawn returns a random number below another.
func drawn(random io.Reader, below int) (int, error) {
	var bits [8]byte
	if _, err := io.ReadFull(random, bits[:]); err != nil {
		return 0, fault.New(fault.Internal, "no random bits are available to draw a sample: %v", err).WithCause(err)
	}
	return int(binary.BigEndian.Uint64(bits[:]) % uint64(below)), nil
}
