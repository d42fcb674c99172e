package db

// meterPiece is how many bytes are read before they are charged. Most reads stay below it.
const meterPiece = 128 << 10

// rowBytes is what a row costs in addition to its texts: it becomes a few numbers in some list.
const rowBytes = 32

// meter is a snapshot whose reads are charged.
type meter struct {
	Conn
	charge  func(bytes int64) error
	charged int64
}

// metered returns a snapshot that charges its reads; charge may be nil.
func metered(s Conn, charge func(bytes int64) error) Conn {
	if charge == nil {
		return s
	}
	return &meter{Conn: s, charge: charge}
}

// Query charges what its rows read.
func (m *meter) Query(sql string, args []any, row func(Row) error) error {
	return m.Conn.Query(sql, args, m.counted(row))
}

// Ask charges what its rows read.
func (m *meter) Ask(sql string, args []any, row func(Row) error) error {
	return m.Conn.Ask(sql, args, m.counted(row))
}

// counted returns a function that calls row and then charges what was read. The engine counts a row after it has been read,
// so each call charges for the rows before it.
func (m *meter) counted(row func(Row) error) func(Row) error {
	return func(r Row) error {
		if n := m.Stats().Bytes + rowBytes*m.Stats().Rows - m.charged; n >= meterPiece {
			if err := m.charge(n); err != nil {
				return err
			}
			m.charged += n
		}
		return row(r)
	}
}
