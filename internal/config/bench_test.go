package config

import (
	"os"
	"path/filepath"
	"testing"
)

// full is a file that sets something of every block.
const full = `{
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
  "actors": [ { "name": "ann", "kind": "human", "roles": ["lead"] }, { "name": "claude", "kind": "agent", "capabilities": ["go"] } ],
  "providers": { "env": { "type": "dotenv", "files": [".env"] } },
  "integrations": { "code_host": { "repos": ["acme/demo"] }, "selection": ["severity", "due", "priority", "age"] },
  "notifications": { "channels": [ { "type": "exec", "target": "notify" } ] },
  "gates": { "release": ["test", "changelog"], "quick": [] },
  "agentDefaults": { "lease": "1h", "requireNoteOnDone": true },
  "branch": { "prefix": "work/", "base": "main" },
  "auth": { "mode": "open" }
}
`

func onDisk(b *testing.B) Options {
	dir := b.TempDir()
	sub := filepath.Join(dir, "a", "b", "c")
	if err := os.MkdirAll(sub, 0o755); err != nil {
		b.Fatal(err)
	}
	for name, text := range map[string]string{FileName: full, LocalName: `{"agentDefaults":{"lease":"30m"}}`} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			b.Fatal(err)
		}
	}
	o, err := FromOS()
	if err != nil {
		b.Fatal(err)
	}
	o.Dir, o.Env = sub, nil
	return o
}

// BenchmarkLoad is what a command pays: find, read, check and merge all layers. It must stay well under 2 ms.
func BenchmarkLoad(b *testing.B) {
	o := onDisk(b)
	for b.Loop() {
		l, err := Load(o)
		if err != nil {
			b.Fatal(err)
		}
		if _, err := l.For("demo", []byte(`{"gates":{"x":["y"]}}`)); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkCurrent is what each request of a server pays.
func BenchmarkCurrent(b *testing.B) {
	o := onDisk(b)
	o.Now = nil // the files of the benchmark are always young
	h, err := NewHolder(o)
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if _, err := h.Current().For("demo", nil); err != nil {
			b.Fatal(err)
		}
	}
}
