package provider

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"tasker/internal/config"
	"tasker/internal/fault"
	"tasker/internal/strict"
	"tasker/internal/text/words"
	"tasker/internal/workspace/env/envtext"
)

// CommonOptions lists the options of every kind: how long it may take, and which variables to take.
var CommonOptions = []string{"keys", "timeout"}

const (
	defaultLimit = 15 * time.Second
	longestLimit = 10 * time.Minute
)

// Named is a provider with its name and type from the configuration.
type Named struct {
	Name, Type string
	Provider   Provider
}

// Make makes the providers of a chain. A key that a kind does not read has no effect, and Check
// warns about it. An option that a kind does not know is passed to the program that it runs, if it
// runs one; otherwise it has no effect either.
func Make(kinds []Kind, chain []config.NamedProvider, p Parts) ([]Named, error) {
	out := make([]Named, 0, len(chain))
	for _, c := range chain {
		_, made, err := single(kinds, c, p)
		if err != nil {
			return nil, fault.At(strict.Join("providers", c.Name), Under("the provider "+c.Name+" ("+c.Type+")", err))
		}
		out = append(out, Named{c.Name, c.Type, made})
	}
	return out, nil
}

// Check refuses a provider that Make would refuse, without making one: checking a configuration
// contacts nothing. warnings are about keys and options without an effect.
func Check(kinds []Kind, c config.NamedProvider) (warnings []string, err error) {
	k, _, err := single(kinds, c, Parts{})
	for _, key := range k.unread(c.Provider) {
		warnings = append(warnings, fmt.Sprintf("a provider of the type %s does not read %s; it reads %s", k.Type, key, words.List(k.Keys)))
	}
	for _, name := range k.unknown(c.Provider) {
		if !k.Passes {
			known := k.known()
			warnings = append(warnings, fmt.Sprintf("%s has no option %s, and nothing reads it; did you mean %s? its options are %s",
				k.Type, words.Quoted(name), words.Closest(name, known), words.List(known)))
		}
	}
	return warnings, err
}

// single makes one provider, and returns its kind.
func single(kinds []Kind, c config.NamedProvider, p Parts) (Kind, Provider, error) {
	i := slices.IndexFunc(kinds, func(k Kind) bool { return k.Type == c.Type })
	if i < 0 {
		return Kind{}, nil, fault.New(fault.Internal, "there is no provider of the type %s", c.Type)
	}
	made, err := kinds[i].make(c.Provider, p)
	return kinds[i], made, err
}

func (k Kind) make(c config.Provider, p Parts) (_ Provider, err error) {
	l := limited{limit: defaultLimit}
	if text := c.Options["timeout"]; text != "" {
		if l.limit, err = time.ParseDuration(text); err != nil || l.limit <= 0 || l.limit > longestLimit {
			return nil, fault.Bad("options.timeout is %s", words.Quoted(text)).WithHint("give a duration such as 15s, at most %s", words.Span(longestLimit))
		}
	}
	if l.picks, err = parseKeys(c.Options["keys"]); err != nil {
		return nil, err
	}
	if l.passed, err = k.passed(c); err != nil {
		return nil, err
	}
	l.Provider, err = k.New(c, p)
	return l, err
}

// unread returns the keys that are set and that the kind does not read.
func (k Kind) unread(c config.Provider) (out []string) {
	for _, given := range []struct {
		key string
		set bool
	}{
		{"env", c.Env != ""}, {"app", c.App != ""}, {"files", len(c.Files) > 0}, {"run", c.Run != ""}, {"path", c.Path != ""},
	} {
		if given.set && !slices.Contains(k.Keys, given.key) {
			out = append(out, given.key)
		}
	}
	return out
}

// optionPrefix starts the variables that pass unknown options to a program.
const optionPrefix = "TASKER_OPTION_"

// known returns the options that the kind reads itself.
func (k Kind) known() []string {
	return slices.Sorted(slices.Values(slices.Concat(k.Options, CommonOptions)))
}

// unknown returns the names of the options that the kind does not read itself.
func (k Kind) unknown(c config.Provider) []string {
	known := k.known()
	return slices.DeleteFunc(slices.Sorted(maps.Keys(c.Options)), func(name string) bool { return slices.Contains(known, name) })
}

// passed returns the options for the kind's program, as NAME=VALUE.
func (k Kind) passed(c config.Provider) ([]string, error) {
	if !k.Passes {
		return nil, nil
	}
	var out []string
	by := map[string]string{}
	for _, name := range k.unknown(c) {
		variable := optionPrefix + strings.Map(inName, name)
		if other, twice := by[variable]; twice {
			return nil, fault.Bad("the options %s and %s would both be %s", words.Quoted(other), words.Quoted(name), variable).WithHint("rename one of them")
		}
		by[variable] = name
		out = append(out, variable+"="+c.Options[name])
	}
	return out, nil
}

// inName maps a character of an option's name to one of a variable's name.
func inName(r rune) rune {
	switch {
	case 'a' <= r && r <= 'z':
		return r - 'a' + 'A'
	case 'A' <= r && r <= 'Z', '0' <= r && r <= '9':
		return r
	}
	return '_'
}

// Flag parses an option that is true or false.
func Flag(c config.Provider, option string) (bool, error) {
	switch c.Options[option] {
	case "", "false":
		return false, nil
	case "true":
		return true, nil
	}
	return false, fault.Bad("options.%s is %s", option, words.Quoted(c.Options[option])).WithHint(`give "true" or "false"`)
}

// Path returns the path of a secret: c.Path with {app} and {env} replaced. If app or env has no
// placeholder, it is appended, so that each setting has an effect.
func Path(c config.Provider) (string, error) {
	path := c.Path
	for _, part := range []struct{ name, value string }{{"app", c.App}, {"env", c.Env}} {
		place := "{" + part.name + "}"
		switch {
		case strings.Contains(path, place) && part.value == "":
			return "", fault.Bad("path has %s, but %s is not set", place, part.name).WithHint("set %s, or remove %s from path", part.name, place)
		case strings.Contains(path, place):
			path = strings.ReplaceAll(path, place, part.value)
		case part.value != "" && path != "":
			path = strings.TrimSuffix(path, "/") + "/" + part.value
		default:
			path += part.value
		}
	}
	if path == "" {
		return "", fault.Bad("path is not set").WithHint("set path, or app and env, to say which secret to read")
	}
	return path, nil
}

// pick is a field from a provider, and the variable that it becomes.
type pick struct{ name, field string }

// parseKeys parses the option keys: names of variables, each with its field if that has another
// name.
func parseKeys(text string) ([]pick, error) {
	var out []pick
	for entry := range strings.SplitSeq(text, ",") {
		if entry = strings.TrimSpace(entry); entry == "" {
			continue
		}
		name, field, renamed := strings.Cut(entry, "=")
		name, field = strings.TrimSpace(name), strings.TrimSpace(field)
		if !renamed {
			field = name
		}
		if !envtext.ValidName(name) || field == "" {
			return nil, fault.Bad("options.keys has %s", words.Quoted(entry)).WithHint("list NAME or NAME=field, separated by commas")
		}
		out = append(out, pick{name, field})
	}
	return out, nil
}

// limited adds to a provider what every kind has: a time limit and the choice of variables.
type limited struct {
	Provider

	limit  time.Duration
	picks  []pick
	passed []string // options for its program, as NAME=VALUE
}

func (l limited) Values(ctx context.Context, r Request) (Result, error) {
	inner, cancel := context.WithTimeout(ctx, l.limit)
	defer cancel()
	r.Env = append(slices.Clip(r.Env), l.passed...)
	res, err := l.Provider.Values(inner, r)
	if err != nil && ctx.Err() == nil && (inner.Err() != nil || errors.Is(err, context.DeadlineExceeded)) {
		return Result{}, fault.Bad("did not answer within %s", l.limit).WithHint("set options.timeout to give it longer")
	}
	if err != nil || l.picks == nil {
		return res, err
	}
	values := make(map[string]string, len(l.picks))
	for _, p := range l.picks {
		value, ok := res.Values[p.field]
		if !ok {
			return Result{}, fault.Bad("has no field %s%s", words.Quoted(p.field), words.Meant(p.field, slices.Sorted(maps.Keys(res.Values)))).
				WithHint("options.keys names it for %s: correct it there, or add the field", p.name)
		}
		values[p.name] = value
	}
	res.Values = values
	return res, nil
}
