package config

import (
	"bytes"
	"fmt"
	"strings"
)

// diff is the difference of two texts in the unified form, without context lines cut out: configuration files are
// short. It is "" for equal texts.
func diff(name string, old, new []byte) string {
	if bytes.Equal(old, new) {
		return ""
	}
	a, b := lines(old), lines(new)
	start := 0
	for start < len(a) && start < len(b) && a[start] == b[start] {
		start++
	}
	end := 0
	for end < len(a)-start && end < len(b)-start && a[len(a)-1-end] == b[len(b)-1-end] {
		end++
	}
	var out strings.Builder
	fmt.Fprintf(&out, "--- %s\n+++ %s\n@@ -1,%d +1,%d @@\n", name, name, len(a), len(b))
	put := func(mark string, lines []string) {
		for _, l := range lines {
			out.WriteString(mark + l + "\n")
		}
	}
	put(" ", a[:start])
	changed(a[start:len(a)-end], b[start:len(b)-end], put)
	put(" ", a[len(a)-end:])
	return out.String()
}

// changed writes the middle part by its longest common subsequence, or whole where that would be too much work.
func changed(a, b []string, put func(string, []string)) {
	if len(a)*len(b) > 4_000_000 {
		put("-", a)
		put("+", b)
		return
	}
	common := make([][]int, len(a)+1)
	for i := range common {
		common[i] = make([]int, len(b)+1)
	}
	for i := len(a) - 1; i >= 0; i-- {
		for j := len(b) - 1; j >= 0; j-- {
			if a[i] == b[j] {
				common[i][j] = common[i+1][j+1] + 1
			} else {
				common[i][j] = max(common[i+1][j], common[i][j+1])
			}
		}
	}
	i, j := 0, 0
	for i < len(a) || j < len(b) {
		switch {
		case i < len(a) && j < len(b) && a[i] == b[j]:
			put(" ", a[i:i+1])
			i, j = i+1, j+1
		case i < len(a) && (j == len(b) || common[i+1][j] >= common[i][j+1]):
			put("-", a[i:i+1])
			i++
		default:
			put("+", b[j:j+1])
			j++
		}
	}
}

func lines(text []byte) []string {
	return strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")
}
