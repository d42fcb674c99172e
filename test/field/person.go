package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// deed is one line of DIR/person.jsonl: what the person did.
type deed struct {
	What string `json:"what"` // answered, returned, closed
	Task string `json:"task"` // the key
}

// patienceOfPerson is how often the person returns a task before leaving it.
const patienceOfPerson = 3

// act does what the person of the plan would do now: answer what an agent asks, close what is handed over for review and
// passes the checks, and return what does not. A plan in which nobody has anything to say has no person.
func (p plan) act(dir, program string) {
	if !p.peopled() {
		return
	}
	s := session{plan: p, dir: dir, program: program}
	var inbox struct {
		Items []struct {
			ID, Kind, Task, Status string
		}
	}
	if err := s.read(&inbox, "inbox", "--json"); err != nil {
		fmt.Fprintln(os.Stderr, "field:", err)
		return
	}
	for _, item := range inbox.Items {
		switch {
		case item.Kind == "blocking_question":
			s.answers(item.Task, item.ID[strings.LastIndex(item.ID, ":")+1:])
		case item.Kind == "review" && item.Status == "in_review":
			s.reviews(item.Task)
		}
	}
}

// peopled reports whether the person has something to do in the plan.
func (p plan) peopled() bool {
	for _, j := range p.jobs {
		if j.answer != "" || j.because != "" {
			return true
		}
	}
	return false
}

// session is a look at an agent's directory as its person.
type session struct {
	plan    plan
	dir     string
	program string
}

// do runs tasker as the person, and returns what it printed.
func (s session) do(args ...string) ([]byte, error) {
	cmd := in(s.dir, person, append([]string{s.program}, args...)...)
	cmd.Stderr = nil // whatever is refused to the person is nothing that the agent is to read
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("tasker %s as %s: %w", strings.Join(args, " "), person, err)
	}
	return out, nil
}

func (s session) read(to any, args ...string) error {
	out, err := s.do(args...)
	if err != nil {
		return err
	}
	return json.Unmarshal(out, to)
}

// of returns the job of a task.
func (s session) of(id string) (job, bool) {
	var shown struct {
		Task struct{ Key string }
	}
	if err := s.read(&shown, "show", id, "--json"); err != nil {
		return job{}, false
	}
	for _, j := range s.plan.jobs {
		if j.name == shown.Task.Key {
			return j, true
		}
	}
	return job{}, false
}

func (s session) did(what string, j job) {
	appendLine(filepath.Join(s.dir, "person.jsonl"), deed{what, j.name})
}

func (s session) answers(id, question string) {
	j, ok := s.of(id)
	if !ok {
		return
	}
	text := j.answer
	if text == "" {
		text = "The text of the task is all that there is to say about it."
	}
	if _, err := s.do("answer", question, text, "--quiet"); err == nil {
		s.did("answered", j)
	}
}

func (s session) reviews(id string) {
	j, ok := s.of(id)
	if !ok {
		return
	}
	why := j.because
	if len(j.failures(filepath.Join(s.dir, "repo"))) == 0 {
		if _, err := s.do("done", id, "--quiet"); err == nil {
			s.did("closed", j)
			return
		}
		why = "not everything is there that it needs before it can be closed"
	}
	if why == "" {
		why = "it does not do what the task says"
	}
	deeds, err := lines[deed](filepath.Join(s.dir, "person.jsonl"))
	returns := 0
	for _, d := range deeds {
		if d == (deed{"returned", j.name}) {
			returns++
		}
	}
	if err != nil || returns >= patienceOfPerson {
		return
	}
	if _, err := s.do("return", id, "--because", why, "--quiet"); err == nil {
		s.did("returned", j)
	}
}
