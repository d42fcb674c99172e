package db

import "errors"

// Visitor is a Conn that can tell how much of the data its statements looked at, which is more than the rows they
// gave: a statement that walks over a hundred thousand rows to find one gives one.
type Visitor interface {
	// Visited grows with the work of the statements; only differences within one snapshot or turn mean something,
	// and only against others of the same engine. SQLite counts the steps of its virtual machine, PostgreSQL the
	// rows it read from tables.
	Visited() (int64, error)
}

// Visited asks a Conn; it is for tests of independence of size.
func Visited(c Conn) (int64, error) {
	c = engineOf(c)
	if v, ok := c.(Visitor); ok {
		return v.Visited()
	}
	return 0, errors.New("this connection does not count what it visits")
}
