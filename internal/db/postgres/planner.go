package postgres

// GoesByStatistics returns true: see db.Planner.
func (c *conn) GoesByStatistics() bool { return true }
