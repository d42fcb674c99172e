package coretest

import (
	"slices"
	"strings"
)

// Equal checks a value; what names it in a failure.
func Equal[T comparable](k *Kit, what string, got, want T) {
	k.Helper()
	if got != want {
		k.Errorf("%s is %v, want %v", what, got, want)
	}
}

// EqualSlices checks a list of values; what names it in a failure.
func EqualSlices[T comparable](k *Kit, what string, got []T, want ...T) {
	k.Helper()
	if !slices.Equal(got, want) {
		k.Errorf("%s are %v, want %v", what, got, want)
	}
}

// Contains checks that at least one line contains the words.
func Contains(k *Kit, lines []string, words string) {
	k.Helper()
	if !slices.ContainsFunc(lines, func(l string) bool { return strings.Contains(l, words) }) {
		k.Errorf("none of %q contains %q", lines, words)
	}
}

// Empty checks that there are no lines.
func Empty(k *Kit, lines []string) {
	k.Helper()
	if len(lines) > 0 {
		k.Errorf("%q, want no lines", lines)
	}
}
