// Package environment makes the environment providers that a configuration names: it alone knows every kind of them.
package environment

import (
	"context"

	"tasker/internal/child"
	"tasker/internal/child/purpose"
	"tasker/internal/config"
	"tasker/internal/git/command"
	"tasker/internal/workspace/env/awssm"
	"tasker/internal/workspace/env/dotenv"
	"tasker/internal/workspace/env/exec"
	"tasker/internal/workspace/env/fetch"
	"tasker/internal/workspace/env/gitenv"
	"tasker/internal/workspace/env/onepassword"
	"tasker/internal/workspace/env/provider"
	"tasker/internal/workspace/env/vault"
)

// Kinds returns every kind of provider, in the order of the configuration's reference.
func Kinds() []provider.Kind {
	return []provider.Kind{dotenv.Kind, exec.Kind, gitenv.Kind, vault.Kind, awssm.Kind, onepassword.Kind}
}

// Providers returns the chain of a workspace, as the configuration has it. A setting that its provider cannot use is a
// refusal here, before anything is asked or run. Credentials also go to the hosts that were confirmed.
func Providers(c *config.Config, confirmed ...string) ([]provider.Named, error) {
	chain, err := c.ProviderChain()
	if err != nil {
		return nil, err
	}
	return provider.Make(Kinds(), chain, provider.Parts{Run: run, Git: command.Ask, Client: fetch.Client{Confirmed: confirmed}})
}

// Writes returns the files that the chain of a workspace may write there, and asks no provider for anything.
func Writes(c *config.Config) (names []string, err error) {
	chain, err := c.ProviderChain()
	if err != nil {
		return nil, err
	}
	for _, p := range chain {
		for _, k := range Kinds() {
			if k.Type == p.Type && k.Writes != nil {
				names = append(names, k.Writes(p.Provider)...)
			}
		}
	}
	return names, nil
}

// Check refuses the settings of a provider that Providers refuses, warns of options that nothing reads, and asks and runs
// nothing.
func Check(c config.NamedProvider) (warnings []string, err error) { return provider.Check(Kinds(), c) }

// run runs a command in a process group of its own, which ends with it.
func run(ctx context.Context, c provider.Command) (int, error) {
	res, err := child.Run(ctx, child.Command{For: purpose.Provider, Args: c.Args, Dir: c.Dir, Env: c.Env, Output: c.Output, Errors: c.Errors})
	return res.ExitCode, err
}
