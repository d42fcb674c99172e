// Package delivery is the domain of notifications: where inbox items go, which items go there, and what happens to an
// item after it was sent or could not be sent.
package delivery

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/url"
	"slices"

	"tasker/internal/task/waiting"
	"tasker/internal/text/words"
)

// The types of channels.
const (
	Exec    = "exec"
	Webhook = "webhook"
)

// Channel is where inbox items go. Two declarations of the same type and target are one channel.
type Channel struct {
	Type   string
	Target string             // the command or the address; it may hold a credential
	Kinds  []waiting.ItemKind // which items go there

	place string // in the file, if another channel would have the same name
}

// ID returns the id that the channel is stored under. The target cannot be read from it.
func (c Channel) ID() string {
	sum := sha256.Sum256([]byte(c.Type + "\x00" + c.Target))
	return hex.EncodeToString(sum[:16])
}

// Wants reports whether items of a kind go there.
func (c Channel) Wants(kind waiting.ItemKind) bool { return slices.Contains(c.Kinds, kind) }

// maxName is how much of a command is shown in a channel's name.
const maxName = 80

// address finds the addresses in a command. Anything after their host, and anything before the last @, may be a
// credential.
var address = words.Pattern(`([A-Za-z][A-Za-z0-9+.-]*://)(?:[^\s'"]*@)?([^/\s'"@?#]+)[^\s'"]*`)

// Name returns how the channel is shown and logged: its type, as much of the target as holds no credential, and, if
// needed to tell it from another, its place in the file.
func (c Channel) Name() string { return c.look() + c.place }

func (c Channel) look() string {
	if c.Type != Webhook {
		return c.Type + " " + words.Cut(address().ReplaceAllString(c.Target, "$1$2/…"), maxName)
	}
	u, err := url.Parse(c.Target)
	if err != nil {
		return c.Type
	}
	return c.Type + " " + words.Cut(u.Scheme+"://"+u.Host, maxName)
}

// triggers are the kinds that a channel gets if it names none. Each can be turned off.
var triggers = []waiting.ItemKind{waiting.ItemApproval, waiting.ItemVerification, waiting.ItemQuestion, waiting.ItemDivergence}

// Kinds returns the kinds of items that a channel gets, by the names in its declaration. Unknown names are ignored.
func Kinds(named []string) []waiting.ItemKind {
	if len(named) == 0 {
		return slices.Clone(triggers)
	}
	return slices.DeleteFunc(slices.Clone(waiting.ItemKinds), func(kind waiting.ItemKind) bool { return !slices.Contains(named, string(kind)) })
}

// Merged returns the channels with declarations of the same channel merged, in the order of the first of each.
func Merged(declared []Channel) []Channel {
	var out []Channel
	first := []int{} // the index of each one's first declaration
	for i, c := range declared {
		at := slices.IndexFunc(out, func(o Channel) bool { return o.Type == c.Type && o.Target == c.Target })
		if at < 0 {
			out = append(out, Channel{Type: c.Type, Target: c.Target, Kinds: slices.Clone(c.Kinds)})
			first = append(first, i)
			continue
		}
		for _, kind := range c.Kinds {
			if !out[at].Wants(kind) {
				out[at].Kinds = append(out[at].Kinds, kind)
			}
		}
	}
	looks := map[string]int{}
	for _, c := range out {
		looks[c.look()]++
	}
	for i := range out {
		if looks[out[i].look()] > 1 {
			out[i].place = fmt.Sprintf(" (notifications.channels[%d])", first[i])
		}
	}
	return out
}
