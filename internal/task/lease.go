package task

import "tasker/internal/fault"

// CheckLease refuses a lease that no claim can have.
func CheckLease(ms int64) error {
	if ms < 0 || ms > MaxLeaseMs {
		return fault.Bad("a lease of %d milliseconds is out of range", ms).WithMissing("leaseMs").
			WithHint("a whole number of milliseconds from 0 (no expiry) to %d (366 days)", int64(MaxLeaseMs))
	}
	return nil
}

// Lease returns how long a new claim lasts: as requested, or as the project says, or two hours. Zero means no expiry.
func (p Policy) Lease(asked *int64) (int64, error) {
	ms := int64(DefaultLeaseMs)
	switch {
	case asked != nil:
		ms = *asked
	case p.LeaseMs != nil:
		ms = *p.LeaseMs
	}
	return ms, CheckLease(ms)
}
