package wire

import (
	"bytes"
	"compress/gzip"
	"net/netip"
	"strconv"
	"strings"
	"sync"
)

// Encoding is how an answer is compressed for a client that accepts it: a name in a Content-Encoding header. The empty one
// leaves the answer as it is.
type Encoding string

// The supported encodings: gzip alone, because every client knows it and Go has it.
const (
	None Encoding = ""
	Gzip Encoding = "gzip"
)

// Sizes from which an answer is worth compressing. Bytes to a client on this machine cost almost nothing, and compressing a
// claim would make it half as expensive again.
const (
	PackFrom  = 1 << 10
	WorthHere = 16 << 10
)

// WorthPacking reports whether an answer of this size is worth compressing for a client at from, an address with a port.
func WorthPacking(size int, from string) bool {
	if size < PackFrom || size >= WorthHere {
		return size >= WorthHere
	}
	at, err := netip.ParseAddrPort(from)
	return err != nil || !at.Addr().Unmap().IsLoopback()
}

// Accepted returns the encoding for a client that sends this Accept-Encoding.
func Accepted(accept string) Encoding {
	for part := range strings.SplitSeq(accept, ",") {
		name, weight, _ := strings.Cut(part, ";")
		if strings.EqualFold(strings.TrimSpace(name), string(Gzip)) && accepts(weight) {
			return Gzip
		}
	}
	return None
}

// accepts reports whether the weight of an encoding is above zero; an unreadable weight counts as above zero.
func accepts(weight string) bool {
	number, ok := strings.CutPrefix(strings.ToLower(strings.ReplaceAll(weight, " ", "")), "q=")
	q, err := strconv.ParseFloat(number, 64)
	return !ok || err != nil || q > 0
}

// Pack compresses body, preferring speed to size. Without an encoding it returns body itself.
func Pack(e Encoding, body []byte) []byte {
	if e == None {
		return body
	}
	out := bytes.NewBuffer(make([]byte, 0, len(body)/3))
	w := writers.Get().(*gzip.Writer)
	defer writers.Put(w)
	w.Reset(out)
	_, _ = w.Write(body) // writes to memory
	_ = w.Close()
	return out.Bytes()
}

// writers hold a megabyte each, which takes longer to allocate than an answer takes to compress.
var writers = sync.Pool{New: func() any {
	w, _ := gzip.NewWriterLevel(nil, gzip.BestSpeed) // the level is valid
	return w
}}
