package app

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

// ProviderKinds returns every kind of environment provider; only app knows all of them. They are in the order of the configuration's reference.
func ProviderKinds() []provider.Kind {
	return []provider.Kind{dotenv.Kind, exec.Kind, gitenv.Kind, vault.Kind, awssm.Kind, onepassword.Kind}
}

// Providers returns the provider chain of a workspace in the order of the configuration. It refuses a setting that the
// provider cannot use before anything is called or run. Credentials may also go to the confirmed hosts.
func Providers(c *config.Config, confirmed ...string) ([]provider.Named, error) {
	chain, err := c.ProviderChain()
	if err != nil {
		return nil, err
	}
	return provider.Make(ProviderKinds(), chain, provider.Parts{Run: runProvider, Git: command.Ask, Client: fetch.Client{Confirmed: confirmed}})
}

// ProviderWrites returns the files that the chain may write into a workspace. It calls no provider.
func ProviderWrites(c *config.Config) (names []string, err error) {
	chain, err := c.ProviderChain()
	if err != nil {
		return nil, err
	}
	for _, p := range chain {
		for _, k := range ProviderKinds() {
			if k.Type == p.Type && k.Writes != nil {
				names = append(names, k.Writes(p.Provider)...)
			}
		}
	}
	return names, nil
}

// CheckProvider refuses the same settings as Providers, and warns about keys and options that nothing reads. It calls and runs nothing.
func CheckProvider(c config.NamedProvider) (warnings []string, err error) {
	return provider.Check(ProviderKinds(), c)
}

// runProvider runs a command in a process group of its own, which ends with the command.
func runProvider(ctx context.Context, c provider.Command) (int, error) {
	res, err := child.Run(ctx, child.Command{For: purpose.Provider, Args: c.Args, Dir: c.Dir, Env: c.Env, Output: c.Output, Errors: c.Errors})
	return res.ExitCode, err
}
