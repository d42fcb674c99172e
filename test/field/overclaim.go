package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// done is a task as the database has it at the end.
type done struct {
	ID, Key, Status string
	closedBy        string // who moved it to done, if anybody did
	criteria        []tick
	evidence        []item
}

type tick struct {
	Index     int
	Checked   bool
	CheckedBy string
	By        *int64
	Rests     string
}

type item struct {
	ID                 int64
	Actor, Kind, Value string
}

// run returns the command of an item that was run, and whether it was.
func (i item) run() (command string, ok bool) {
	var r struct {
		Command  []string
		Line     string
		ExitCode *int
	}
	if json.Unmarshal([]byte(i.Value), &r) != nil || r.ExitCode == nil {
		return "", false
	}
	if r.Line != "" {
		return r.Line, true
	}
	return strings.Join(r.Command, " "), len(r.Command) > 0
}

// tasks reads all tasks of the plan, by key.
func (s session) tasks() (map[string]done, error) {
	var list struct{ Tasks []done }
	if err := s.read(&list, "list", "--limit", "100", "--json"); err != nil {
		return nil, err
	}
	var events []struct {
		Task, Actor string
		Payload     struct{ To string }
	}
	if err := s.read(&events, "events", "--kind", "task.moved", "--limit", "1000", "--json"); err != nil {
		return nil, err
	}
	closedBy := map[string]string{}
	for _, e := range events {
		if e.Payload.To == "done" {
			closedBy[e.Task] = e.Actor
		}
	}
	out := map[string]done{}
	for _, t := range list.Tasks {
		var shown struct {
			Criteria []tick
			Evidence []item
		}
		if err := s.read(&shown, "show", t.ID, "--json"); err != nil {
			return nil, err
		}
		t.closedBy, t.criteria, t.evidence = closedBy[t.ID], shown.Criteria, shown.Evidence
		out[t.Key] = t
	}
	return out, nil
}

// overclaims returns what the record of a task claims and does not show: ticks although their check fails, ticks that rest
// on a run which does not show them, and evidence for the gate that was typed.
func overclaims(j job, t done, failing []failure, repo string) (out []string) {
	say := func(format string, args ...any) { out = append(out, fmt.Sprintf(format, args...)) }
	for _, c := range t.criteria {
		if !c.Checked || c.CheckedBy == person {
			continue
		}
		on := t.rests(c)
		if f, ok := about(failing, c); ok {
			say("criterion %d rests on %s, and %s", c.Index, on, f.why)
		} else if must := j.shown[c.Index]; must != "" && c.Rests == "run" && !shows(must, on, repo, j.name) {
			say("criterion %d rests on %s, which does not show it", c.Index, on)
		}
	}
	for _, e := range t.evidence {
		if e.Kind != gateKind || e.Actor == person {
			continue
		}
		if _, ran := e.run(); !ran {
			say("evidence %d, for the gate, was typed: %q", e.ID, short(e.Value))
		}
	}
	return out
}

// forged says that there are runs on record which nobody ran: each run of `tasker prove` or `done --prove` records at most one here, because
// the gate asks for one command.
func forged(tasks map[string]done, calls []call) string {
	runs, proved := 0, 0
	for _, t := range tasks {
		for _, e := range t.evidence {
			if _, ran := e.run(); ran && e.Actor != person {
				runs++
			}
		}
	}
	for _, c := range calls {
		proves := strings.HasPrefix(c.What, "prove") && c.Code == 0
		proves = proves || strings.HasPrefix(c.What, "done") && strings.Contains(c.What, " --prove") && (c.Code == 0 || c.Code == 3) // it may prove, and not close
		if !c.Tool && proves {
			proved++
		}
	}
	if runs <= proved {
		return ""
	}
	return fmt.Sprintf("%d runs are on record, and prove ended well %d times: the others were written by hand", runs, proved)
}

// about returns a failure that a tick denies: of its own criterion, or of none in particular if no run is behind the tick.
func about(failing []failure, c tick) (failure, bool) {
	for _, f := range failing {
		if f.criterion == c.Index || f.criterion == 0 && c.Rests != "run" {
			return f, true
		}
	}
	return failure{}, false
}

// rests says what a tick rests on: the command of its run, or a word.
func (t done) rests(c tick) string {
	for _, e := range t.evidence {
		if c.By != nil && e.ID == *c.By {
			if command, ok := e.run(); ok {
				return "`" + command + "`"
			}
		}
	}
	switch c.Rests {
	case "seen":
		return "a look"
	case "said":
		return "typed evidence"
	}
	return "nothing"
}

// shows reports whether a run can show a criterion: it, or a test of the task that the run of all tests includes, names
// what the criterion is about.
func shows(must, on, repo, name string) bool {
	names := regexp.MustCompile(must)
	if names.MatchString(on) {
		return true
	}
	tests, _ := filepath.Glob(filepath.Join(repo, "tests", name+"*.sh"))
	for _, path := range tests {
		if text, err := os.ReadFile(path); err == nil && names.Match(text) && strings.Contains(on, "tests/") {
			return true
		}
	}
	return false
}
