package syncer

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"
)

// Prompts holds the repositories that a code host has reported as changed. Each is pulled at most
// once per interval, however often it is reported; reports that arrive in between are pulled
// afterwards.
type Prompts struct {
	mu    sync.Mutex
	asked map[string]bool
	last  map[string]time.Time
	wake  chan struct{}
}

// The limits of prompts.
const (
	promptEvery = 10 * time.Second
	maxPrompts  = 1000 // repositories at once
)

// NewPrompts returns an empty one.
func NewPrompts() *Prompts {
	return &Prompts{asked: map[string]bool{}, last: map[string]time.Time{}, wake: make(chan struct{}, 1)}
}

// Ask requests a pull of a repository.
func (p *Prompts) Ask(repo string) {
	p.mu.Lock()
	if repo = strings.ToLower(repo); len(p.asked) < maxPrompts {
		p.asked[repo] = true
	}
	p.mu.Unlock()
	select {
	case p.wake <- struct{}{}:
	default: // already awake
	}
}

// due returns the repositories that can be pulled now, and how long to wait for the others, or 0 if
// there are none.
func (p *Prompts) due(now time.Time) (repos []string, wait time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	maps.DeleteFunc(p.last, func(_ string, at time.Time) bool { return now.Sub(at) >= promptEvery })
	for _, repo := range slices.Sorted(maps.Keys(p.asked)) {
		if at, recent := p.last[repo]; recent {
			wait = min(cmp.Or(wait, promptEvery), promptEvery-now.Sub(at))
			continue
		}
		repos = append(repos, repo)
		delete(p.asked, repo)
		p.last[repo] = now
	}
	return repos, wait
}

// Run pulls the requested repositories until ctx ends.
func (p *Prompts) Run(ctx context.Context, pull func(ctx context.Context, repo string)) {
	ctx = Background(ctx)
	for {
		repos, wait := p.due(time.Now())
		for _, repo := range repos {
			pull(ctx, repo)
		}
		if len(repos) > 0 {
			continue
		}
		later := time.NewTimer(cmp.Or(wait, time.Hour))
		select {
		case <-ctx.Done():
			later.Stop()
			return
		case <-p.wake:
		case <-later.C:
		}
		later.Stop()
	}
}
