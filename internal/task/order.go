package task

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"slices"
	"strings"

	"tasker/internal/fault"
	"tasker/internal/words"
)

// SelectKey is one key of a selection policy.
type SelectKey string

// The keys of a selection policy.
const (
	BySeverity SelectKey = "severity" // 1 first; none counts as 4
	BySprint   SelectKey = "sprint"   // those in a sprint first, by its name; none last
	ByDue      SelectKey = "due"      // soonest first; none last
	ByPriority SelectKey = "priority" // 0 first
	ByRank     SelectKey = "rank"     // byte order; none last
	ByAge      SelectKey = "age"      // oldest first
)

// DefaultSelection is the policy of a project that declares none.
var DefaultSelection = []SelectKey{BySeverity, BySprint, ByDue, ByPriority, ByRank, ByAge}

// Order is the total order of a selection policy: its keys up to the first of rank and age, the bias of
// preferredActor, its other keys, the number of the id. The zero value is the default policy's.
type Order struct {
	keys []SelectKey
	cut  int // where the bias goes
}

// NewOrder makes the order of a policy; an empty one is the default. A key that is unknown or given twice is invalid.
func NewOrder(keys []SelectKey) (Order, error) {
	if len(keys) == 0 {
		return defaultOrder, nil
	}
	for i, k := range keys {
		if !slices.Contains(DefaultSelection, k) {
			return Order{}, fault.Bad("%s is not a key of a selection policy", words.Quoted(string(k))).WithHint("any of %s", words.List(DefaultSelection))
		}
		if slices.Contains(keys[:i], k) {
			return Order{}, fault.Bad("the selection policy lists %s twice", k).WithHint("each key counts once; leave the second out")
		}
	}
	return orderOf(slices.Clone(keys)), nil
}

var defaultOrder = orderOf(DefaultSelection)

func orderOf(keys []SelectKey) Order {
	cut := slices.IndexFunc(keys, func(k SelectKey) bool { return k == ByRank || k == ByAge })
	if cut < 0 {
		cut = len(keys)
	}
	return Order{keys: keys, cut: cut}
}

// Order is the order of the policy's selection. Faulty keys, which configuration refuses, leave the default.
func (p Policy) Order() Order {
	o, err := NewOrder(p.Selection)
	if err != nil {
		return defaultOrder
	}
	return o
}

// Keys are the policy's keys.
func (o Order) Keys() []SelectKey { return slices.Clone(o.orDefault().keys) }

// String is the keys joined by commas.
func (o Order) String() string {
	keys := o.orDefault().keys
	out := make([]string, len(keys))
	for i, k := range keys {
		out[i] = string(k)
	}
	return strings.Join(out, ",")
}

// Same reports whether two orders put any tasks in the same order.
func (o Order) Same(other Order) bool {
	return slices.Equal(o.orDefault().keys, other.orDefault().keys)
}

func (o Order) orDefault() Order {
	if len(o.keys) == 0 {
		return defaultOrder
	}
	return o
}

// SortKey encodes the policy's keys of a task before (k1) and after (k2) the point where the bias goes, so that
// the order of bytes is the order of the policy. Either may be empty.
func (o Order) SortKey(t *Task) (k1, k2 []byte) {
	o = o.orDefault()
	b := o.append(make([]byte, 0, 64), t, o.keys[:o.cut])
	n := len(b)
	b = o.append(b, t, o.keys[o.cut:])
	return b[:n:n], b[n:]
}

// append encodes keys. Each encoding is of fixed width or ends in a byte that no text has in it, so that one
// after the other they still compare key by key.
func (o Order) append(b []byte, t *Task, keys []SelectKey) []byte {
	for _, k := range keys {
		switch k {
		case BySeverity:
			if t.Severity == 0 {
				b = append(b, MaxSeverity)
			} else {
				b = append(b, byte(t.Severity))
			}
		case ByPriority:
			b = append(b, byte(t.Priority))
		case BySprint:
			b = appendText(b, string(t.Sprint))
		case ByRank:
			b = appendText(b, string(t.Rank))
		case ByDue:
			if at, ok := t.dueAt(); ok {
				b = appendTime(b, at)
			} else {
				b = append(b, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff)
			}
		case ByAge:
			b = appendTime(b, t.CreatedAt)
		}
	}
	return b
}

// dueAt is when a task is due; not ok where it is not.
func (t *Task) dueAt() (at Time, ok bool) {
	if t.Due == "" { // nearly always, and the words of an error cost
		return 0, false
	}
	at, err := ParseDue(string(t.Due))
	return at, err == nil
}

// appendText ends a text with 0x00, which texts do not have; 0xff, which UTF-8 does not have, stands for none.
func appendText(b []byte, s string) []byte {
	if s == "" {
		return append(b, 0xff)
	}
	return append(append(b, s...), 0)
}

// appendTime turns the sign bit, so that moments before 1970 come first.
func appendTime(b []byte, t Time) []byte {
	return binary.BigEndian.AppendUint64(b, uint64(t)^1<<63)
}

func preferred(own string, p Policy) string {
	if own != "" {
		return own
	}
	return p.PreferredActor
}

// Bias is how the preference of a task weighs for an actor: 0 it is mine, 1 nobody's, 2 somebody else's. A task
// that prefers nobody takes the project's preference. Every instance of the preferred name is preferred.
func Bias(own string, p Policy, a Actor) int {
	switch preferred(own, p) {
	case "":
		return 1
	case a.Name:
		return 0
	default:
		return 2
	}
}

// Less is the one total order in which ready, and next, look at tasks.
func (o Order) Less(p Policy, a Actor, x, y *Task) bool { return o.Compare(p, a, x, y) < 0 }

// Compare is Less with three answers.
func (o Order) Compare(p Policy, a Actor, x, y *Task) int {
	o = o.orDefault()
	var bx, by [128]byte // on the stack for all but long sprints and ranks
	first, last := o.keys[:o.cut], o.keys[o.cut:]
	if c := bytes.Compare(o.append(bx[:0], x, first), o.append(by[:0], y, first)); c != 0 {
		return c
	}
	if c := cmp.Compare(Bias(string(x.PreferredActor), p, a), Bias(string(y.PreferredActor), p, a)); c != 0 {
		return c
	}
	if c := bytes.Compare(o.append(bx[:0], x, last), o.append(by[:0], y, last)); c != 0 {
		return c
	}
	if c := cmp.Compare(x.ID.number(), y.ID.number()); c != 0 {
		return c
	}
	return cmp.Compare(x.ID, y.ID) // of two projects
}
