package frame

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"tasker/internal/config/format"
	"tasker/internal/fault"
	"tasker/internal/task"
	"tasker/internal/text/words"
)

// Flag is a flag whose value take reads; kind names the value in help.
type Flag struct {
	kind string
	take func(string) error
}

func (v Flag) String() string { return "" }

// Type names the value in help.
func (v Flag) Type() string { return v.kind }

// Set reads the value.
func (v Flag) Set(s string) error { return v.take(s) }

// AddFlag adds a flag whose value take reads; kind names the value in help.
func AddFlag(fs *pflag.FlagSet, name, kind, usage string, take func(string) error) {
	fs.Var(Flag{kind, take}, name, usage)
}

// AddDuration adds a duration such as 5m.
func AddDuration(fs *pflag.FlagSet, to *time.Duration, name, usage string) {
	AddFlag(fs, name, "duration", usage, func(s string) (err error) {
		*to, err = format.ParseDuration(s)
		return err
	})
}

// Since returns the moment that a text means: a duration such as 2h is that long ago, and any other text is the operation's to
// read.
func (f *Factory) Since(text string) string {
	if d, err := format.ParseDuration(text); err == nil {
		return task.TimeOf(f.Now().Add(-d)).String()
	}
	return text
}

// AddLease adds a duration such as 30m, or 0, in milliseconds; it stays nil where it is left out.
func AddLease(fs *pflag.FlagSet, to **int64, name, usage string) {
	AddFlag(fs, name, "duration", usage, func(s string) error {
		d, err := format.ParseDuration(s)
		if err == nil {
			ms := d.Milliseconds()
			*to = &ms
		}
		return err
	})
}

// AddText adds a text that may be left out, which is not the same as an empty one: it stays nil then.
func AddText(fs *pflag.FlagSet, to **string, name, usage string) {
	AddFlag(fs, name, "text", usage, func(s string) error {
		*to = &s
		return nil
	})
}

// Given returns a text that may be left out, with - read from standard input.
func (f *Factory) Given(text *string) (*string, error) {
	if text == nil {
		return nil, nil
	}
	read, err := f.TextArg(*text)
	return &read, err
}

// AddInt adds a whole number that may be left out.
func AddInt[T int | int64](fs *pflag.FlagSet, to **T, name, usage string) {
	AddFlag(fs, name, "number", usage, func(s string) (err error) {
		*to, err = ReadInt[T](s)
		return err
	})
}

// ReadInt reads a whole number.
func ReadInt[T int | int64](s string) (*T, error) {
	n, err := strconv.ParseInt(s, 10, 64)
	if v := T(n); err == nil && int64(v) == n {
		return &v, nil
	}
	return nil, fault.Bad("%q is not a whole number", s)
}

// AddPriority adds a priority, also written as P0.
func AddPriority(fs *pflag.FlagSet, to **int, usage string) {
	AddFlag(fs, "priority", "number", usage, func(s string) (err error) {
		if len(s) == 2 && (s[0] == 'P' || s[0] == 'p') {
			s = s[1:]
		}
		if *to, err = ReadInt[int](s); err != nil {
			return fault.Bad("%q names no priority", s).WithHint("0 or P0 (most urgent) to 3")
		}
		return nil
	})
}

// AddBool adds a yes or no that may be left out.
func AddBool(fs *pflag.FlagSet, to **bool, name, usage string) {
	AddFlag(fs, name, "bool", usage, func(s string) error {
		v, err := strconv.ParseBool(s)
		if err != nil {
			return fault.Bad("%q is neither true nor false", s)
		}
		*to = &v
		return nil
	})
	fs.Lookup(name).NoOptDefVal = "true"
}

// Choice is a flag that takes one of a few words.
type Choice struct {
	Flag
	Of []string
}

// AddChoice adds a flag that takes one of a few words; what to holds before is the default.
func AddChoice[T, W ~string](fs *pflag.FlagSet, to *T, name string, of []W, usage string) {
	c := Choice{Of: Candidates(of)}
	c.Flag = Flag{"word", func(s string) error {
		if slices.Contains(c.Of, s) {
			*to = T(s)
			return nil
		}
		e := fault.Bad("%q is none of %s", s, words.List(c.Of))
		if near := Near(s, c.Of); near != "" {
			e.WithHint("did you mean %s?", near)
		}
		return e
	}}
	fs.Var(c, name, usage)
	fs.Lookup(name).DefValue = string(*to)
}

// AddEvidence adds --evidence, which collects KIND=VALUE items.
func AddEvidence(fs *pflag.FlagSet, to *[]task.EvidenceItem, usage string) {
	AddFlag(fs, "evidence", "kind=value", usage, func(s string) error {
		kind, value, err := Pair(s, "kind", "value")
		if err == nil {
			*to = append(*to, task.EvidenceItem{Kind: kind, Value: value})
		}
		return err
	})
}

// AddList adds a flag that collects texts, one per use; of is what one is called in help. Given once and empty it is an empty
// list, which clears; left out it stays nil.
func AddList(fs *pflag.FlagSet, to *[]string, name, of, usage string) {
	AddFlag(fs, name, of, usage, func(s string) error {
		if *to == nil {
			*to = []string{}
		}
		if s != "" {
			*to = append(*to, s)
		}
		return nil
	})
}

// AddFence adds --fence.
func AddFence(fs *pflag.FlagSet, to **int64) {
	AddInt(fs, to, "fence", "only under this claim (else TASKER_FENCE)")
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
func AddAt(fs *pflag.FlagSet, at **int64) {
	AddInt(fs, at, "at", "as it was after this event")
}
