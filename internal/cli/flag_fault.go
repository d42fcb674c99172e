package cli

import (
	"errors"
	"slices"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"tasker/internal/cli/frame"
	"tasker/internal/fault"
	"tasker/internal/text/words"
)

// flagFault turns an error of the flag parser into a refusal with a suggestion.
func flagFault(cmd *cobra.Command, err error) error {
	usage := cmd.CommandPath() + " --help lists the flags"
	var unknown *pflag.NotExistError
	var lacking *pflag.ValueRequiredError
	var wrong *pflag.InvalidValueError
	switch {
	case errors.As(err, &unknown):
		name := unknown.GetSpecifiedName()
		shorts := unknown.GetSpecifiedShortnames()
		flag := words.Either(shorts != "", "-", "--") + name
		names := flagNames(cmd)
		near := meant(name, names)
		if near == "" && shorts == "" {
			near = frame.Near(name, names)
		}
		e := fault.Bad("%s has no flag %s", cmd.CommandPath(), flag).WithMissing(flag)
		return frame.Suggesting(e, "--", near, usage+"; a text that begins with a hyphen goes after --")
	case errors.As(err, &lacking):
		name := lacking.GetFlag().Name
		return fault.Bad("--%s needs a value", name).WithMissing("--"+name).WithHint("%s", usage)
	case errors.As(err, &wrong):
		fl := wrong.GetFlag()
		var inner *fault.Error
		if errors.As(wrong.Unwrap(), &inner) {
			return fault.Bad("--%s: %s", fl.Name, inner.Message).WithMissing("--" + fl.Name).WithParts(inner.HintParts())
		}
		return fault.Bad("--%s takes a %s, and was given %q", fl.Name, valueWord(fl.Value.Type()), wrong.GetValue()).
			WithMissing("--"+fl.Name).WithHint("%s", usage)
	}
	return fault.Bad("%v", err).WithHint("%s", usage)
}

// habits maps flags of other tools to ours: the first one that the command has is suggested.
var habits = map[string][]string{
	"n": {"limit", "note"}, "l": {"limit"}, "L": {"limit"}, "a": {"all", "actor"}, "s": {"status", "state"}, "S": {"sort"}, "m": {"note", "because"},
	"w": {"watch", "wait"}, "f": {"force", "follow"}, "q": {"quiet"}, "y": {"yes"}, "j": {"json"}, "o": {"columns"}, "t": {"title", "task", "timeout"},
	"v": {"version"}, "V": {"version"}, "k": {"kind", "key"}, "P": {"priority"}, "d": {"due"},
	"rationale": {"because"}, "reason": {"because", "note"}, "why": {"because", "note"}, "message": {"note", "because", "body"},
	"comment": {"note", "because"}, "description": {"body"}, "desc": {"body"}, "text": {"body", "note"}, "deadline": {"due"}, "due-date": {"due"},
	"depends-on": {"dep"}, "deps": {"dep"}, "blocked-by": {"dep"}, "needs": {"dep"}, "acceptance": {"criterion"}, "criteria": {"criterion", "check"},
	"assignee": {"held-by", "prefer"}, "assign": {"prefer"}, "assigned-to": {"held-by"}, "owner": {"held-by", "prefer"}, "holder": {"held-by"},
	"user": {"actor"}, "as": {"actor"}, "order-by": {"sort"}, "sort-by": {"sort"}, "order": {"sort"}, "max": {"limit"}, "count": {"limit"},
	"ttl": {"lease"}, "duration": {"lease", "timeout", "wait"}, "type": {"kind"}, "tick": {"check"}, "fields": {"columns"}, "files": {"touches"},
	"epic": {"parent", "under"}, "preview": {"dry-run"}, "confirm": {"yes"},
}

// meant returns the one of the names that a flag of another tool probably means.
func meant(typed string, names []string) string {
	for _, name := range habits[typed] {
		if slices.Contains(names, name) {
			return name
		}
	}
	return ""
}

func flagNames(cmd *cobra.Command) []string {
	var names []string
	add := func(fl *pflag.Flag) { names = append(names, fl.Name) }
	cmd.LocalFlags().VisitAll(add)
	cmd.InheritedFlags().VisitAll(add)
	return names
}
