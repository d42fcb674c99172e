package app

import (
	"context"
	"os"
	"path/filepath"
	"strings"

	"tasker/internal/config"
	"tasker/internal/workspace"
	"tasker/internal/workspace/env/provider"
)

// stateDir returns the directory where commands keep this machine's state: in the user's cache, or else among temporary
// files.
func stateDir() string {
	dir, err := os.UserCacheDir()
	if err != nil {
		dir = os.TempDir()
	}
	return filepath.Join(dir, "tasker")
}

// kept returns the path of what has to be there as long as this machine is, and is no cache; "" if the user has no home
// directory.
func kept(name string) string {
	if state := os.Getenv("XDG_STATE_HOME"); filepath.IsAbs(state) {
		return filepath.Join(state, "tasker", name)
	}
	if service := os.Getenv("STATE_DIRECTORY"); filepath.IsAbs(service) { // systemd's, which may list several
		return filepath.Join(strings.SplitN(service, ":", 2)[0], name)
	}
	home, err := os.UserHomeDir()
	if err != nil || !filepath.IsAbs(home) {
		return ""
	}
	return filepath.Join(home, ".local", "state", "tasker", name)
}

// known is the directory in which servers on this machine keep what they remember of their databases; "" if there is none.
func known() string { return kept("known") }

// provide calls the providers of a workspace's environment in order.
func provide(ctx context.Context, c *config.Config, at workspace.At) (out workspace.Provided, err error) {
	hosts, err := confirmed()
	if err != nil {
		return out, err
	}
	chain, err := Providers(c, hosts...)
	if err != nil || len(chain) == 0 {
		return out, err
	}
	env, err := provider.Chain(ctx, chain, provider.Request{Root: at.Root, Dir: at.Dir, Task: at.Task, Env: at.Env})
	if err != nil {
		return out, err
	}
	out.Values = env.Variables()
	for _, f := range env.Files() {
		out.Files = append(out.Files, workspace.File(f))
	}
	return out, nil
}
