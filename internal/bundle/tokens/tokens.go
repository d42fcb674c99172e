// Package tokens counts the o200k tokens of a text.
//
// The vocabulary is stored compressed, 200,000 tokens in the order of their ranks, and unpacked by the first call that
// counts: as Go source it made up a sixth of the program. The tests compare the counts with those of the library that the
// vocabulary comes from.
package tokens

import (
	"bytes"
	"compress/gzip"
	_ "embed" // for the vocabulary
	"fmt"
	"io"
	"strings"
	"sync"
	"unicode/utf8"
)

// packed is the vocabulary in the order of ranks, compressed with gzip. The first 256 tokens are single bytes; each
// further one is a pair of tokens of lower ranks. There are six columns: the highest bytes of all first ranks, then the
// middle and the lowest ones, and the same for the second ranks. That compresses to two thirds of the size of the tokens'
// own bytes.
//
//go:embed o200k.gz
var packed []byte

// encoding is the vocabulary, ready for counting.
type encoding struct {
	ranks map[string]uint32
}

var load = sync.OnceValues(func() (*encoding, error) {
	z, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		return nil, fmt.Errorf("the vocabulary of tokens: %w", err)
	}
	all, err := io.ReadAll(io.LimitReader(z, 1<<24))
	if err != nil {
		return nil, fmt.Errorf("the vocabulary of tokens: %w", err)
	}
	return unpack(all), nil
})

const singles = 256 // tokens of one byte

// unpack reads the vocabulary. The program has it built in, so it is as the tests found it.
func unpack(all []byte) *encoding {
	pairs, columns := (len(all)-singles)/6, all[singles:]
	rank := func(column, i int) int {
		return int(columns[column*pairs+i])<<16 | int(columns[(column+1)*pairs+i])<<8 | int(columns[(column+2)*pairs+i])
	}
	var text strings.Builder
	text.Write(all[:singles])
	starts := make([]int, singles+pairs+1)
	for i := range singles {
		starts[i+1] = i + 1
	}
	for i := range pairs {
		for _, part := range []int{rank(0, i), rank(3, i)} {
			text.WriteString(text.String()[starts[part]:starts[part+1]])
		}
		starts[singles+i+1] = text.Len()
	}
	e := &encoding{ranks: make(map[string]uint32, len(starts))}
	for i, from := range starts[:len(starts)-1] {
		e.ranks[text.String()[from:starts[i+1]]] = uint32(i)
	}
	return e
}

// Count returns how many tokens a text takes.
func Count(text string) (int, error) {
	e, err := load()
	if err != nil {
		return 0, err
	}
	if !utf8.ValidString(text) {
		text = string([]rune(text)) // each invalid byte becomes U+FFFD, as in the library
	}
	count := 0
	for len(text) > 0 {
		n := next(text)
		count += e.pieces(text[:n])
		text = text[n:]
	}
	return count, nil
}
