package dbconform

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"tasker/internal/db"
)

// TestAReadTellsWhatItReadsWhileItReads checks that reads are charged for nearly all of their bytes, in pieces, and that a
// refused piece ends the read before it has read much more.
func TestAReadTellsWhatItReadsWhileItReads(t *testing.T) {
	each(t, func(d *database) {
		p := d.open()
		const n, size = 64, 64 << 10
		p.write(func(t *db.Turn) error {
			return t.Bulk("item", []string{"id", "name"}, n, func(i int) []any { return []any{i, fmt.Sprint(i, strings.Repeat("x", size))} })
		})
		read := func(charge func(int64) error) (rows int, err error) {
			err = p.Read(ctx, db.Request{Charge: charge}, func(c db.Conn, _ db.Head) error {
				if _, err := c.Visited(); err != nil {
					return err
				}
				return c.Query(`SELECT name FROM item`, nil, func(r db.Row) error {
					rows++
					if len(r.Text(0)) < size {
						return errors.New("a text is short")
					}
					return nil
				})
			})
			return rows, err
		}
		charged, pieces := int64(0), 0
		if _, err := read(func(bytes int64) error { charged += bytes; pieces++; return nil }); err != nil {
			d.t.Fatal(err)
		}
		if charged < (n-4)*size || charged > (n+1)*size || pieces < 8 {
			d.t.Errorf("of %d bytes %d are charged, in %d pieces", n*size, charged, pieces)
		}
		full := errors.New("there is no room")
		charged = 0
		rows, err := read(func(bytes int64) error {
			if charged+bytes > n*size/4 {
				return full
			}
			charged += bytes
			return nil
		})
		if !errors.Is(err, full) || rows > n/2 {
			d.t.Errorf("it ends with %v, after %d rows", err, rows)
		}
	})
}
