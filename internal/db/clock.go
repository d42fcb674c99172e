package db

import "time"

// systemClock is the machine's.
type systemClock struct{}

func (systemClock) Now() time.Time { return time.Now() }

// ClockFunc makes a Clock of a function; nil makes none.
func ClockFunc(now func() time.Time) Clock {
	if now == nil {
		return nil
	}
	return clockFunc(now)
}

type clockFunc func() time.Time

func (f clockFunc) Now() time.Time { return f() }
