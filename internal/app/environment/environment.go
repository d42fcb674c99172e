// Package environment builds the environment providers that a configuration names. Only this package knows every kind.
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

// Providers returns the provider chain of a workspace in the order of the configuration. It refuses a setting that the
// provider cannot use before anything is called or run. Credentials may also go to the confirmed hosts.
func Providers(c *config.Config, confirmed ...string) ([]provider.Named, error) {
	chain, err := c.ProviderChain()
	if err != nil {
		return nil, err
	}
	return provider.Make(Kinds(), chain, provider.Parts{Run: run, Git: command.Ask, Client: fetch.Client{Confirmed: confirmed}})
}

// Writes returns the files that the chain may write into a workspace. It calls no provider.
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

// Check refuses the same settings as Providers, and warns about options that nothing reads. It calls and runs nothing.
func Check(c config.NamedProvider) (warnings []string, err error) { return provider.Check(Kinds(), c) }

// run runs a command in a process group of its own, which ends with the command.
func run(ctx context.Context, c provider.Command) (int, error) {
	res, err := child.Run(ctx, child.Command{For: purpose.Provider, Args: c.Args, Dir: c.Dir, Env: c.Env, Output: c.Output, Errors: c.Errors})
	return res.ExitCode, err
}
