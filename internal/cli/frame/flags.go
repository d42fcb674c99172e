package frame

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"tasker/internal/config/format"
	"tasker/internal/fault"
	"tasker/internal/task"
	"tasker/internal/text/words"
)

// Flag adds a flag to a command, or says more about one of its flags. If the flag is not given, its variable keeps its
// value.
type Flag func(*pflag.FlagSet)

// variable returns the flag of a kind that pflag has itself.
func variable[T any](add func(fs *pflag.FlagSet, to *T, name string, value T, usage string)) func(to *T, name, usage string) Flag {
	return func(to *T, name, usage string) Flag {
		return func(fs *pflag.FlagSet) { add(fs, to, name, *to, usage) }
	}
}

// The flags whose values pflag parses.
var (
	String   = variable((*pflag.FlagSet).StringVar)      // a text
	Bool     = variable((*pflag.FlagSet).BoolVar)        // without a value
	Int      = variable((*pflag.FlagSet).IntVar)         // a whole number
	Ints     = variable((*pflag.FlagSet).IntSliceVar)    // whole numbers, separated by commas
	Strings  = variable((*pflag.FlagSet).StringSliceVar) // texts, separated by commas
	Repeated = variable((*pflag.FlagSet).StringArrayVar) // a text; can be given more than once
)

// StringP is a text flag with a one-letter short form.
func StringP(to *string, name, letter, usage string) Flag {
	return func(fs *pflag.FlagSet) { fs.StringVarP(to, name, letter, *to, usage) }
}

// Filename says that a flag names a file, with one of the extensions if any are given.
func Filename(name string, extensions ...string) Flag {
	return func(fs *pflag.FlagSet) { _ = cobra.MarkFlagFilename(fs, name, extensions...) }
}

// Hidden hides flags from the help.
func Hidden(names ...string) Flag {
	return func(fs *pflag.FlagSet) {
		for _, name := range names {
			_ = fs.MarkHidden(name)
		}
	}
}

// value is the value of a flag: take parses it, and kind names it in help.
type value struct {
	kind string
	take func(string) error
}

func (v value) String() string { return "" }

// Type names the value in help.
func (v value) Type() string { return v.kind }

// Set parses the value.
func (v value) Set(s string) error { return v.take(s) }

// Value is a flag whose value take parses; kind names the value in help.
func Value(name, kind, usage string, take func(string) error) Flag {
	return func(fs *pflag.FlagSet) { fs.Var(value{kind, take}, name, usage) }
}

// parsed is a flag whose value parse returns.
func parsed[T any](to *T, name, kind, usage string, parse func(string) (T, error)) Flag {
	return Value(name, kind, usage, func(s string) (err error) {
		*to, err = parse(s)
		return err
	})
}

// Duration is a duration such as 5m.
func Duration(to *time.Duration, name, usage string) Flag {
	return parsed(to, name, "duration", usage, format.ParseDuration)
}

// Since returns the time that a text means: a duration such as 2h means that long ago, and any other text is left for
// the operation to parse.
func (f *Factory) Since(text string) string {
	if d, err := format.ParseDuration(text); err == nil {
		return task.TimeOf(f.Now().Add(-d)).String()
	}
	return text
}

// Lease is a duration such as 30m, or 0, in milliseconds; it stays nil if the flag is not given.
func Lease(to **int64, name, usage string) Flag {
	return parsed(to, name, "duration", usage, func(s string) (*int64, error) {
		d, err := format.ParseDuration(s)
		return new(d.Milliseconds()), err
	})
}

// MaybeText is an optional text. It stays nil if the flag is not given, which differs from an empty text.
func MaybeText(to **string, name, usage string) Flag {
	return parsed(to, name, "text", usage, func(s string) (*string, error) { return &s, nil })
}

// Given returns an optional text; it reads "-" from standard input.
func (f *Factory) Given(text *string) (*string, error) {
	if text == nil {
		return nil, nil
	}
	read, err := f.TextArg(*text)
	return &read, err
}

// MaybeInt is an optional whole number.
func MaybeInt[T int | int64](to **T, name, usage string) Flag {
	return parsed(to, name, "number", usage, ReadInt[T])
}

// ReadInt parses a whole number.
func ReadInt[T int | int64](s string) (*T, error) {
	n, err := strconv.ParseInt(s, 10, 64)
	if v := T(n); err == nil && int64(v) == n {
		return &v, nil
	}
	return nil, fault.Bad("%q is not a whole number", s)
}

// Priority is --priority, also written as P0.
func Priority(to **int, usage string) Flag {
	return parsed(to, "priority", "number", usage, func(s string) (*int, error) {
		if len(s) == 2 && (s[0] == 'P' || s[0] == 'p') {
			s = s[1:]
		}
		n, err := ReadInt[int](s)
		if err != nil {
			return nil, fault.Bad("%q names no priority", s).WithHint("0 or P0 (most urgent) to 3")
		}
		return n, nil
	})
}

// MaybeBool is an optional yes or no.
func MaybeBool(to **bool, name, usage string) Flag {
	add := Value(name, "bool", usage, func(s string) error {
		v, err := strconv.ParseBool(s)
		if err != nil {
			return fault.Bad("%q is neither true nor false", s)
		}
		*to = &v
		return nil
	})
	return func(fs *pflag.FlagSet) {
		add(fs)
		fs.Lookup(name).NoOptDefVal = "true"
	}
}

// Choice is the value of a flag that takes one of a few words.
type Choice struct {
	value
	Of []string
}

// OneOf is one of a few words; the initial value of to is the default.
func OneOf[T, W ~string](to *T, name string, of []W, usage string) Flag {
	c := Choice{Of: Candidates(of)}
	c.value = value{"word", func(s string) error {
		if slices.Contains(c.Of, s) {
			*to = T(s)
			return nil
		}
		return Suggesting(fault.Bad("%q is not one of %s", s, words.List(c.Of)), "", Near(s, c.Of), "")
	}}
	return func(fs *pflag.FlagSet) {
		fs.Var(c, name, usage)
		fs.Lookup(name).DefValue = string(*to)
	}
}

// Evidence is --evidence, which collects KIND=VALUE items.
func Evidence(to *[]task.EvidenceItem, usage string) Flag {
	return Value("evidence", "kind=value", usage, func(s string) error {
		kind, value, err := Pair(s, "kind", "value")
		if err == nil {
			*to = append(*to, task.EvidenceItem{Kind: kind, Value: value})
		}
		return err
	})
}

// List collects texts, one per use; of names a text in help. A single empty text gives an empty list, which clears the
// field; without the flag the list stays nil.
func List(to *[]string, name, of, usage string) Flag {
	return Value(name, of, usage, func(s string) error {
		if *to == nil {
			*to = []string{}
		}
		if s != "" {
			*to = append(*to, s)
		}
		return nil
	})
}

// Fence is --fence.
func Fence(to **int64) Flag {
	return MaybeInt(to, "fence", "only under this claim (else TASKER_FENCE)")
}

// Pair splits a=b; left and right name the two sides in the refusal.
func Pair(s, left, right string) (string, string, error) {
	a, b, ok := strings.Cut(s, "=")
	if !ok || a == "" || b == "" {
		return "", "", fault.Bad("%q is not written as %s=%s", s, left, right)
	}
	return a, b, nil
}

// At is --at, for reads of an earlier state.
func At(at **int64) Flag {
	return MaybeInt(at, "at", "as it was after this event")
}
