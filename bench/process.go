package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"time"
)

const hello = `package main

import "fmt"

func main() { fmt.Println("hello, world") }
`

// build gives the paths of tasker and of a program that only greets, both built as a release is.
func (b *bench) build(ctx context.Context) (tasker, greeter string, err error) {
	tasker, greeter = filepath.Join(b.scratch, "tasker"), filepath.Join(b.scratch, "hello")
	if _, err := os.Stat(greeter); err == nil {
		return tasker, greeter, nil
	}
	source := greeter + ".go"
	if err := os.WriteFile(source, []byte(hello), 0o644); err != nil {
		return "", "", err
	}
	for out, from := range map[string]string{tasker: "./cmd/tasker", greeter: source} {
		cmd := exec.CommandContext(ctx, "go", "build", "-buildvcs=false", "-trimpath", "-ldflags", "-s -w", "-o", out, from)
		cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
		if text, err := cmd.CombinedOutput(); err != nil {
			return "", "", fmt.Errorf("building %s: %w\n%s", from, err, text)
		}
	}
	return tasker, greeter, nil
}

// command makes a command that knows nothing of the user's own setup.
func (b *bench) command(ctx context.Context, db, program string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Dir = b.scratch
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + b.scratch, "TASKER_DB=" + db, "TASKER_ACTOR=bench"}
	return cmd
}

// once runs a command and gives what it wrote, the seconds it took and its memory in MB.
func once(cmd *exec.Cmd) (out []byte, took, memory float64, err error) {
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	began := time.Now()
	if err := cmd.Run(); err != nil {
		return nil, 0, 0, fmt.Errorf("%s: %w: %s", cmd, err, stderr.Bytes())
	}
	took = time.Since(began).Seconds()
	if usage, ok := cmd.ProcessState.SysUsage().(*syscall.Rusage); ok {
		memory = float64(usage.Maxrss) / 1024
	}
	return stdout.Bytes(), took, memory, nil
}

// process measures a command from its start to its end, against a program that does nothing.
func process(ctx context.Context, b *bench) (_ []*result, err error) {
	wall := &result{
		what: "tasker ready --json as a process, 50,000 tasks", against: "a Go hello-world process", unit: "ms", bound: bound{most: 8},
	}
	memory := &result{what: wall.what, against: "60 MB of memory", unit: "MB", bound: bound{most: 1}}
	tasker, greeter, err := b.build(ctx)
	if err != nil {
		return nil, err
	}
	seed, err := b.seed(ctx, shape{tasks: b.n(50_000), ready: b.n(20_000)})
	if err != nil {
		return nil, err
	}
	db, err := b.engine.copy(ctx, seed)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, b.engine.drop(db)) }()
	const each = 12
	for range b.runs {
		var ours, theirs, most []float64
		for range each {
			_, took, _, err := once(b.command(ctx, db, greeter))
			if err != nil {
				return nil, err
			}
			theirs = append(theirs, took*1e3)
			out, took, mem, err := once(b.command(ctx, db, tasker, "ready", "--json"))
			if err != nil {
				return nil, err
			}
			if !bytes.Contains(out, []byte(`"tasks":[{`)) {
				return nil, fmt.Errorf("ready answered %.200s", out)
			}
			ours, most = append(ours, took*1e3), append(most, mem)
		}
		wall.add(median(ours), median(theirs))
		memory.add(quantile(most, 1), 60)
	}
	return []*result{wall, memory}, nil
}
