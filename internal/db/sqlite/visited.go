package sqlite

import (
	"reflect"

	"modernc.org/libc"
	lib "modernc.org/sqlite/lib" //nolint:revive // the package calls itself sqlite3
)

// ByStatistics returns false: see db.Conn.
func (c *conn) ByStatistics() bool { return false }

// Visited returns how many steps the engine's virtual machine has made for this connection's statements. The driver does
// not expose its handles, so they are looked up by name; a driver without them would only fail the tests that ask.
func (c *conn) Visited() (steps int64, err error) {
	for _, s := range c.stmts {
		inner := reflect.ValueOf(s.Stmt).Elem()
		tls := (*libc.TLS)(inner.FieldByName("conn").Elem().FieldByName("tls").UnsafePointer())
		handle := uintptr(inner.FieldByName("stmt").Uint())
		steps += int64(lib.Xsqlite3_stmt_status(tls, handle, lib.SQLITE_STMTSTATUS_VM_STEP, 0))
	}
	return steps, nil
}
