package cli

import (
	"strconv"

	"github.com/spf13/pflag"

	"tasker/internal/config"
	"tasker/internal/fault"
	"tasker/internal/task"
)

// leaseFlag is a duration such as 30m, or 0; nil where it was not given.
type leaseFlag struct{ ms *int64 }

func (l *leaseFlag) String() string { return "" }
func (l *leaseFlag) Type() string   { return "duration" }

// Set reads the duration.
func (l *leaseFlag) Set(s string) error {
	d, err := config.ParseDuration(s)
	if err != nil {
		return err
	}
	ms := d.Milliseconds()
	l.ms = &ms
	return nil
}

// textFlag is a text that may be left out; given and empty, it is given.
type textFlag struct{ s *string }

func (t *textFlag) String() string { return "" }
func (t *textFlag) Type() string   { return "text" }

// Set takes the text as it is.
func (t *textFlag) Set(s string) error {
	t.s = &s
	return nil
}

// given is the flag's text, with - read from standard input; nil where it was left out.
func (f *factory) given(t textFlag) (*string, error) {
	if t.s == nil {
		return nil, nil
	}
	text, err := f.text(*t.s)
	return &text, err
}

// intFlag is a whole number that may be left out.
type intFlag[T int | int64] struct{ n *T }

func (i *intFlag[T]) String() string { return "" }
func (i *intFlag[T]) Type() string   { return "number" }

// Set reads the number.
func (i *intFlag[T]) Set(s string) error {
	n, err := strconv.ParseInt(s, 10, 64)
	if err != nil || int64(T(n)) != n {
		return fault.Bad("%q is no whole number", s)
	}
	v := T(n)
	i.n = &v
	return nil
}

// boolFlag is a yes or no that may be left out.
type boolFlag struct{ b *bool }

func (b *boolFlag) String() string   { return "" }
func (b *boolFlag) Type() string     { return "bool" }
func (b *boolFlag) IsBoolFlag() bool { return true }

// Set reads true or false.
func (b *boolFlag) Set(s string) error {
	v, err := strconv.ParseBool(s)
	if err != nil {
		return fault.Bad("%q is neither true nor false", s)
	}
	b.b = &v
	return nil
}

func maybe(fs *pflag.FlagSet, b *boolFlag, name, usage string) {
	fs.VarPF(b, name, "", usage).NoOptDefVal = "true"
}

// choice is a flag that takes one of a few words.
type choice struct {
	value string
	of    []string
}

func (c *choice) String() string { return c.value }
func (c *choice) Type() string   { return "word" }

// Set refuses any other word.
func (c *choice) Set(s string) error {
	for _, w := range c.of {
		if w == s {
			c.value = s
			return nil
		}
	}
	e := fault.Bad("%q is none of %s", s, list(c.of))
	if near := nearest(s, c.of); near != "" {
		e.WithHint("did you mean %s?", near)
	}
	return e
}

func oneOf[T ~string](initial string, words []T) *choice {
	c := &choice{value: initial}
	for _, w := range words {
		c.of = append(c.of, string(w))
	}
	return c
}

// evidenceFlag collects KIND=VALUE items.
type evidenceFlag []task.EvidenceItem

func (e *evidenceFlag) String() string { return "" }
func (e *evidenceFlag) Type() string   { return "kind=value" }

// Set reads one item.
func (e *evidenceFlag) Set(s string) error {
	kind, value, err := pair(s, "kind", "value")
	if err != nil {
		return err
	}
	*e = append(*e, task.EvidenceItem{Kind: kind, Value: value})
	return nil
}

// linkFlag collects KIND=REF links.
type linkFlag []task.Link

func (l *linkFlag) String() string { return "" }
func (l *linkFlag) Type() string   { return "kind=ref" }

// Set reads one link; an empty one leaves the list empty.
func (l *linkFlag) Set(s string) error {
	if s == "" {
		*l = linkFlag{}
		return nil
	}
	kind, ref, err := pair(s, "kind", "ref")
	if err != nil {
		return err
	}
	*l = append(*l, task.Link{Kind: kind, Ref: ref})
	return nil
}

// listFlag collects texts, one per use; given once and empty it is an empty list, which clears.
type listFlag struct {
	all []string
	of  string // what one is called in help
}

func (l *listFlag) String() string { return "" }
func (l *listFlag) Type() string   { return l.of }

// Set adds one.
func (l *listFlag) Set(s string) error {
	if l.all == nil {
		l.all = []string{}
	}
	if s != "" {
		l.all = append(l.all, s)
	}
	return nil
}

func lists(fs *pflag.FlagSet, name, of, usage string) *listFlag {
	l := &listFlag{of: of}
	fs.Var(l, name, usage)
	return l
}

// fenceFlag adds --fence.
func fenceFlag(fs *pflag.FlagSet) *intFlag[int64] {
	n := &intFlag[int64]{}
	fs.Var(n, "fence", "write only while this is the task's claim (else TASKER_FENCE, where TASKER_TASK names the task)")
	return n
}
