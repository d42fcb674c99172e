package db

// Planner is a Conn whose engine plans by statistics, which may be old or missing: if two indexes give an order, it may
// choose the one that walks over everybody's rows. SQLite keeps none, and chooses the one that fits.
type Planner interface {
	GoesByStatistics() bool
}

// ByStatistics reports whether a Conn plans by statistics.
func ByStatistics(c Conn) bool {
	c = engineOf(c)
	p, ok := c.(Planner)
	return ok && p.GoesByStatistics()
}
