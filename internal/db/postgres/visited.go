package postgres

import (
	"tasker/internal/db"
)

// ByStatistics returns true: see db.Conn.
func (c *conn) ByStatistics() bool { return true }

// Visited returns how many rows this connection has read from our tables, by scans and through indexes.
func (c *conn) Visited() (rows int64, err error) {
	if err := c.Flush(); err != nil {
		return 0, err
	}
	stats := c.stats
	err = c.Query(`SELECT coalesce(sum(seq_tup_read + coalesce(idx_tup_fetch, 0)), 0)::bigint
		FROM pg_stat_xact_user_tables WHERE schemaname = current_schema()`, nil, func(r db.Row) error {
		rows = r.Int(0)
		return nil
	})
	c.stats = stats
	return rows, err
}
