package sqlite

// Merged writes are an optimisation: what a member writes waits until it asks for something or is released, so that one
// that only read before it wrote needs no savepoint. It saves the copies of pages that a savepoint's journal takes; taken
// out, "POST /next" of make bench takes up to 7 % more processor time, about its noise. To take it out, let Savepoint end with save.

// member is how far the open member of a turn has come.
type member int

const (
	none    member = iota
	unsaved        // nothing of it was run but queries
	saved          // it has its savepoint
)

// backlog is the statements that wait.
type backlog []queued

type queued struct {
	want int
	sql  string
	args []any
}

// run runs the statements up to the first that does not hold, and forgets them.
func (q *backlog) run(c *conn) {
	for _, s := range *q {
		if c.Exec(s.want, s.sql, s.args...) != nil {
			break
		}
	}
	q.drop()
}

func (q *backlog) drop() {
	clear(*q)
	*q = (*q)[:0]
}

// save returns the open member its savepoint and runs what waits, where it has none yet.
func (c *conn) save() error {
	if c.err == nil && c.member == unsaved {
		if c.err = c.do("SAVEPOINT member"); c.err == nil {
			c.member = saved
			c.backlog.run(c)
		}
	}
	return c.err
}

// Flush runs what waits.
func (c *conn) Flush() error {
	if len(c.backlog) > 0 {
		return c.save()
	}
	return c.err
}
