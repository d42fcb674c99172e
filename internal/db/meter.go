package db

import "context"

type meterKey struct{}

// Metered has reads in the context tell charge how many bytes of texts they have read, piece by piece and while they read:
// whoever answers for the memory of a process need not know how large the records of an answer are. An error of charge ends
// the read. Turns tell nothing, and neither do replies: what was written is answered.
func Metered(ctx context.Context, charge func(bytes int64) error) context.Context {
	return context.WithValue(ctx, meterKey{}, charge)
}

// meterPiece is how many bytes are read before they are told. Most reads have fewer.
const meterPiece = 128 << 10

// rowBytes is what a row counts besides its texts: it becomes a few numbers in some list.
const rowBytes = 32

// meter is a snapshot whose reads are told.
type meter struct {
	Conn
	charge func(bytes int64) error
	told   int64
}

// metered returns the snapshot as a read in the context sees it.
func metered(ctx context.Context, s Conn) Conn {
	if charge, ok := ctx.Value(meterKey{}).(func(int64) error); ok {
		return &meter{Conn: s, charge: charge}
	}
	return s
}

// Query tells of what its rows read.
func (m *meter) Query(sql string, args []any, row func(Row) error) error {
	return m.Conn.Query(sql, args, m.counted(row))
}

// Ask tells of what its rows read.
func (m *meter) Ask(sql string, args []any, row func(Row) error) error {
	return m.Conn.Ask(sql, args, m.counted(row))
}

// counted returns row with what it read told after it. The engine counts a row when it has been read, so each row tells of
// those before it.
func (m *meter) counted(row func(Row) error) func(Row) error {
	return func(r Row) error {
		if n := m.Stats().Bytes + rowBytes*m.Stats().Rows - m.told; n >= meterPiece {
			if err := m.charge(n); err != nil {
				return err
			}
			m.told += n
		}
		return row(r)
	}
}

// engineOf returns the engine's own connection below what this package wraps around it.
func engineOf(c Conn) Conn {
	switch w := c.(type) {
	case *Turn:
		return w.Conn
	case *meter:
		return w.Conn
	}
	return c
}
