package postgres

import (
	"encoding/binary"
	"fmt"
	"io"
	"sync/atomic"
)

// copying is the stream of a binary COPY, produced as it is read.
type copying struct {
	columns, rows int
	row           func(i int) []any
	next          int
	buf           []byte
	rest          []byte // the part of buf that is not read yet
	over          bool
	trips         *atomic.Uint64 // advanced while rows go out: the peer is receiving them
}

const copyChunk = 64 << 10

func (c *copying) Read(p []byte) (int, error) {
	if len(c.rest) == 0 {
		if c.over {
			return 0, io.EOF
		}
		if err := c.fill(); err != nil {
			return 0, err
		}
		c.trips.Add(2)
	}
	n := copy(p, c.rest)
	c.rest = c.rest[n:]
	return n, nil
}

func (c *copying) fill() error {
	c.buf = c.buf[:0]
	if c.next == 0 {
		c.buf = append(c.buf, "PGCOPY\n\xff\r\n\x00\x00\x00\x00\x00\x00\x00\x00\x00"...)
	}
	for ; c.next < c.rows && len(c.buf) < copyChunk; c.next++ {
		values := c.row(c.next)
		if len(values) != c.columns {
			return fmt.Errorf("row %d has %d values for %d columns", c.next, len(values), c.columns)
		}
		c.buf = binary.BigEndian.AppendUint16(c.buf, uint16(c.columns))
		for _, v := range values {
			oid, err := oidOf(v)
			if err != nil {
				return err
			}
			at := len(c.buf)
			c.buf = append(c.buf, 0, 0, 0, 0)
			var null bool
			if c.buf, null, err = encode(c.buf, v, oid); err != nil {
				return err
			}
			size := uint32(len(c.buf) - at - 4)
			if null {
				size = 0xffffffff
			}
			binary.BigEndian.PutUint32(c.buf[at:], size)
		}
	}
	if c.next == c.rows {
		c.buf = append(c.buf, 0xff, 0xff)
		c.over = true
	}
	c.rest = c.buf
	return nil
}
