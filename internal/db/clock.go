package db

import "time"

// systemClock is the machine's clock.
type systemClock struct{}

func (systemClock) Now() time.Time { return time.Now() }

// ClockFunc returns a Clock that calls now; nil for nil.
func ClockFunc(now func() time.Time) Clock {
	if now == nil {
		return nil
	}
	return clockFunc(now)
}

type clockFunc func() time.Time

func (f clockFunc) Now() time.Time { return f() }
