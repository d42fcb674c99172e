package task

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"slices"
	"strings"
	"time"

	"tasker/internal/fault"
	"tasker/internal/text/words"
)

// SelectKey is a key of a selection policy.
type SelectKey string

// The keys of a selection policy.
const (
	BySeverity SelectKey = "severity" // 1 first; none counts as 4
	BySprint   SelectKey = "sprint"   // tasks in a sprint first, by its name; none last
	ByDue      SelectKey = "due"      // soonest first; none last
	ByPriority SelectKey = "priority" // 0 first
	ByRank     SelectKey = "rank"     // byte order; none last
	ByAge      SelectKey = "age"      // oldest first
)

// DefaultSelection is the policy of a project that declares none.
var DefaultSelection = []SelectKey{BySeverity, BySprint, ByDue, ByPriority, ByRank, ByAge}

// Order is the total order of a selection policy: the keys before rank or age, then the bias of preferredActor, then
// the other keys, then the number of the id. The zero value is the order of the default policy.
type Order struct {
	keys []SelectKey // nil: the keys of the default policy
	cut  int         // where the bias goes
}

// NewOrder returns the order of a policy: the default for nil, and the number only for a policy without keys. An
// unknown or repeated key is invalid.
func NewOrder(keys []SelectKey) (Order, error) {
	if keys == nil {
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

// Order returns the order of the policy's selection, or the default one if the keys are faulty, which the configuration
// refuses.
func (p Policy) Order() Order {
	o, err := NewOrder(p.Selection)
	if err != nil {
		return defaultOrder
	}
	return o
}

// Keys returns the keys of the policy; none if only the number counts.
func (o Order) Keys() []SelectKey { return slices.Clone(o.orDefault().keys) }

// String returns the keys, joined by commas.
func (o Order) String() string {
	return strings.Join(texts(o.orDefault().keys), ",")
}

// Words says what the order goes by.
func (o Order) Words() string { return SelectWords(o.orDefault().keys) }

// SelectWords says what an order with these keys goes by.
func SelectWords(keys []SelectKey) string {
	if len(keys) == 0 {
		return "number"
	}
	return words.List(keys)
}

// Same reports whether two orders put any tasks in the same order.
func (o Order) Same(other Order) bool {
	return slices.Equal(o.orDefault().keys, other.orDefault().keys)
}

func (o Order) orDefault() Order {
	if o.keys == nil {
		return defaultOrder
	}
	return o
}

// SortKey encodes the task's values of the policy's keys so that byte order is the order of the policy: k1 has the keys
// before the bias, k2 the keys after it. Either may be empty.
func (o Order) SortKey(t *Task) (k1, k2 []byte) {
	o = o.orDefault()
	b := o.append(make([]byte, 0, 64), t, o.keys[:o.cut])
	n := len(b)
	b = o.append(b, t, o.keys[o.cut:])
	return b[:n:n], b[n:]
}

// append encodes the values of keys. Each encoding has a fixed width or ends in a byte that no text contains, so that
// concatenated encodings still compare key by key.
func (o Order) append(b []byte, t *Task, keys []SelectKey) []byte {
	for _, k := range keys {
		switch k {
		case BySeverity:
			b = append(b, byte(cmp.Or(t.Severity, MaxSeverity)))
		case ByPriority:
			b = append(b, byte(t.Priority))
		case BySprint:
			b = appendText(b, string(t.Sprint))
		case ByRank:
			b = appendText(b, string(t.Rank))
		case ByDue:
			if at, ok := t.DueAt(); ok {
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

// appendText ends a text with 0x00, which no text contains; 0xff, which no UTF-8 contains, stands for no text.
func appendText(b []byte, s string) []byte {
	if s == "" {
		return append(b, 0xff)
	}
	return append(append(b, s...), 0)
}

// appendTime inverts the sign bit, so that moments before 1970 come first.
func appendTime(b []byte, t Time) []byte {
	return binary.BigEndian.AppendUint64(b, uint64(t)^1<<63)
}

func preferred(own string, p Policy) string { return cmp.Or(own, p.PreferredActor) }

// Bias returns how a task's preference weighs for an actor: 0 if it prefers the actor, 1 if nobody, 2 if somebody
// else. A task without a preference has the project's. All instances of the preferred name are preferred.
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

// Less reports whether x comes before y in the total order that ready and next use.
func (o Order) Less(p Policy, a Actor, x, y *Task) bool { return o.Compare(p, a, x, y) < 0 }

// Compare is Less with three outcomes.
func (o Order) Compare(p Policy, a Actor, x, y *Task) int {
	o = o.orDefault()
	var bx, by [128]byte // on the stack except for long sprints and ranks
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

// ParseDue reads a due date: a day, which means its last microsecond in UTC, or a full RFC 3339 time.
func ParseDue(s string) (Time, error) {
	if len(s) == len(time.DateOnly) {
		if day, err := time.Parse(time.DateOnly, s); err == nil {
			return TimeOf(day.AddDate(0, 0, 1)) - 1, nil
		}
	}
	if strictTime(s) {
		if at, err := time.Parse(time.RFC3339, s); err == nil {
			return TimeOf(at), nil
		}
	}
	return 0, fault.Bad("due %s is not a date", words.Quoted(s)).WithHint("a day such as 2026-03-31, or a time such as 2026-03-31T17:00:00Z")
}

// strictTime refuses three things that time.Parse accepts and RFC 3339 does not: an hour of one digit, a comma before
// the fraction, and an offset of a day or more. The limit of 40 bytes leaves room for nanoseconds and an offset.
func strictTime(s string) bool {
	if len(s) < len("2006-01-02T15:04:05Z") || len(s) > 40 || s[13] != ':' || strings.Contains(s, ",") {
		return false
	}
	offset := s[len(s)-len("00:00"):]
	return strings.HasSuffix(s, "Z") || offset[:2] < "24" && offset[3:] < "60"
}

// DueAt returns the moment of the task's due date, if it has one.
func (t *Task) DueAt() (Time, bool) {
	if t.Due == "" {
		return 0, false
	}
	at, err := ParseDue(string(t.Due))
	return at, err == nil
}
