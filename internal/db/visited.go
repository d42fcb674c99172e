package db

import "errors"

// Visitor is a Conn that knows how much data its statements looked at, which is more than the rows they returned: a
// statement that walks over a hundred thousand rows to find one returns one.
type Visitor interface {
	// Visited grows with the work of the statements; only differences within one snapshot or turn mean anything, and only
	// compared with others of the same engine. SQLite counts the steps of its virtual machine, PostgreSQL the rows it read
	// from tables.
	Visited() (int64, error)
}

// Visited returns the count of a Conn, for tests that work does not grow with the data.
func Visited(c Conn) (int64, error) {
	c = engineOf(c)
	if v, ok := c.(Visitor); ok {
		return v.Visited()
	}
	return 0, errors.New("this connection does not count what it visits")
}
