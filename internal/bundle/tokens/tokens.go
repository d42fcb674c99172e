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

	"github.com/dlclark/regexp2/v2"
	_ "github.com/tiktoken-go/tokenizer/codec" // its init gives regexp2 a compiled form of the pattern below
)

// packed is the vocabulary: each token by its length and its bytes, in the order of ranks, packed by gzip.
//
//go:embed o200k.gz
var packed []byte

// pattern splits a text into the pieces that are encoded one by one. It must be the library's, letter by letter: see the import.
const pattern = `[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?|` +
	`[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?|` +
	`\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+`

// encoding is the vocabulary, ready to count with.
type encoding struct {
	ranks map[string]uint32
	split *regexp2.Regexp
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
	e := &encoding{ranks: make(map[string]uint32, 200_000), split: regexp2.MustCompile(pattern, regexp2.None)}
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
	match, err := e.split.FindStringMatch(text)
	count := 0
	for match != nil && err == nil {
		count += e.pieces(match.String())
		match, err = e.split.FindNextMatch(match)
	}
	if err != nil {
		return 0, fmt.Errorf("splitting a text into tokens: %w", err)
	}
	return count, nil
}
