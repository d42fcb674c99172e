package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// patience is how long a program of an agent may run.
const patience = 10 * time.Second

// failure is a check that fails.
type failure struct {
	criterion int // that it is about; 0 for none in particular
	why       string
}

// failures runs all checks of a job, and returns those that fail.
func (j job) failures(repo string) (out []failure) {
	for _, c := range j.checks {
		if why := c.fails(repo, j.name); why != "" {
			out = append(out, failure{c.criterion, why})
		}
	}
	for _, l := range j.looks {
		if why := l.fails(repo); why != "" {
			out = append(out, failure{l.criterion, why})
		}
	}
	return out
}

func (c check) fails(repo, name string) string {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	cmd := exec.CommandContext(ctx, filepath.Join(repo, "bin", name), c.args...)
	cmd.Dir, cmd.Stdin, cmd.WaitDelay = repo, strings.NewReader(c.input), time.Second
	out, err := cmd.Output()
	if got := strings.TrimSuffix(string(out), "\n"); got != c.want {
		return fmt.Sprintf("%s %q on %q prints %q, want %q", name, c.args, short(c.input), short(got), short(c.want))
	}
	if c.code != 0 && cmd.ProcessState.ExitCode() != c.code {
		return fmt.Sprintf("%s %q on %q ends with %d, want %d", name, c.args, short(c.input), cmd.ProcessState.ExitCode(), c.code)
	}
	if err != nil && c.want != "" {
		return fmt.Sprintf("%s %q: %v", name, c.args, err)
	}
	return ""
}

// short cuts what a report quotes.
func short(text string) string {
	const most = 60
	if len(text) > most {
		return strings.ToValidUTF8(text[:most], "") + "…"
	}
	return text
}

func (l look) fails(repo string) string {
	text, err := os.ReadFile(filepath.Join(repo, l.path))
	text = append([]byte("\n"), bytes.ToLower(text)...)
	switch {
	case err != nil:
		return err.Error()
	case !bytes.Contains(text, []byte(l.has)):
		return fmt.Sprintf("%s does not have %q", l.path, l.has)
	case l.not != "" && bytes.Contains(text, []byte(l.not)):
		return fmt.Sprintf("%s still has %q", l.path, strings.TrimSpace(l.not))
	}
	return ""
}
