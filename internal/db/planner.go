package db

// Planner is a Conn whose engine chooses how to walk by statistics, which may be old or missing: where two indexes give
// an order, it may take the one that passes by everybody's rows. SQLite keeps none, and takes the one that fits.
type Planner interface {
	GoesByStatistics() bool
}

// ByStatistics reports whether a Conn is a Planner that goes by statistics.
func ByStatistics(c Conn) bool {
	c = engineOf(c)
	p, ok := c.(Planner)
	return ok && p.GoesByStatistics()
}
