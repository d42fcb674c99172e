package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"regexp"
)

// readsMemory measures the peak memory of a server, after every read by many clients.
func readsMemory(ctx context.Context, b *bench) (_ []*result, err error) {
	r := &result{what: "memory of the server, after every read by 8 clients", against: "300 MB", unit: "MB", bound: bound{atMost: 1}, everywhere: true}
	start, err := b.estateServer(ctx)
	if err != nil {
		return nil, err
	}
	for range b.runs {
		s, err := start()
		if err != nil {
			return nil, err
		}
		mb, err := b.weighServer(s)
		if err := errors.Join(err, s.stop()); err != nil {
			return nil, err
		}
		r.add(mb, 300)
	}
	return []*result{r}, nil
}

// estateServer returns a function that serves the estate in a process of its own.
func (b *bench) estateServer(ctx context.Context) (start func() (*child, error), err error) {
	db, err := b.seedEstate(ctx)
	if err != nil {
		return nil, err
	}
	dir, err := b.estateDir()
	if err != nil {
		return nil, err
	}
	p, err := b.build(ctx)
	if err != nil {
		return nil, err
	}
	return func() (*child, error) { return b.background(ctx, db, dir, p.tasker) }, nil
}

// weighServer runs every read, and returns the peak memory of the server, in megabytes.
func (b *bench) weighServer(s *child) (float64, error) {
	const clients = 8
	c := dial(s.url, clients)
	defer c.close()
	for _, r := range b.theReads() {
		_, _, err := load(clients, 2*clients, func(caller, i int) error {
			_, err := c.call(caller, "GET", r.path(i*clients+caller), "")
			return err
		})
		if err != nil {
			return 0, fmt.Errorf("%s: %w", r.what, err)
		}
	}
	return peakMemory(s)
}

var (
	peak      = regexp.MustCompile(`VmHWM:\s+(\d+) kB`)
	listening = regexp.MustCompile(`http://127\.0\.0\.1:\d+`)
)

// child is a server in a process of its own.
type child struct {
	url string
	cmd *exec.Cmd
}

// background starts a server on a database, in a directory with its configuration.
func (b *bench) background(ctx context.Context, db, dir, tasker string) (*child, error) {
	cmd := b.command(ctx, db, tasker, "serve", "--port", "0")
	cmd.Dir = dir
	cmd.Env = append(cmd.Env, "TASKER_ACTOR=ann")
	said, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	cmd.Stderr = cmd.Stdout
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	s := &child{cmd: cmd}
	var text bytes.Buffer
	for part := make([]byte, 4096); ; {
		n, err := said.Read(part)
		text.Write(part[:n])
		if url := listening.Find(text.Bytes()); url != nil {
			s.url = string(url)
			go func() { _, _ = io.Copy(io.Discard, said) }() // it ends with the server
			return s, nil
		}
		if err != nil {
			return nil, errors.Join(fmt.Errorf("the server did not start: %w\n%s", err, text.Bytes()), s.stop())
		}
	}
}

// stop ends the server, as Ctrl-C does.
func (c *child) stop() error {
	if err := c.cmd.Process.Signal(os.Interrupt); err != nil {
		return err
	}
	return c.cmd.Wait()
}
