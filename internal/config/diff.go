package config

import (
	"bytes"
	"fmt"
	"strings"

	"tasker/internal/text/linediff"
)

// diff returns the unified difference of two texts with all context lines: configuration files are short. It is "" for
// equal texts.
func diff(name string, before, after []byte) string {
	if bytes.Equal(before, after) {
		return ""
	}
	a, b := lines(before), lines(after)
	var out strings.Builder
	fmt.Fprintf(&out, "--- %s\n+++ %s\n@@ -1,%d +1,%d @@\n", name, name, len(a), len(b))
	linediff.Compare(a, b, func(op byte, line string) { out.WriteString(string(op) + line + "\n") })
	return out.String()
}

func lines(text []byte) []string {
	return strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")
}
