package child

import (
	"bytes"
	"cmp"
	"io"
	"slices"
	"strings"
)

// mask replaces a secret in what a program prints. It is the same for all secrets, so it does not reveal their length.
const mask = "********"

// leastSecret is the length in bytes from which a value is masked: a shorter one occurs in any output by chance, and is no
// secret.
const leastSecret = 4

// plain are values that are never secret, and that programs print for other reasons.
var plain = []string{"true", "false", "null", "none"}

// masker writes what a program prints with every secret masked, even one that arrives in several writes. It holds back only
// what may be the beginning of a secret.
type masker struct {
	to      io.Writer
	secrets [256][][]byte // by their first byte; the longest first
	held    []byte
}

// newMasker returns a masker for some values, or nil if none of them needs masking. The lines of a value that has several
// are masked one by one, because programs indent them.
func newMasker(to io.Writer, values []string) *masker {
	var lines []string
	for _, value := range values {
		for line := range strings.SplitSeq(value, "\n") {
			line = strings.TrimSpace(line)
			if len(line) >= leastSecret && !slices.Contains(plain, strings.ToLower(line)) {
				lines = append(lines, line)
			}
		}
	}
	if len(lines) == 0 {
		return nil
	}
	slices.SortFunc(lines, func(a, b string) int { return cmp.Or(len(b)-len(a), strings.Compare(a, b)) })
	m := &masker{to: to}
	for _, line := range slices.Compact(lines) {
		m.secrets[line[0]] = append(m.secrets[line[0]], []byte(line))
	}
	return m
}

// Write masks p, and writes what is certainly not part of a secret.
func (m *masker) Write(p []byte) (int, error) {
	m.held = append(m.held, p...)
	if err := m.pass(false); err != nil {
		return 0, err
	}
	return len(p), nil
}

// end writes what was held back: it was not a secret.
func (m *masker) end() error { return m.pass(true) }

// pass writes what is held, up to the possible beginning of a secret, or all of it.
func (m *masker) pass(all bool) error {
	var out []byte
	i := 0
	for i < len(m.held) {
		n, more := m.at(i)
		if more && !all {
			break
		}
		if n == 0 {
			out = append(out, m.held[i])
			i++
			continue
		}
		out = append(out, mask...)
		i += n
	}
	m.held = append(m.held[:0], m.held[i:]...)
	if len(out) == 0 {
		return nil
	}
	_, err := m.to.Write(out)
	return err
}

// at returns how many bytes from i on are secret: one secret, and any that begin within it. more means that the following
// bytes may extend it.
func (m *masker) at(i int) (n int, more bool) {
	end := i
	for j := i; j == i || j < end; j++ {
		long, open := m.longest(m.held[j:])
		end, more = max(end, j+long), more || open
	}
	return end - i, more
}

// longest returns the length of the longest secret that a text begins with, and whether the whole text is the beginning of
// a longer one.
func (m *masker) longest(text []byte) (n int, open bool) {
	for _, s := range m.secrets[text[0]] {
		if bytes.HasPrefix(text, s) {
			return len(s), open
		}
		open = open || bytes.HasPrefix(s, text)
	}
	return 0, open
}
