package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"strings"
	"sync/atomic"
	"syscall"

	"tasker/internal/admin"
	"tasker/internal/core"
)

// processes measures claims by several processes at once, next to a fully loaded server on the same database.
func processes(ctx context.Context, b *bench) ([]*result, error) {
	r := &result{
		what: "p99 of tasker next --claim, 8 processes next to a saturated server", against: "its p99, one process on an idle database",
		unit: "ms", bound: bound{atMost: 20},
	}
	p, err := b.build(ctx)
	if err != nil {
		return nil, err
	}
	var busy, total int
	for range b.runs {
		idle, err := b.idleProcess(ctx, p.tasker)
		if err != nil {
			return nil, err
		}
		c, err := b.crowd(ctx, p.tasker)
		if err != nil {
			return nil, err
		}
		if c.fault != "" {
			r.failed = c.fault
		}
		busy += c.byServer
		total += c.byServer + len(c.took)
		r.add(quantile(c.took, 0.99)*1e3, quantile(idle, 0.99)*1e3)
	}
	r.note = fmt.Sprintf("%d claims, %d of them by the server, each task once and none lost", total, busy)
	return []*result{r}, nil
}

func (b *bench) claimCommand(ctx context.Context, db, tasker string) *exec.Cmd {
	return b.command(ctx, db, tasker, "next", "--claim", "--json", "-p", "x")
}

// idleProcess returns how long claims take, one process after another.
func (b *bench) idleProcess(ctx context.Context, tasker string) (times []float64, err error) {
	db, err := b.copyOf(ctx, b.twentyThousand())
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, b.engine.drop(db)) }()
	var seen claimed
	for range 50 {
		out, took, err := once(b.claimCommand(ctx, db, tasker))
		if err != nil {
			return nil, err
		}
		if err := seen.see(out); err != nil {
			return nil, err
		}
		times = append(times, took)
	}
	return times, nil
}

// crowded is the result of running many processes at once.
type crowded struct {
	took     []float64 // of the processes' claims
	byServer int       // claims that the server made in the meantime
	fault    string    // a claim that was lost, or made twice
}

func (b *bench) crowd(ctx context.Context, tasker string) (c crowded, err error) {
	db, err := b.copyOf(ctx, shape{tasks: b.n(40_000), ready: b.n(40_000)})
	if err != nil {
		return c, err
	}
	defer func() { err = errors.Join(err, b.engine.drop(db)) }()
	url, stop, err := b.serveProcess(ctx, db, tasker)
	if err != nil {
		return c, err
	}
	var seen claimed
	var over atomic.Bool
	served := make(chan error, 1)
	h := dial(url, callers)
	defer h.close()
	// The server's clients claim and leave notes by turns; when they have claimed their share of what is ready, the
	// notes alone keep it busy.
	var share atomic.Int64
	share.Store(int64(b.n(30_000)))
	go func() {
		_, _, err := loadWhile(callers, func() bool { return !over.Load() }, func(caller, i int) error {
			if i%2 == 0 && share.Add(-1) >= 0 {
				answer, err := h.call(caller, "POST", "/v1/next", nextBody)
				if err != nil {
					return err
				}
				return seen.see(answer)
			}
			_, err := h.call(caller, "POST", fmt.Sprintf("/v1/tasks/x-%d/notes", 1+caller), `{"text":"still at it"}`)
			return err
		})
		served <- err
	}()
	_, c.took, err = load(8, b.n(160), func(int, int) error {
		out, _, err := once(b.claimCommand(ctx, db, tasker))
		if err != nil {
			return err
		}
		return seen.see(out)
	})
	over.Store(true)
	err = errors.Join(err, <-served, stop())
	if err != nil {
		return c, err
	}
	c.byServer = len(seen.tasks) - len(c.took)
	c.fault, err = b.heldAsSeen(ctx, db, &seen)
	return c, err
}

// serveProcess starts `tasker serve` and returns its address.
func (b *bench) serveProcess(ctx context.Context, db, tasker string) (url string, stop func() error, err error) {
	cmd := b.command(ctx, db, tasker, "serve", "--port", "0")
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		return "", nil, err
	}
	if err := cmd.Start(); err != nil {
		return "", nil, err
	}
	stop = func() error {
		if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
			return err
		}
		if err := cmd.Wait(); err != nil {
			return fmt.Errorf("the server ended with %w: %s", err, stderr.Bytes())
		}
		return nil
	}
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		if url, ok := strings.CutPrefix(lines.Text(), "Listening on "); ok {
			go func() { // what it says afterwards must not block it
				for lines.Scan() {
				}
			}()
			return url, stop, nil
		}
	}
	return "", nil, errors.Join(fmt.Errorf("the server does not say where it listens: %s", stderr.Bytes()), stop())
}

// heldAsSeen returns how the claims in the database differ from the claims in the answers.
func (b *bench) heldAsSeen(ctx context.Context, db string, seen *claimed) (fault string, err error) {
	a, err := b.open(db)
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, a.Close()) }()
	p, err := a.Services.Reading.Project(asWorker(ctx), core.ProjectIn{Slug: "x"})
	if err != nil {
		return "", err
	}
	if p.Tasks.InProgress != len(seen.tasks) {
		return fmt.Sprintf("%d claims were answered and %d are stored.", len(seen.tasks), p.Tasks.InProgress), nil
	}
	well, err := a.Services.Admin.Doctor(asWorker(ctx), admin.DoctorIn{})
	if err == nil && !well.OK {
		fault = fmt.Sprintf("doctor finds differences: %+v.", well.Checks)
	}
	return fault, err
}
