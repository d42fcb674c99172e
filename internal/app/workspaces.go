package app

import (
	"context"
	"os"
	"path/filepath"

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
