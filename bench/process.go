package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// hello is the program that does nothing.
const hello = `package main

import "fmt"

func main() { fmt.Println("hello, world") }
`

// weigh runs a command and prints its peak memory in kilobytes. A process is charged with the memory of its parent
// until it calls exec, so the program that weighs must be small.
const weigh = `package main

import (
	"fmt"
	"os"
	"os/exec"
	"syscall"
)

func main() {
	cmd := exec.Command(os.Args[1], os.Args[2:]...)
	if err := cmd.Run(); err != nil {
		panic(err)
	}
	fmt.Println(cmd.ProcessState.SysUsage().(*syscall.Rusage).Maxrss)
}
`

// programs are the paths of tasker, of the program that does nothing and of the one that weighs.
type programs struct{ tasker, hello, weigh string }

// build builds them as a release is built.
func (b *bench) build(ctx context.Context) (programs, error) {
	at := func(name string) string { return filepath.Join(b.scratch, name) }
	p := programs{at("tasker"), at("hello"), at("weigh")}
	if _, err := os.Stat(p.weigh); err == nil {
		return p, nil
	}
	from := map[string]string{p.tasker: "./cmd/tasker", p.hello: p.hello + ".go", p.weigh: p.weigh + ".go"}
	for path, source := range map[string]string{p.hello: hello, p.weigh: weigh} {
		if err := os.WriteFile(from[path], []byte(source), 0o644); err != nil {
			return p, err
		}
	}
	for _, out := range []string{p.tasker, p.hello, p.weigh} {
		cmd := exec.CommandContext(ctx, "go", "build", "-buildvcs=false", "-trimpath", "-ldflags", "-s -w", "-o", out, from[out])
		cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
		if text, err := cmd.CombinedOutput(); err != nil {
			return p, fmt.Errorf("building %s: %w\n%s", from[out], err, text)
		}
	}
	return p, nil
}

// command returns a command that is isolated from the user's own setup.
func (b *bench) command(ctx context.Context, db, program string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Dir = b.scratch
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + b.scratch, "TASKER_DB=" + db, "TASKER_ACTOR=bench"}
	return cmd
}

// once runs a command, and returns what it wrote and how many seconds it took.
func once(cmd *exec.Cmd) (out []byte, took float64, err error) {
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	began := time.Now()
	if err := cmd.Run(); err != nil {
		return nil, 0, fmt.Errorf("%s: %w: %s", cmd, err, stderr.Bytes())
	}
	return stdout.Bytes(), time.Since(began).Seconds(), nil
}

// process measures a command from its start to its end, against a program that does nothing.
func process(ctx context.Context, b *bench) (_ []*result, err error) {
	wall := &result{
		what: "tasker ready --json as a process, 50,000 tasks", against: "a Go hello-world process", unit: "ms", bound: bound{atMost: 6},
	}
	memory := &result{what: wall.what, against: "60 MB of memory", unit: "MB", bound: bound{atMost: 1}}
	cockpit := &result{
		what: "tasker without a command as a process, 50,000 tasks", against: "tasker ready", unit: "ms", bound: bound{atMost: 1.1},
		note: "no slower, but for the machine's noise",
	}
	version := &result{what: "tasker version as a process", against: wall.against, unit: "ms", bound: bound{atMost: 4.5}}
	without := &result{
		what: "tasker version as a process, where there is no database", against: "the same where there is one", unit: "ms", bound: bound{atMost: 1.1},
		note: "no slower, but for the machine's noise",
	}
	list := &result{what: "tasker list --json as a process, 50,000 tasks", against: wall.against, unit: "ms", bound: bound{atMost: 8}}
	hook := &result{
		what: "tasker hook start as a process, 50,000 tasks", against: "the 300 ms within which a hook ends", unit: "ms", bound: bound{atMost: 1},
		note: "one that gave up, silent, counts as a second",
	}
	p, err := b.build(ctx)
	if err != nil {
		return nil, err
	}
	db, err := b.copyOf(ctx, shape{tasks: b.n(50_000), ready: b.n(20_000)})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, b.engine.drop(db)) }()
	const each = 12
	for range b.runs {
		took, err := b.starts(ctx, each, []start{
			{p.hello, nil, "hello", db},
			{p.tasker, []string{"ready", "--json"}, `"tasks":[{`, db},
			{p.tasker, []string{"ready"}, "▷ ready", db},
			{p.tasker, nil, "Next for you", db},
			{p.tasker, []string{"version"}, "tasker ", db},
			{p.tasker, []string{"list", "--json"}, `"tasks":[{`, db},
			{p.tasker, []string{"version"}, "tasker ", filepath.Join(b.scratch, "none")},
		})
		if err != nil {
			return nil, err
		}
		wall.add(took[1], took[0])
		cockpit.add(took[3], took[2])
		version.add(took[4], took[0])
		list.add(took[5], took[0])
		without.add(took[6], took[4])
		late, err := b.hooks(ctx, each, db, p.tasker)
		if err != nil {
			return nil, err
		}
		hook.add(late, 300)
		out, _, err := once(b.command(ctx, db, p.weigh, p.tasker, "ready", "--json"))
		if err != nil {
			return nil, err
		}
		kb, err := strconv.ParseFloat(strings.TrimSpace(string(out)), 64)
		if err != nil {
			return nil, err
		}
		memory.add(kb/1024, 60)
	}
	return []*result{wall, memory, cockpit, version, without, list, hook}, nil
}

// hooks calls the hook of an agent's start so many times, and returns how many milliseconds its answer takes. A hook that would be
// late ends silent and in time, which is no answer: it counts as a second.
func (b *bench) hooks(ctx context.Context, each int, db, tasker string) (float64, error) {
	took := make([]float64, each)
	for i := range took {
		out, seconds, err := once(b.command(ctx, db, tasker, "hook", "start", "--agent", "claude"))
		if err != nil {
			return 0, err
		}
		took[i] = seconds * 1e3
		if len(out) == 0 {
			took[i] = 1e3
		}
	}
	return median(took), nil
}

// start is a program with its arguments, what it must print, and the database that it is given.
type start struct {
	program string
	args    []string
	prints  string
	db      string
}

// starts runs programs one after the other, so many times each, and returns how many milliseconds each takes.
func (b *bench) starts(ctx context.Context, each int, all []start) ([]float64, error) {
	took := make([][]float64, len(all))
	for range each {
		for i, s := range all {
			out, seconds, err := once(b.command(ctx, s.db, s.program, s.args...))
			if err != nil {
				return nil, err
			}
			if !bytes.Contains(out, []byte(s.prints)) {
				return nil, fmt.Errorf("%s %v answered %.200s", filepath.Base(s.program), s.args, out)
			}
			took[i] = append(took[i], seconds*1e3)
		}
	}
	medians := make([]float64, len(all))
	for i := range all {
		medians[i] = median(took[i])
	}
	return medians, nil
}
