package config

import (
	"strings"

	"github.com/agnivade/levenshtein"
)

// nearest picks the option closest to the name, the first of equals; "" where there are no options. Case counts for
// less than letters do.
func nearest(name string, options []string) string {
	if r := []rune(name); len(r) > 64 { // no declared name is that long
		name = string(r[:64])
	}
	best, bestDistance := "", -1
	for _, o := range options {
		d := 2*levenshtein.ComputeDistance(strings.ToLower(name), strings.ToLower(o)) + min(1, levenshtein.ComputeDistance(name, o))
		if bestDistance < 0 || d < bestDistance {
			best, bestDistance = o, d
		}
	}
	return best
}

// suggestKey says what was meant by an unknown name below k. A name that is declared elsewhere, under exactly one
// parent, is suggested with its whole path; otherwise it is the nearest name here.
func suggestKey(k *Key, l Layer, path, name string) string {
	var elsewhere []string
	walk(func(p string, c *Key) {
		if (p == name || c.Name == name) && c.in(l) && !strings.ContainsAny(p, "[<") {
			elsewhere = append(elsewhere, p)
		}
	})
	if len(elsewhere) == 1 {
		return elsewhere[0]
	}
	best := nearest(name, k.names(l))
	if best == "" {
		return ""
	}
	return join(path, best)
}
