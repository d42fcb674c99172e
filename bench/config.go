package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"tasker/internal/config"
)

// configLimit is what reading the configuration may cost a command, in milliseconds.
const configLimit = 2

// fullConfig sets something of every block.
const fullConfig = `{
  "version": 1,
  "project": "demo",
  "execution": {
    "defaultAutonomy": "supervised", "mayExecute": ["dev"],
    "requireApproval": [ { "role": "lead", "reason": "a second pair of eyes" } ],
    "reviewPolicy": { "release": [ { "kind": "verification", "reason": "try it" } ] }
  },
  "workspace": {
    "strategy": "worktree", "providers": ["env"], "ports": { "range": [4000, 4099], "perTask": 2 },
    "setup": [ { "name": "deps", "run": "make deps" }, { "name": "db", "run": "make db", "timeoutMs": 60000, "optional": true } ],
    "teardown": [ { "name": "clean", "run": "make clean" } ]
  },
  "context": { "track": ["AGENTS.md", "docs/**"], "ignore": ["docs/old/**"], "bundleBudget": 8000 },
  "actors": [ { "name": "ann", "kind": "human", "roles": ["lead"] }, { "name": "bench", "kind": "agent", "capabilities": ["go"] } ],
  "providers": { "env": { "type": "dotenv", "files": [".env"] } },
  "integrations": { "code_host": { "repos": ["acme/demo"] }, "selection": ["severity", "due", "priority", "age"] },
  "notifications": { "channels": [ { "type": "exec", "target": "notify" } ] },
  "gates": { "release": ["test", "changelog"], "quick": [] },
  "agentDefaults": { "lease": "1h", "requireNoteOnDone": true },
  "branch": { "prefix": "work/", "base": "main" }
}
`

// configuration measures what a command pays to read its configuration: found three directories up, with a local file
// and a db layer. The median counts; the slowest of a hundred, which on a busy machine is the wait for a turn, is noted.
func configuration(_ context.Context, b *bench) ([]*result, error) {
	dir := filepath.Join(b.scratch, "configured", "a", "b", "c")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	for name, text := range map[string]string{config.FileName: fullConfig, config.LocalName: `{"agentDefaults": {"lease": "30m"}}`} {
		if err := os.WriteFile(filepath.Join(b.scratch, "configured", name), []byte(text), 0o600); err != nil {
			return nil, err
		}
	}
	res := &result{
		what: "reading the configuration", against: fmt.Sprintf("the limit of %d ms", configLimit), unit: "ms", bound: bound{atMost: 1}, everywhere: true,
	}
	var slowest []float64
	for range b.runs {
		var took []float64
		err := calm(func() error {
			for range b.n(2000) {
				began := time.Now()
				if err := readConfig(dir); err != nil {
					return err
				}
				took = append(took, time.Since(began).Seconds()*1e3)
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
		res.add(median(took), configLimit)
		slowest = append(slowest, quantile(took, 0.99))
	}
	res.note = fmt.Sprintf("file, local file, db layer and environment: found, checked, merged; p99 %.2g ms", median(slowest))
	return []*result{res}, nil
}

func readConfig(dir string) error {
	o, err := config.FromOS()
	if err != nil {
		return err
	}
	o.Dir = dir
	loaded, err := config.Load(o)
	if err != nil {
		return err
	}
	_, err = loaded.For(loaded.Project(), []byte(`{"gates": {"extra": ["log"]}, "execution": {"preferredActor": "bench"}}`))
	return err
}
