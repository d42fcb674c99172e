package main

import (
	"encoding/json"
	"fmt"
	"strings"
)

// plan is work for an agent: a repository to begin with, tasks, and what only this program knows about them.
type plan struct {
	name   string // as PLAN names it
	about  string // what it is, after "a plan of"
	readme string
	files  map[string]string // more files of the repository, by path
	jobs   []job
}

// plans are all plans. The first one is used if none is named.
var plans = []plan{programs, traps}

// named returns the plan with a name. Its error lists the plans.
func named(name string) (plan, error) {
	if name == "" {
		return plans[0], nil
	}
	for _, p := range plans {
		if p.name == name {
			return p, nil
		}
	}
	return plan{}, fmt.Errorf("there is no plan %q: %s", name, choice())
}

// choice lists the plans.
func choice() string {
	names := make([]string, len(plans))
	for i, p := range plans {
		names[i] = p.name + " (" + p.about + ")"
	}
	return strings.Join(names, ", ")
}

// job is a task of a plan: a small program to write, what it must do, and what its author does not see.
type job struct {
	name     string // of the program bin/NAME, and the task's key
	title    string
	body     string
	criteria []string
	deps     []string
	autonomy string

	// What only this program knows.
	checks  []check
	looks   []look
	shown   map[int]string // criteria that not every run shows: what such a run, or the tests of the task, must name
	answer  string         // what the person says if an agent asks about it
	because string         // what the person says if it is handed over and a check fails
}

// byPeople reports whether only a person may do the task.
func (j job) byPeople() bool { return j.autonomy == "human_only" }

// check is one run of the program: its arguments and standard input, what it must print, and its exit code.
type check struct {
	criterion int // that it is about; 0 for none in particular
	args      []string
	input     string
	want      string // without the last line break
	code      int    // that it must end with, if it is not 0
}

func with(args ...string) check { return check{args: args} }

func reading(input string, args ...string) check { return check{args: args, input: input} }

func (c check) prints(want string) check { c.want = want; return c }

func (c check) ends(code int) check { c.code = code; return c }

func (c check) of(criterion int) check { c.criterion = criterion; return c }

// look is a check of a file of the repository.
type look struct {
	criterion int
	path      string
	has, not  string // what the file must contain, in small letters, and what it must not
}

// runner runs all tests of the repository. It is the command that the gate asks for.
const runner = `#!/bin/sh
# Runs each tests/*.sh from the root of the repository. A test with a line that begins with "# skip:" is passed over.
passed=0 failed=0
skip=$(grep -ls '^# skip:' tests/*.sh)
for t in tests/*.sh; do
	case " $(echo $skip) " in *" $t "*) echo "skipped $t" && continue ;; esac
	if (. "./$t"); then
		passed=$((passed + 1))
	else
		echo "FAILED $t" && failed=$((failed + 1))
	fi
done
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
`

// runAll runs the tests, and gateKind is the evidence that the gate of every plan asks for: this very command.
const (
	runAll   = "sh tests/run"
	gateKind = "$ " + runAll
)

// person is who wrote the plan, answers and reviews. Declaring one means that no agent can loosen anything.
const person = "ann"

// settings is the configuration of the repository.
const settings = `{
  "version": 1,
  "project": "field",
  "gates": {"tested": ["` + gateKind + `"]},
  "actors": [{"name": "` + person + `", "kind": "human"}]
}
`

// document returns the plan as an apply document.
func (p plan) document() ([]byte, error) {
	type item struct {
		Key      string   `json:"key"`
		Title    string   `json:"title"`
		Body     string   `json:"body"`
		Gate     string   `json:"gate,omitempty"`
		Touches  []string `json:"touches,omitempty"`
		Autonomy string   `json:"autonomy,omitempty"`
		Criteria []string `json:"criteria"`
		Deps     []string `json:"deps,omitempty"`
	}
	items := make([]item, len(p.jobs))
	for i, j := range p.jobs {
		items[i] = item{Key: j.name, Title: j.title, Body: j.body, Autonomy: j.autonomy, Criteria: j.criteria, Deps: j.deps}
		if !j.byPeople() {
			items[i].Gate, items[i].Touches = "tested", []string{"bin/" + j.name, "tests/" + j.name + "*"}
			for _, l := range j.looks {
				items[i].Touches = append(items[i].Touches, l.path)
			}
		}
	}
	return json.MarshalIndent(map[string]any{"project": "field", "name": "Field kit", "tasks": items}, "", "  ")
}
