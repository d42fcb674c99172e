// Package tokens estimates how many o200k tokens a text takes.
//
// The vocabulary itself has 200,000 tokens: reading it took longer than all else that a command does at an agent's start.
// A text is split into pieces exactly as the vocabulary's pattern splits it, and what a piece takes on average is looked up
// by its kind and length. Most pieces are one token or two, so the sum over a bundle is near the exact count: the tests say
// how near.
package tokens

import "unicode/utf8"

//go:generate go test . -run TestAnEstimateIsNearTheExactCount -update

// unit is what the table counts in: parts of a token.
const unit = 256

// longest is the length that the last column stands for, and all longer pieces with it.
const longest = 16

// What AtMost adds to an estimate, in percent: on none of the tests' texts does the exact count exceed it.
const (
	margin      = 9
	vagueMargin = 50 // of pieces about which the table says little
)

// Estimate returns how many tokens a text takes, about.
func Estimate(text string) int {
	sure, vaguely := sums(text)
	return int((sure + vaguely + unit/2) / unit)
}

// AtMost returns how many tokens a text takes with a margin, for what has to keep within a limit. It is never more than the
// text has bytes, because no token is shorter.
func AtMost(text string) int {
	sure, vaguely := sums(text)
	all := sure*(100+margin) + vaguely*(100+vagueMargin)
	return min(int((all+100*unit-1)/(100*unit)), len(text))
}

// sums adds up what the pieces of a text take, in units, and those of vague kinds apart.
func sums(text string) (sure, vaguely int64) {
	if !utf8.ValidString(text) {
		text = string([]rune(text)) // each invalid byte becomes U+FFFD
	}
	for len(text) > 0 {
		n := next(text)
		k, length := classify(text[:n])
		if k < vague {
			sure += takes(k, length)
		} else {
			vaguely += takes(k, length)
		}
		text = text[n:]
	}
	return sure, vaguely
}

// takes returns what a piece takes. Beyond the table, each of its characters takes as much as in its last column.
func takes(k kind, length int) int64 {
	row := &table[k]
	if length > longest {
		return row[longest-1] * int64(length) / longest
	}
	return row[length-1]
}
