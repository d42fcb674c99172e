package strict

import (
	"bytes"
	"math"
	"strconv"
)

// WholeNumber reads a JSON number that is whole however it is written (3, 3.0, 30e-1), as JSON Schema does. A number
// outside the range of int64 is read as the nearest end of the range.
func WholeNumber(raw []byte) (n int64, ok bool) {
	if n, err := strconv.ParseInt(string(raw), 10, 64); err == nil {
		return n, true
	}
	digits, negative := bytes.CutPrefix(raw, []byte("-"))
	var exp int64
	if i := bytes.IndexAny(digits, "eE"); i >= 0 {
		var err error
		if exp, err = strconv.ParseInt(string(digits[i+1:]), 10, 64); err != nil {
			exp = math.MaxInt32 // far enough, in either direction
			if digits[i+1] == '-' {
				exp = -exp
			}
		}
		digits = digits[:i]
	}
	exp = max(math.MinInt32, min(exp, math.MaxInt32))
	if i := bytes.IndexByte(digits, '.'); i >= 0 {
		fraction := digits[i+1:]
		exp -= int64(len(fraction))
		digits = append(bytes.Clone(digits[:i]), fraction...)
	}
	digits = bytes.TrimLeft(digits, "0")
	if len(digits) == 0 {
		return 0, true
	}
	trimmed := bytes.TrimRight(digits, "0")
	exp += int64(len(digits) - len(trimmed))
	if exp < 0 {
		return 0, false
	}
	end := int64(math.MaxInt64)
	if negative {
		end = math.MinInt64
	}
	if int64(len(trimmed))+exp > 19 {
		return end, true
	}
	text := append(bytes.Clone(trimmed), bytes.Repeat([]byte("0"), int(exp))...)
	if negative {
		text = append([]byte("-"), text...)
	}
	n, err := strconv.ParseInt(string(text), 10, 64)
	if err != nil {
		return end, true
	}
	return n, true
}
