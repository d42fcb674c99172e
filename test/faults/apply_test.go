package faults

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// bigTasks is the size of the plan whose apply is killed, and bigRounds is how often, per database.
var bigTasks, bigRounds = often(600, 5000), often(4, 10)

// big returns a plan whose tasks are connected in every way that leaves rows behind.
func big(slug string) string {
	var b strings.Builder
	b.WriteString(`{"project": "` + slug + `", "gates": {"ship": ["test"]}, "tasks": [`)
	for i := range bigTasks {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, `{"key": "k%d", "title": "Task %d", "body": "What to do about %d", "gate": "ship", "criteria": ["it works"]`, i, i, i)
		if i%3 > 0 {
			fmt.Fprintf(&b, `, "deps": ["k%d"], "parent": "k%d"`, i-1, i-i%3)
		}
		if i%10 == 0 {
			b.WriteString(`, "evidence": [{"kind": "test", "value": "seen"}]`)
		}
		b.WriteByte('}')
	}
	b.WriteString(`]}`)
	return b.String()
}

func TestAKilledApplyLeavesAllOrNothing(t *testing.T) {
	t.Parallel()
	each(t, func(w *world) {
		w.apply(flat("demo", 3))
		before := w.rows()
		took, log := w.watchApply("whole")
		whole := grown(before, w.rows())
		delete(whole, "turn.at")
		if whole["task"] != int64(bigTasks) || whole["event"] != whole["turn.event_id"] || whole["frontier"] == 0 || whole["dep"] == 0 {
			w.Fatalf("the plan alone grows the tables by %v", whole)
		}
		die := rand.New(rand.NewPCG(6, 6))
		left := map[bool]int{}
		for i := range bigRounds {
			slug := fmt.Sprintf("big-%d", i)
			before := w.rows()
			var acknowledged bool
			if i%2 == 0 {
				acknowledged = w.killServing(slug, took/4+time.Duration(die.Int64N(int64(took)*5/4)))
			} else {
				acknowledged = w.killApplying(slug, took/4+time.Duration(die.Int64N(int64(took)*5/4)), die.Int64N(max(log, 1)))
			}
			more := grown(before, w.rows())
			delete(more, "turn.at")
			switch {
			case len(more) == 0 && acknowledged:
				w.Fatalf("%s was acknowledged, and nothing of it is stored", slug)
			case len(more) != 0 && !maps.Equal(more, whole):
				w.Fatalf("%s was killed and left %v; all of it is %v", slug, more, whole)
			}
			left[len(more) > 0]++
			if len(more) > 0 {
				w.tasker("ann", "doctor", "-p", slug, "--json")
			}
		}
		w.healthy()
		w.Logf("an apply takes %s; of %d that were killed, %d left all and %d nothing", took.Round(time.Millisecond), bigRounds, left[true], left[false])
	})
}

// watchApply runs the command to its end, and returns how long it takes and how large the write-ahead log becomes.
func (w *world) watchApply(slug string) (took time.Duration, log int64) {
	w.Helper()
	w.write(slug)
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	cmd := w.command(ctx, "ann", "apply", "-f", slug+".json", "--quiet")
	var complaint bytes.Buffer
	cmd.Stderr = &complaint
	began := time.Now()
	w.must(cmd.Start())
	over := make(chan error, 1)
	go func() { over <- cmd.Wait() }()
	for {
		select {
		case err := <-over:
			if err != nil {
				w.Fatalf("the plan is refused: %v: %s", err, complaint.String())
			}
			return time.Since(began), log
		case <-time.After(time.Millisecond): // a look, not a wait
			log = max(log, w.log())
		}
	}
}

func (w *world) write(slug string) {
	w.Helper()
	w.must(os.WriteFile(filepath.Join(w.dir, slug+".json"), []byte(big(slug)), 0o600))
}

// log returns the length of the write-ahead log next to the file.
func (w *world) log() int64 {
	if info, err := os.Stat(w.db + "-wal"); err == nil {
		return info.Size()
	}
	return 0
}

// killApplying kills a command that applies: when a given size of the log is written, which is in the middle of the
// commit, or after some time if there is no log file.
func (w *world) killApplying(slug string, after time.Duration, log int64) (acknowledged bool) {
	w.Helper()
	w.write(slug)
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	cmd := w.command(ctx, "ann", "apply", "-f", slug+".json", "--quiet")
	w.must(cmd.Start())
	over := make(chan error, 1)
	go func() { over <- cmd.Wait() }()
	if w.postgres() {
		select {
		case err := <-over:
			return err == nil
		case <-time.After(after):
		}
	}
	for !w.postgres() && w.log() <= log {
		select {
		case err := <-over:
			return err == nil
		case <-time.After(100 * time.Microsecond): // a look, not a wait
		}
	}
	_ = cmd.Process.Kill()
	return <-over == nil
}

// killServing kills a server some time after it was sent a plan.
func (w *world) killServing(slug string, after time.Duration) (acknowledged bool) {
	w.Helper()
	s := w.serve("bot")
	answered := make(chan bool, 1)
	go func() {
		r, err := s.call(who{}, "/v1/apply", []byte(big(slug)))
		if err == nil && r.status != 201 {
			w.Errorf("the plan is answered with %d: %s", r.status, r.body)
		}
		answered <- err == nil
	}()
	select {
	case acknowledged = <-answered:
	case <-time.After(after):
		s.kill()
		acknowledged = <-answered
	}
	s.kill()
	return acknowledged
}

func TestARefusedApplyLeavesNoTrace(t *testing.T) {
	t.Parallel()
	fine := strings.TrimSuffix(flat("demo", 200), "]}") // the first two exist
	each(t, func(w *world) {
		w.apply(flat("demo", 2))
		s := w.serve("bot")
		s.post(who{instance: "1"}, "/v1/tasks/demo-2/claim", object{}, nil)
		before := w.rows()
		for name, plan := range map[string]string{
			"no JSON":                  fine,
			"text after the document":  fine + `]} {}`,
			"an unknown name":          fine + `], "task": []}`,
			"an unknown name below":    fine + `, {"key": "x", "title": "X", "dependsOn": []}]}`,
			"a duplicate key":          fine + `, {"key": "k7", "title": "again"}]}`,
			"a reference to nothing":   fine + `, {"key": "x", "title": "X", "deps": ["nowhere"]}]}`,
			"a cycle":                  fine + `, {"key": "x", "title": "X", "deps": ["y"]}, {"key": "y", "title": "Y", "deps": ["x"]}]}`,
			"a cycle through parents":  fine + `, {"key": "x", "title": "X", "parent": "y"}, {"key": "y", "title": "Y", "parent": "x"}]}`,
			"a priority of 4":          fine + `, {"key": "x", "title": "X", "priority": 4}]}`,
			"a move that is refused":   strings.Replace(fine, `"key": "k1",`, `"key": "k1", "status": "done",`, 1) + `]}`,
			"a move of what is held":   strings.Replace(fine, `"key": "k2",`, `"key": "k2", "status": "cancelled",`, 1) + `]}`,
			"U+0000 in the last title": fine + `, {"key": "x", "title": "X\u0000"}]}`,
		} {
			r, err := s.call(who{}, "/v1/apply", []byte(plan))
			w.must(err)
			if r.status != 422 {
				w.Errorf("%s: %d %s", name, r.status, r.body)
			}
			got, err := w.try("bot", plan, "apply", "-f", "-")
			w.must(err)
			if got.code != 2 && got.code != 3 {
				w.Errorf("%s: the command ended with %d: %s", name, got.code, got.err)
			}
			if more := grown(before, w.rows()); len(more) > 0 {
				w.Errorf("%s: the refused plan left %v", name, more)
			}
		}
		r, err := s.call(who{}, "/v1/apply?dryRun=true", []byte(fine+`]}`))
		w.must(err)
		if more := grown(before, w.rows()); r.status != 200 || len(more) > 0 {
			w.Errorf("a dry run answered %d and left %v", r.status, more)
		}
		w.healthy()
		s.post(who{}, "/v1/apply", []byte(fine+`]}`), nil)
		if more := grown(before, w.rows()); more["task"] != 198 {
			w.Errorf("without a fault the plan leaves %v", more)
		}
	})
}
