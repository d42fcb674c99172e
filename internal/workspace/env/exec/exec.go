// Package exec is the provider of variables that a command prints.
package exec

import (
	"cmp"
	"context"
	"slices"

	"tasker/internal/config"
	"tasker/internal/fault"
	"tasker/internal/text/words"
	"tasker/internal/workspace/env/envtext"
	"tasker/internal/workspace/env/provider"
)

// Kind declares the provider.
var Kind = provider.Kind{Type: "exec", Keys: []string{"env", "app", "run"}, Options: []string{"format"}, Passes: true, New: makeProvider}

// formats lists how a command may print variables; the first is the default.
var formats = []string{"lines", "dotenv", "json"}

type command struct {
	run      provider.Runner
	script   string
	env, app string
	format   string
}

func makeProvider(c config.Provider, p provider.Parts) (provider.Provider, error) {
	format := cmp.Or(c.Options["format"], formats[0])
	if !slices.Contains(formats, format) {
		return nil, fault.Bad("options.format is %s%s", words.Quoted(format), words.Meant(format, formats)).
			WithHint("the formats are %s", words.List(formats))
	}
	if c.Run == "" {
		return nil, fault.Bad("run is not set").WithHint("set run to a command that prints NAME=VALUE lines")
	}
	return command{p.Run, c.Run, c.Env, c.App, format}, nil
}

// Values runs the command in a shell in the repository's root. Only its standard output counts.
// Standard error may hold values too, and is never shown.
func (c command) Values(ctx context.Context, r provider.Request) (provider.Result, error) {
	out, err := c.run.Capture(ctx, provider.Command{
		Args: []string{"sh", "-c", c.script}, Dir: r.Root, Env: append(slices.Clip(r.Env), "TASKER_PROVIDER_ENV="+c.env, "TASKER_PROVIDER_APP="+c.app),
	})
	if err != nil {
		return provider.Result{}, err
	}
	if out.ExitCode != 0 {
		return provider.Result{}, fault.Bad("its command ended with the exit code %d", out.ExitCode).
			WithHint("run the command from its run key by hand in %s to see what it says", r.Root)
	}
	values, err := c.read(out.Output, r)
	return provider.Result{Values: values}, provider.Under("the output of its command", err)
}

func (c command) read(text string, r provider.Request) (map[string]string, error) {
	switch c.format {
	case "json":
		return provider.Fields([]byte(text))
	case "dotenv":
		values := map[string]string{}
		return values, envtext.Parse(text, values, r.Lookup)
	}
	return envtext.Lines(text)
}
