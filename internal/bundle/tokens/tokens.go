// Package tokens counts the o200k tokens of a text.
//
// The vocabulary is stored packed, 200,000 tokens in the order of their ranks, and unpacked by the first that counts: as Go source it
// made up a sixth of the program. The tests hold the counts to those of the library that the vocabulary comes from.
package tokens

import (
	"bytes"
	"compress/gzip"
	_ "embed" // for the vocabulary
	"encoding/binary"
	"fmt"
	"io"
	"strings"
	"sync"
	"unicode/utf8"
)

// packed is the vocabulary: each token by its length and its bytes, in the order of ranks, packed by gzip.
//
//go:embed o200k.gz
var packed []byte

// encoding is the vocabulary, ready to count with.
type encoding struct {
	ranks map[string]uint32
}

var load = sync.OnceValues(func() (*encoding, error) {
	z, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		return nil, fmt.Errorf("the vocabulary of tokens: %w", err)
	}
	var all strings.Builder
	if _, err := io.Copy(&all, io.LimitReader(z, 1<<24)); err != nil {
		return nil, fmt.Errorf("the vocabulary of tokens: %w", err)
	}
	e := &encoding{ranks: make(map[string]uint32, 200_000)}
	rest, raw := all.String(), []byte(all.String())
	for rank := uint32(0); len(rest) > 0; rank++ {
		n, size := binary.Uvarint(raw[len(raw)-len(rest):])
		if size <= 0 || n > uint64(len(rest)-size) {
			return nil, fmt.Errorf("the vocabulary of tokens is damaged at %d", rank)
		}
		e.ranks[rest[size:size+int(n)]] = rank
		rest = rest[size+int(n):]
	}
	return e, nil
})

// Count returns how many tokens a text takes.
func Count(text string) (int, error) {
	e, err := load()
	if err != nil {
		return 0, err
	}
	if !utf8.ValidString(text) {
		text = string([]rune(text)) // each byte that is no letter is U+FFFD, as the library has it
	}
	count := 0
	for len(text) > 0 {
		n := next(text)
		count += e.pieces(text[:n])
		text = text[n:]
	}
	return count, nil
}
