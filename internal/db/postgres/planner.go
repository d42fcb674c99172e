package postgres

// GoesByStatistics is true: see store.Planner.
func (c *conn) GoesByStatistics() bool { return true }
