package format

import (
	"strings"

	"tasker/internal/strict"
	"tasker/internal/text/words"
)

// suggestKey returns what was meant by an unknown name below k. A name that is declared elsewhere, under exactly one
// parent, is suggested with its whole path; otherwise it is the nearest name here.
func suggestKey(k *Key, l strict.Layer, path, name string) string {
	var elsewhere []string
	Walk(func(p string, c *Key) {
		if (p == name || c.Name == name) && c.In(l) && !strings.ContainsAny(p, "[<") {
			elsewhere = append(elsewhere, p)
		}
	})
	if len(elsewhere) == 1 {
		return elsewhere[0]
	}
	best := words.Closest(name, k.Names(l))
	if best == "" {
		return ""
	}
	return strict.Join(path, best)
}
