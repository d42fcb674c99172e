package store

import (
	"bytes"
	"strconv"
	"strings"
)

// wanted is a text that tasks of a project are searched for, in title, key and id, ignoring case. A list of what contains a
// text may look at a million tasks, so comparing one allocates nothing.
type wanted struct {
	text   []byte // in lower case
	prefix string // of the project's ids, in lower case
	ids    bool   // some id of the project can contain the text
	low    []byte // a name in lower case
}

// textOf returns a text to search the tasks of a project for.
func textOf(slug, text string) *wanted {
	text = strings.ToLower(text)
	w := &wanted{text: []byte(text), prefix: strings.ToLower(slug) + "-"}
	// It lies before the number of an id, in it, or across where it begins.
	head := strings.TrimRight(text, "0123456789")
	w.ids = strings.HasSuffix(w.prefix, head) || strings.Contains(w.prefix, text)
	return w
}

// in reports whether the title, the key or the id of a task contains the text.
func (w *wanted) in(number int64, title, key []byte) bool {
	if w.inName(title) || w.inName(key) {
		return true
	}
	if !w.ids {
		return false
	}
	w.low = strconv.AppendInt(append(w.low[:0], w.prefix...), number, 10)
	return bytes.Contains(w.low, w.text)
}

func (w *wanted) inName(name []byte) bool {
	w.low = append(w.low[:0], name...)
	for i, b := range w.low {
		switch {
		case b >= 0x80: // other letters have other rules
			return bytes.Contains(bytes.ToLower(name), w.text)
		case b >= 'A' && b <= 'Z':
			w.low[i] = b + 'a' - 'A'
		}
	}
	return bytes.Contains(w.low, w.text)
}
