package frame

import (
	"strconv"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"tasker/internal/config/format"
	"tasker/internal/fault"
	"tasker/internal/task"
	"tasker/internal/text/words"
)

// DurationFlag is a duration such as 5m.
type DurationFlag struct{ D time.Duration }

func (d *DurationFlag) String() string { return "" }

// Type names the value in help.
func (d *DurationFlag) Type() string { return "duration" }

// Set reads the duration.
func (d *DurationFlag) Set(s string) (err error) {
	d.D, err = format.ParseDuration(s)
	return err
}

// LeaseFlag is a duration such as 30m, or 0; Ms is nil where it was not given.
type LeaseFlag struct{ Ms *int64 }

func (l *LeaseFlag) String() string { return "" }

// Type names the value in help.
func (l *LeaseFlag) Type() string { return "duration" }

// Set reads the duration.
func (l *LeaseFlag) Set(s string) error {
	d, err := format.ParseDuration(s)
	if err != nil {
		return err
	}
	ms := d.Milliseconds()
	l.Ms = &ms
	return nil
}

// TextFlag is a text that may be left out, which is not the same as an empty one: Text is nil then.
type TextFlag struct{ Text *string }

func (t *TextFlag) String() string { return "" }

// Type names the value in help.
func (t *TextFlag) Type() string { return "text" }

// Set takes the text as it is.
func (t *TextFlag) Set(s string) error {
	t.Text = &s
	return nil
}

// Given returns the flag's text, with - read from standard input; nil where it was left out.
func (f *Factory) Given(t TextFlag) (*string, error) {
	if t.Text == nil {
		return nil, nil
	}
	text, err := f.TextArg(*t.Text)
	return &text, err
}

// IntFlag is a whole number that may be left out.
type IntFlag[T int | int64] struct{ N *T }

func (i *IntFlag[T]) String() string { return "" }

// Type names the value in help.
func (i *IntFlag[T]) Type() string { return "number" }

// Set reads the number.
func (i *IntFlag[T]) Set(s string) error {
	n, err := strconv.ParseInt(s, 10, 64)
	if err != nil || int64(T(n)) != n {
		return fault.Bad("%q is not a whole number", s)
	}
	v := T(n)
	i.N = &v
	return nil
}

// PriorityFlag is a priority, also written as P0.
type PriorityFlag struct{ IntFlag[int] }

// Set reads the priority.
func (p *PriorityFlag) Set(s string) error {
	if len(s) == 2 && (s[0] == 'P' || s[0] == 'p') {
		s = s[1:]
	}
	if err := p.IntFlag.Set(s); err != nil {
		return fault.Bad("%q names no priority", s).WithHint("0 or P0 (most urgent) to 3")
	}
	return nil
}

// BoolFlag is a yes or no that may be left out.
type BoolFlag struct{ B *bool }

func (b *BoolFlag) String() string { return "" }

// Type names the value in help.
func (b *BoolFlag) Type() string { return "bool" }

// IsBoolFlag lets the flag be given without a value.
func (b *BoolFlag) IsBoolFlag() bool { return true }

// Set reads true or false.
func (b *BoolFlag) Set(s string) error {
	v, err := strconv.ParseBool(s)
	if err != nil {
		return fault.Bad("%q is neither true nor false", s)
	}
	b.B = &v
	return nil
}

// AddBool adds a yes or no that may be left out.
func AddBool(fs *pflag.FlagSet, b *BoolFlag, name, usage string) {
	fs.VarPF(b, name, "", usage).NoOptDefVal = "true"
}

// Choice is a flag that takes one of a few words.
type Choice struct {
	Value string
	Of    []string
}

func (c *Choice) String() string { return c.Value }

// Type names the value in help.
func (c *Choice) Type() string { return "word" }

// Set refuses any other word.
func (c *Choice) Set(s string) error {
	for _, w := range c.Of {
		if w == s {
			c.Value = s
			return nil
		}
	}
	e := fault.Bad("%q is none of %s", s, words.List(c.Of))
	if near := Near(s, c.Of); near != "" {
		e.WithHint("did you mean %s?", near)
	}
	return e
}

// OneOf returns a flag that takes one of the words.
func OneOf[T ~string](initial string, words []T) *Choice {
	c := &Choice{Value: initial}
	for _, w := range words {
		c.Of = append(c.Of, string(w))
	}
	return c
}

// EvidenceFlag collects KIND=VALUE items.
type EvidenceFlag []task.EvidenceItem

func (e *EvidenceFlag) String() string { return "" }

// Type names the value in help.
func (e *EvidenceFlag) Type() string { return "kind=value" }

// Set reads one item.
func (e *EvidenceFlag) Set(s string) error {
	kind, value, err := Pair(s, "kind", "value")
	if err != nil {
		return err
	}
	*e = append(*e, task.EvidenceItem{Kind: kind, Value: value})
	return nil
}

// ListFlag collects texts, one per use. Given once and empty it is an empty list, which clears; left out it is nil.
type ListFlag struct {
	All []string
	of  string // what one is called in help
}

func (l *ListFlag) String() string { return "" }

// Type names the value in help.
func (l *ListFlag) Type() string { return l.of }

// Set adds one.
func (l *ListFlag) Set(s string) error {
	if l.All == nil {
		l.All = []string{}
	}
	if s != "" {
		l.All = append(l.All, s)
	}
	return nil
}

// AddList adds a flag that can be given again; of is what one of its texts is called in help.
func AddList(fs *pflag.FlagSet, name, of, usage string) *ListFlag {
	l := &ListFlag{of: of}
	fs.Var(l, name, usage)
	return l
}

// AddFence adds --fence.
func AddFence(fs *pflag.FlagSet) *IntFlag[int64] {
	n := &IntFlag[int64]{}
	fs.Var(n, "fence", "only under this claim (else TASKER_FENCE)")
	return n
}

// Pair splits a=b; the refusal calls the sides left and right.
func Pair(s, left, right string) (string, string, error) {
	a, b, ok := strings.Cut(s, "=")
	if !ok || a == "" || b == "" {
		return "", "", fault.Bad("%q is not written as %s=%s", s, left, right)
	}
	return a, b, nil
}

// AddAt adds --at, for reads of how things were.
func AddAt(fs *pflag.FlagSet, at *IntFlag[int64]) {
	fs.Var(at, "at", "as it was after this event")
}
