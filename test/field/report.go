package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// report is what an agent did, and what it cost.
type report struct {
	Tasks    int      // of the plan
	Done     int      // closed as done
	Wrong    []string // closed as done although a check fails, with the check
	Undone   []string // not closed
	Calls    int
	Refusals int
	Tokens   int // of everything that was answered, at four bytes each
	Dearest  []call
}

// reported reads the ledger of an agent's directory, asks the database which tasks are done, and runs their checks.
func reported(dir string) (report, error) {
	r := report{Tasks: len(jobs)}
	if err := r.ledger(filepath.Join(dir, "calls.jsonl")); err != nil {
		return r, err
	}
	program, err := os.ReadFile(filepath.Join(dir, "real"))
	if err != nil {
		return r, fmt.Errorf("%s is no place of an agent: make one with field prepare: %w", dir, err)
	}
	cmd := in(dir, "ann", string(program), "list", "--limit", "100", "--json")
	text, err := cmd.Output()
	if err != nil {
		return r, err
	}
	var list struct {
		Tasks []struct {
			Key    string `json:"key"`
			Status string `json:"status"`
		} `json:"tasks"`
	}
	if err := json.Unmarshal(text, &list); err != nil {
		return r, err
	}
	status := map[string]string{}
	for _, t := range list.Tasks {
		status[t.Key] = t.Status
	}
	for _, j := range jobs {
		if status[j.name] != "done" {
			r.Undone = append(r.Undone, j.name+" ("+status[j.name]+")")
			continue
		}
		r.Done++
		if why := j.fails(filepath.Join(dir, "repo")); why != "" {
			r.Wrong = append(r.Wrong, j.name+": "+why)
		}
	}
	return r, nil
}

// ledger counts what the recorder wrote.
func (r *report) ledger(path string) error {
	f, err := os.Open(path)
	if os.IsNotExist(err) {
		return nil // nobody called anything
	}
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }()
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<20)
	bytes := 0
	for lines.Scan() {
		var c call
		if err := json.Unmarshal(lines.Bytes(), &c); err != nil {
			return fmt.Errorf("%s cannot be read: %w", path, err)
		}
		r.Calls++
		bytes += c.Bytes
		if c.Code != 0 {
			r.Refusals++
		}
		r.dear(c)
	}
	r.Tokens = bytes / 4
	return lines.Err()
}

// dear stores a call if it is among the five with the longest answers.
func (r *report) dear(c call) {
	at := len(r.Dearest)
	for at > 0 && r.Dearest[at-1].Bytes < c.Bytes {
		at--
	}
	if at >= 5 {
		return
	}
	r.Dearest = append(r.Dearest[:at], append([]call{c}, r.Dearest[at:]...)...)
	r.Dearest = r.Dearest[:min(len(r.Dearest), 5)]
}

// patience is how long a program of an agent may run.
const patience = 10 * time.Second

// fails runs the checks of a job, and says which one fails.
func (j job) fails(repo string) string {
	for _, c := range j.checks {
		ctx, cancel := context.WithTimeout(context.Background(), patience)
		cmd := exec.CommandContext(ctx, filepath.Join(repo, "bin", j.name), c.args...)
		cmd.Dir, cmd.Stdin, cmd.WaitDelay = repo, strings.NewReader(c.input), time.Second
		out, err := cmd.Output()
		cancel()
		if got := strings.TrimSuffix(string(out), "\n"); got != c.want {
			return fmt.Sprintf("%s %q on %q prints %q, want %q", j.name, c.args, c.input, got, c.want)
		}
		if err != nil && c.want != "" {
			return fmt.Sprintf("%s %q: %v", j.name, c.args, err)
		}
	}
	return ""
}

func (r report) print(out io.Writer) error {
	var b strings.Builder
	say := func(format string, args ...any) { b.WriteString(fmt.Sprintf(format, args...)) }
	say("tasks done          %d of %d\n", r.Done, r.Tasks)
	say("closed wrongly      %d\n", len(r.Wrong))
	for _, why := range r.Wrong {
		say("  %s\n", why)
	}
	if len(r.Undone) > 0 {
		say("not closed          %s\n", strings.Join(r.Undone, ", "))
	}
	say("calls               %d\n", r.Calls)
	say("refusals            %d\n", r.Refusals)
	say("tokens              %d, %d a task\n", r.Tokens, r.Tokens/max(r.Done, 1))
	for _, c := range r.Dearest {
		say("  %6d  %s\n", c.Bytes/4, strings.Join(strings.Fields(c.What), " "))
	}
	_, err := io.WriteString(out, b.String())
	return err
}
