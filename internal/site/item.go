package site

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"tasker/internal/text/words"
)

// Item is an element of a list in an answer. If it contains one of our credentials, only its name is kept, unless the name
// shows the credential too. The other items stay usable.
type Item[T any] struct {
	Value T
	Shows bool
	Name  string // its key or number, if it contains a credential
}

// item is an Item of any type, as the guard reads it.
type item interface {
	shown(name string)
	read(raw jsontext.Value) error
}

func (i *Item[T]) shown(name string)             { *i = Item[T]{Shows: true, Name: name} }
func (i *Item[T]) read(raw jsontext.Value) error { return json.Unmarshal(raw, &i.Value) }

// errShown means that a credential is in the answer outside an item that could be skipped.
var errShown = errors.New("the answer contains a credential")

// decode reads a successful answer. Items of its lists may contain a credential; anywhere else, one is an error.
func (g *guard) decode(answer []byte, into any) error {
	shows, rest := g.shows(answer), []byte(nil)
	if shows {
		rest = slices.Clone(answer)
	}
	err := json.Unmarshal(answer, into, json.WithUnmarshalers(json.UnmarshalFromFunc(func(dec *jsontext.Decoder, i item) error {
		raw, err := dec.ReadValue()
		switch {
		case err != nil:
			return err
		case !shows || !g.shows(raw):
			return i.read(raw)
		}
		i.shown(g.nameOf(raw))
		end := int(dec.InputOffset())
		clear(rest[end-len(raw) : end])
		return nil
	})))
	if err == nil && shows && g.shows(rest) {
		return errShown
	}
	return err
}

// maxName limits the length of an item's name.
const maxName = 100

// nameOf returns the name of an item, or "".
func (g *guard) nameOf(raw jsontext.Value) string {
	var i struct {
		Key    string `json:"key"`
		Number int64  `json:"number"`
	}
	if json.Unmarshal(raw, &i) != nil {
		return ""
	}
	name := cmp.Or(i.Key, words.When(i.Number > 0, fmt.Sprint(i.Number)))
	if len(name) > maxName || g.shows([]byte(name)) {
		return ""
	}
	return name
}

// Passed collects the records of a system that were skipped because they contain one of our credentials.
type Passed struct {
	names []string
	more  int
}

// maxPassed limits how many of them are named.
const maxPassed = 20

// Over records that one was skipped.
func (p *Passed) Over(name string) {
	switch {
	case slices.Contains(p.names, name):
	case len(p.names) < maxPassed:
		p.names = append(p.names, name)
	default:
		p.more++
	}
}

// Has reports whether a record was skipped, as far as names were kept.
func (p *Passed) Has(name string) bool { return slices.Contains(p.names, name) }

// Warnings names the skipped records.
func (p *Passed) Warnings() (out []string) {
	for _, name := range p.names {
		out = append(out, fmt.Sprintf("%s contains one of our credentials: it is skipped; remove it there, and replace the credential", name))
	}
	if p.more > 0 {
		out = append(out, fmt.Sprintf("%d more records contain one of our credentials", p.more))
	}
	return out
}
