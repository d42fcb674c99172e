package dbconform

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"tasker/internal/db"
	"tasker/internal/fault"
)

func TestValuesComeBackAsTheyWere(t *testing.T) {
	each(t, func(d *database) {
		p := d.open()
		long := strings.Repeat("ä", 100_000)
		cases := []struct {
			name any
			n    any
			b    any
		}{
			{"", nil, nil},
			{"plain", int64(math.MaxInt64), []byte{}},
			{"’ \" $1 ? \\ \n 世界 🎈", int64(math.MinInt64), []byte{0, 255, 1}},
			{long, 42, []byte(long)},
			{"yes", true, []byte(nil)},
			{"no", false, []byte("x")},
		}
		p.write(func(t *db.Turn) error {
			for i, c := range cases { // one statement, whose second parameter is null at first
				if err := t.Exec(1, `INSERT INTO item (id, name, n, b) VALUES ($1, $2, $3, $4)`, i, c.name, c.n, c.b); err != nil {
					return err
				}
			}
			return nil
		})
		i := 0
		err := p.Read(ctx, db.Request{}, func(c db.Conn, _ db.Head) error {
			return c.Query(`SELECT name, n, b, id FROM item WHERE id >= $2 AND id < $1 ORDER BY id`, []any{100, 0}, func(r db.Row) error {
				want := cases[i]
				if r.Text(0) != want.name || r.Int(3) != int64(i) {
					d.t.Errorf("row %d: text %.20q", i, r.Text(0))
				}
				b, _ := want.b.([]byte)
				if !bytes.Equal(r.Bytes(2), b) || r.Null(2) != (b == nil) {
					d.t.Errorf("row %d: bytes %.20q, null %v", i, r.Bytes(2), r.Null(2))
				}
				if got, want := fmt.Sprint(r.Int(1)), map[any]string{nil: "0", true: "1", false: "0"}[want.n]; want != "" && got != want {
					d.t.Errorf("row %d: number %s", i, got)
				}
				if n, ok := want.n.(int64); ok && r.Int(1) != n {
					d.t.Errorf("row %d: number %d", i, r.Int(1))
				}
				if r.Null(1) != (want.n == nil) {
					d.t.Errorf("row %d: null %v", i, r.Null(1))
				}
				i++
				return nil
			})
		})
		if err != nil || i != len(cases) {
			d.t.Errorf("%d rows, %v", i, err)
		}
	})
}

func TestNumbersReadAlikeWhateverTheirTypeIs(t *testing.T) {
	each(t, func(d *database) {
		p := d.open()
		p.write(func(t *db.Turn) error {
			return t.Bulk("item", []string{"id", "name", "n"}, 5, func(i int) []any { return []any{i, "x", -70_000_000_000_000} })
		})
		err := p.Read(ctx, db.Request{}, func(c db.Conn, _ db.Head) error {
			sql := `SELECT count(*), sum(n), id = 3, max(n), 7, sum(id), sum(n) * 0 FROM item WHERE id = $1 OR $1 = 3 GROUP BY id ORDER BY id LIMIT $2`
			rows := 0
			err := c.Query(sql, []any{3, 4}, func(r db.Row) error {
				if rows == 3 && (r.Int(0) != 1 || r.Int(1) != -70_000_000_000_000 || r.Int(2) != 1 || r.Int(4) != 7 || r.Int(5) != 3 || r.Int(6) != 0) {
					d.t.Errorf("%d %d %d %d %d %d", r.Int(0), r.Int(1), r.Int(2), r.Int(4), r.Int(5), r.Int(6))
				}
				rows++
				return nil
			})
			if rows != 4 {
				d.t.Errorf("%d rows", rows)
			}
			return err
		})
		if err != nil {
			d.t.Error(err)
		}
	})
}

func TestTextIsInByteOrder(t *testing.T) {
	each(t, func(d *database) {
		p := d.open()
		names := []string{"b", "a", "B", "é", "z", "Z", "_"}
		p.write(func(t *db.Turn) error {
			return t.Bulk("item", []string{"id", "name"}, len(names), func(i int) []any { return []any{i, names[i]} })
		})
		got := ""
		err := p.Read(ctx, db.Request{}, func(c db.Conn, _ db.Head) error {
			return c.Query(`SELECT name FROM item ORDER BY name`, nil, func(r db.Row) error { got += r.Text(0); return nil })
		})
		if err != nil || got != "BZ_abzé" {
			d.t.Errorf("%s, %v", got, err)
		}
	})
}

func TestBulkInsertsManyRowsAndCountsThem(t *testing.T) {
	each(t, func(d *database) {
		p := d.open()
		const n = 20_000
		p.write(func(t *db.Turn) error {
			before := *t.Stats()
			if err := t.Exec(1, `INSERT INTO item (id, name) VALUES ($1, $2)`, n, "last"); err != nil {
				return err
			}
			err := t.Bulk("item", []string{"id", "name", "n", "b"}, n, func(i int) []any {
				return []any{i, fmt.Sprint("item ", i), nil, []byte{byte(i)}}
			})
			if got := t.Stats().Rows - before.Rows; got != n+1 {
				d.t.Errorf("%d rows counted", got)
			}
			if got := t.Stats().Statements - before.Statements; got != 2 {
				d.t.Errorf("%d statements counted", got)
			}
			return err
		})
		if got := p.items(); len(got) != n+1 || got[n-1] != n-1 {
			d.t.Errorf("%d items", len(got))
		}
		err := p.Write(ctx, db.Request{}, func(t *db.Turn) error {
			return t.Bulk("item", []string{"id", "name"}, 2, func(i int) []any { return []any{n + 1, "twice"} })
		})
		if err == nil {
			d.t.Error("inserting the same row twice succeeds")
		}
		if got := p.items(); len(got) != n+1 {
			d.t.Errorf("%d items", len(got))
		}
	})
}

func TestQueuedStatementsRunBeforeAQueryAndInOrder(t *testing.T) {
	each(t, func(d *database) {
		p := d.open()
		p.write(func(t *db.Turn) error {
			for i := range 2000 { // more than is ever queued
				if err := t.Exec(1, `INSERT INTO item (id, name, n) VALUES ($1, $2, $3)`, i, "x", 0); err != nil {
					return err
				}
				if err := t.Exec(1, `UPDATE item SET n = n + $1 WHERE id = $2`, i, i); err != nil {
					return err
				}
			}
			return t.Query(`SELECT sum(n) FROM item`, nil, func(r db.Row) error {
				if r.Int(0) != 1999*1000 {
					d.t.Errorf("sum %d", r.Int(0))
				}
				return nil
			})
		})
	})
}

func TestAnErrorOfTheRowFunctionLeavesTheConnectionUsable(t *testing.T) {
	each(t, func(d *database) {
		p := d.open()
		p.write(then(add(1), add(2), add(3)))
		p.write(func(t *db.Turn) error {
			rows := 0
			err := t.Query(`SELECT id FROM item`, nil, func(db.Row) error { rows++; return errNo })
			if !errors.Is(err, errNo) || rows != 1 {
				d.t.Errorf("%d rows, %v", rows, err)
			}
			return add(4)(t)
		})
		if got := p.items(); len(got) != 4 {
			d.t.Errorf("items %v", got)
		}
	})
}

func TestASnapshotSeesOneState(t *testing.T) {
	each(t, func(d *database) {
		p, other := d.open(), d.open()
		p.write(add(1))
		err := p.Read(ctx, db.Request{}, func(c db.Conn, h db.Head) error {
			p.write(add(2))
			other.write(add(3))
			n := int64(0)
			err := c.Query(`SELECT count(*), (SELECT event_id FROM turn) FROM item`, nil, func(r db.Row) error {
				n = r.Int(0) + r.Int(1)*10
				return nil
			})
			if n != 11 || h.LastEvent != 1 {
				d.t.Errorf("a snapshot that began at event %d sees %d", h.LastEvent, n)
			}
			return err
		})
		if err != nil {
			d.t.Error(err)
		}
		if got := p.items(); len(got) != 3 {
			d.t.Errorf("items %v", got)
		}
	})
}

func TestASnapshotCannotWrite(t *testing.T) {
	each(t, func(d *database) {
		p := d.open()
		p.write(add(1))
		err := p.Read(ctx, db.Request{}, func(c db.Conn, _ db.Head) error {
			if err := c.Exec(1, `DELETE FROM item`); err != nil {
				return err
			}
			return c.Flush()
		})
		if err == nil {
			d.t.Error("a snapshot can write")
		}
		if got := p.items(); len(got) != 1 {
			d.t.Errorf("items %v", got)
		}
	})
}

func TestManyReadsAtOnce(t *testing.T) {
	each(t, func(d *database) {
		p := d.open()
		p.write(add(1))
		answers := make(chan error, 64)
		for range cap(answers) {
			go func() {
				answers <- p.Read(ctx, db.Request{}, func(c db.Conn, _ db.Head) error {
					return c.Query(`SELECT id FROM item WHERE id = $1`, []any{1}, func(r db.Row) error { return nil })
				})
			}()
		}
		for range cap(answers) {
			if err := <-answers; err != nil {
				d.t.Error(err)
			}
		}
	})
}

func TestAReadEndsWithItsRequest(t *testing.T) {
	each(t, func(d *database) {
		p := d.open()
		p.write(add(1))
		leaving, leave := context.WithCancel(ctx)
		endless := `WITH RECURSIVE c (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM c) SELECT i FROM c`
		err := p.Read(leaving, db.Request{}, func(c db.Conn, _ db.Head) error {
			return c.Query(endless, nil, func(r db.Row) error {
				if r.Int(0) == 1000 {
					leave()
				}
				return nil
			})
		})
		if !fault.Is(err, fault.Unavailable) {
			d.t.Errorf("%v", err)
		}
		if err := p.Read(leaving, db.Request{}, func(db.Conn, db.Head) error { return nil }); !fault.Is(err, fault.Unavailable) {
			d.t.Errorf("after the context ended: %v", err)
		}
		if got := p.items(); len(got) != 1 {
			d.t.Errorf("items %v", got)
		}
	})
}

func TestVisitedTellsAScanFromASeek(t *testing.T) {
	each(t, func(d *database) {
		p := d.open()
		visited := func(c db.Conn, sql string) int64 {
			none := func(db.Row) error { return nil }
			if err := c.Query(sql, nil, none); err != nil { // prepared
				d.t.Error(err)
			}
			before, err := c.Visited()
			if err != nil {
				d.t.Error(err)
			}
			if err := c.Query(sql, nil, none); err != nil {
				d.t.Error(err)
			}
			after, err := c.Visited()
			if err != nil {
				d.t.Error(err)
			}
			return after - before
		}
		bulk := func(from, n int) {
			p.write(func(t *db.Turn) error {
				return t.Bulk("item", []string{"id", "name"}, n, func(i int) []any { return []any{from + i, "x"} })
			})
		}
		measure := func() (seek, scan int64) {
			p.write(func(t *db.Turn) error {
				seek = visited(t, `SELECT name FROM item WHERE id = 7`)
				scan = visited(t.Conn, `SELECT name FROM item WHERE name = 'y'`)
				return nil
			})
			err := p.Read(ctx, db.Request{}, func(c db.Conn, _ db.Head) error {
				if again := visited(c, `SELECT name FROM item WHERE id = 7`); again != seek {
					d.t.Errorf("a seek visits %d in a turn and %d in a snapshot", seek, again)
				}
				return nil
			})
			if err != nil {
				d.t.Error(err)
			}
			return seek, scan
		}
		bulk(0, 1000)
		seek1, scan1 := measure()
		bulk(1000, 9000)
		if !d.lite {
			p.write(func(t *db.Turn) error { return t.Exec(db.Any, `ANALYZE item`) })
		}
		seek2, scan2 := measure()
		if seek1 != seek2 || seek1 == 0 {
			d.t.Errorf("a seek visits %d of 1000 and %d of 10000", seek1, seek2)
		}
		if scan1 < 1000 || scan2 < 9*scan1 {
			d.t.Errorf("a scan visits %d of 1000 and %d of 10000", scan1, scan2)
		}
	})
}

func TestManyDifferentStatementsAreServed(t *testing.T) {
	each(t, func(d *database) {
		p := d.open()
		p.write(func(t *db.Turn) error {
			for i := range 1200 {
				got := int64(0)
				sql := fmt.Sprintf(`SELECT $1 + %d`, i)
				if err := t.Query(sql, []any{1}, func(r db.Row) error { got = r.Int(0); return nil }); err != nil {
					return err
				}
				if got != int64(i)+1 {
					return fmt.Errorf("%s is %d", sql, got)
				}
			}
			return add(1)(t)
		})
	})
}
