package postgres

import (
	"encoding/binary"
	"fmt"
	"math"
	"strconv"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgtype"
)

// binaryFormat is the format of all parameters and columns.
var binaryFormat = []int16{1}

// oidOf returns the type of an argument; 0 leaves it to the server.
func oidOf(arg any) (uint32, error) {
	switch arg.(type) {
	case int64, int, bool:
		return pgtype.Int8OID, nil
	case string:
		return pgtype.TextOID, nil
	case []byte:
		return pgtype.ByteaOID, nil
	case vector:
		return pgtype.TSVectorOID, nil
	case nil:
		return 0, nil
	}
	return 0, fmt.Errorf("an argument is a %T", arg)
}

// encode appends an argument as a parameter of a type; null reports that it is a null.
func encode(buf []byte, arg any, oid uint32) (out []byte, null bool, err error) {
	var n int64
	switch v := arg.(type) {
	case nil:
		return buf, true, nil
	case string:
		return append(buf, v...), false, nil
	case []byte:
		return append(buf, v...), v == nil, nil
	case vector:
		return append(buf, v...), false, nil
	case int64:
		n = v
	case int:
		n = int64(v)
	case bool:
		if v {
			n = 1
		}
	default:
		return buf, false, fmt.Errorf("an argument is a %T", arg)
	}
	switch oid {
	case pgtype.Int8OID:
		return binary.BigEndian.AppendUint64(buf, uint64(n)), false, nil
	case pgtype.Int4OID:
		if n != int64(int32(n)) {
			return buf, false, fmt.Errorf("%d does not fit a parameter of 4 bytes", n)
		}
		return binary.BigEndian.AppendUint32(buf, uint32(n)), false, nil
	case pgtype.Int2OID:
		if n != int64(int16(n)) {
			return buf, false, fmt.Errorf("%d does not fit a parameter of 2 bytes", n)
		}
		return binary.BigEndian.AppendUint16(buf, uint16(n)), false, nil
	case pgtype.BoolOID:
		return append(buf, byte(min(max(n, 0), 1))), false, nil
	}
	return buf, false, fmt.Errorf("a number is given for a parameter of type %d", oid)
}

// row implements db.Row over the raw values of a result.
type row struct {
	values [][]byte
	fields []pgconn.FieldDescription
	read   int64 // bytes of text
}

func (r *row) Null(i int) bool { return r.values[i] == nil }

func (r *row) Bytes(i int) []byte {
	r.read += int64(len(r.values[i]))
	return r.values[i]
}

func (r *row) Text(i int) string {
	switch r.fields[i].DataTypeOID {
	case pgtype.Int8OID, pgtype.Int4OID, pgtype.Int2OID, pgtype.NumericOID:
		if r.values[i] != nil {
			return strconv.FormatInt(r.Int(i), 10)
		}
	}
	r.read += int64(len(r.values[i]))
	return string(r.values[i])
}

func (r *row) Int(i int) int64 {
	v := r.values[i]
	if v == nil {
		return 0
	}
	switch r.fields[i].DataTypeOID {
	case pgtype.Int8OID:
		return int64(binary.BigEndian.Uint64(v))
	case pgtype.Int4OID, pgtype.OIDOID:
		return int64(int32(binary.BigEndian.Uint32(v)))
	case pgtype.Int2OID:
		return int64(int16(binary.BigEndian.Uint16(v)))
	case pgtype.BoolOID:
		return int64(v[0])
	case pgtype.NumericOID: // the type of sum() over numbers
		return wholeNumeric(v)
	case pgtype.Float8OID:
		return int64(math.Float64frombits(binary.BigEndian.Uint64(v)))
	}
	n, _ := strconv.ParseInt(string(v), 10, 64)
	return n
}

// wholeNumeric reads the integer part of a numeric: groups of four decimal digits, the first of them worth 10000^weight.
func wholeNumeric(v []byte) int64 {
	if len(v) < 8 {
		return 0
	}
	groups := int(binary.BigEndian.Uint16(v))
	weight := int(int16(binary.BigEndian.Uint16(v[2:])))
	var n int64
	for i := range weight + 1 {
		n *= 10000
		if i < groups {
			n += int64(binary.BigEndian.Uint16(v[8+2*i:]))
		}
	}
	if binary.BigEndian.Uint16(v[4:]) == 0x4000 {
		n = -n
	}
	return n
}
