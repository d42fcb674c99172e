package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"tasker/internal/app"
	"tasker/internal/config"
)

// nextGuided measures select-and-claim in a repository with tracked guidance, where each claim stores the
// fingerprints of the files, against one without; and that against a process outside of any repository.
func nextGuided(ctx context.Context, b *bench) ([]*result, error) {
	r := &result{
		what: "select-and-claim with six files of tracked guidance, 64 callers", against: "the same without", unit: "µs",
		note: "Services.Next, bundle included",
	}
	repository := &result{
		what: "select-and-claim in a repository that tracks nothing, 64 callers", against: "the same outside of a repository", unit: "µs",
		bound: bound{atMost: 1.15}, note: r.note,
	}
	tracked, err := b.guidance(`, "context": {"track": ["AGENTS.md", "docs/*.md"]}`)
	if err != nil {
		return nil, err
	}
	untracked, err := b.guidance("")
	if err != nil {
		return nil, err
	}
	nowhere := config.Nothing()
	for range b.runs {
		ours, err := b.claimGuided(ctx, tracked)
		if err != nil {
			return nil, err
		}
		theirs, err := b.claimGuided(ctx, untracked)
		if err != nil {
			return nil, err
		}
		outside, err := b.claimGuided(ctx, nowhere)
		if err != nil {
			return nil, err
		}
		r.add(ours.wall*1e6/claims, theirs.wall*1e6/claims)
		r.spent(ours, claims)
		repository.add(theirs.wall*1e6/claims, outside.wall*1e6/claims)
		repository.spent(theirs, claims)
	}
	return []*result{r, repository}, nil
}

// guidance writes a repository with six files of guidance, and returns its configuration with those settings.
func (b *bench) guidance(settings string) (*config.Loaded, error) {
	dir, err := os.MkdirTemp(b.scratch, "guided-")
	if err != nil {
		return nil, err
	}
	if err := os.Mkdir(filepath.Join(dir, "docs"), 0o755); err != nil {
		return nil, err
	}
	files := map[string]string{".tasker.json": `{"version": 1, "project": "x"` + settings + `}`, "AGENTS.md": guidanceText}
	for i := range 5 {
		files[fmt.Sprintf("docs/part%d.md", i)] = guidanceText
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			return nil, err
		}
	}
	return loadFrom(dir)
}

// guidanceText is as long as guidance usually is: 10 kB.
var guidanceText = strings.Repeat("Run the tests first.\n", 500)

func (b *bench) claimGuided(ctx context.Context, loaded *config.Loaded) (took cost, err error) {
	db, err := b.copyOf(ctx, b.twentyThousand())
	if err != nil {
		return cost{}, err
	}
	defer func() { err = errors.Join(err, b.engine.drop(db)) }()
	a, err := app.Open(app.Options{DB: db, Version: "0.0.0", Config: func() *config.Loaded { return loaded }})
	if err != nil {
		return cost{}, err
	}
	return b.claimFrom(ctx, a, claims)
}
