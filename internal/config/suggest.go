package config

import (
	"strings"

	"tasker/internal/words"
)

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
	best := words.Closest(name, k.names(l))
	if best == "" {
		return ""
	}
	return join(path, best)
}
