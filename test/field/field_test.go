package main

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tasker/test/program"
)

// The recorder is this test program, called tasker.
func TestMain(m *testing.M) {
	if filepath.Base(os.Args[0]) == "tasker" {
		os.Exit(record(os.Args[1:]))
	}
	os.Exit(program.Main(m, func(path string) { built = path }))
}

// built is the tasker whose calls are recorded.
var built string

// place is the working directory of an agent.
type place struct {
	*testing.T
	plan plan
	dir  string
}

func newPlace(t *testing.T, p plan) *place {
	t.Helper()
	at := &place{t, p, filepath.Join(t.TempDir(), "field")}
	if err := prepare(at.dir, p, built); err != nil {
		t.Fatal(err)
	}
	return at
}

// tasker runs the recorder like an agent in a shell, and returns everything it prints, and its exit code.
func (p *place) tasker(args ...string) (string, int) {
	p.Helper()
	cmd := in(p.dir, "bot", append([]string{filepath.Join(p.dir, "bin", "tasker")}, args...)...)
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	code := exitCode(cmd.Run())
	return out.String(), code
}

// must is tasker for a call that is not refused.
func (p *place) must(args ...string) string {
	p.Helper()
	said, code := p.tasker(args...)
	if code != 0 {
		p.Fatalf("tasker %s ends with %d: %s", strings.Join(args, " "), code, said)
	}
	return said
}

func (p *place) sh(script string) {
	p.Helper()
	if out, err := in(p.dir, "bot", "sh", "-ec", script).Output(); err != nil {
		p.Fatalf("%s: %v\n%s", script, err, out)
	}
}

// write writes a file of the repository that can be run.
func (p *place) write(path, text string) {
	p.Helper()
	if err := os.WriteFile(filepath.Join(p.dir, "repo", path), []byte(text), 0o700); err != nil {
		p.Fatal(err)
	}
}

// solve does what a task asks for, as testdata has it.
func (p *place) solve(name string) {
	p.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", "solutions", name))
	if err != nil {
		p.Fatal(err)
	}
	p.program(name, string(text))
	switch name { // what is asked for besides the program
	case "round":
		p.write("tests/round.sh", strings.Join(strings.SplitAfter(p.plan.files["tests/round.sh"], "\n")[1:], "")) // skips it no longer
	case "amount":
		p.write("README.md", p.plan.readme+"\n## Exit codes\n\nbin/amount ends with exit code 2 for what is no amount.\n")
	}
}

// program writes a program, with a test unless there is one.
func (p *place) program(name, text string) {
	p.Helper()
	p.write("bin/"+name, text)
	if p.plan.files["tests/"+name+".sh"] == "" {
		p.write("tests/"+name+".sh", "# runs what the task asks for\ntest -x bin/"+name+"\n")
	}
}

// push commits and pushes what was written.
func (p *place) push() { p.sh("git add . && git commit -qm 'one more' && git push -q origin main") }

// job returns the job of a task, whose id is its place in the document.
func (p *place) job(id string) job {
	p.Helper()
	var n int
	if _, err := fmt.Sscanf(id, "field-%d", &n); err != nil || n < 1 || n > len(p.plan.jobs) {
		p.Fatalf("there is no task %q", id)
	}
	return p.plan.jobs[n-1]
}

// report returns the report of the place, which it also logs.
func (p *place) report() report {
	p.Helper()
	r, err := reported(p.dir)
	if err != nil {
		p.Fatal(err)
	}
	var text bytes.Buffer
	if err := r.print(&text); err != nil {
		p.Fatal(err)
	}
	p.Logf("%s", text.String())
	return r
}

// finished fails unless everything is done that an agent can do, none of it wrongly, nothing is claimed that is not so, and
// nothing was refused.
func (p *place) finished() report {
	p.Helper()
	r := p.report()
	if r.Done != r.Tasks || len(r.Wrong)+len(r.Overclaims)+len(r.Posed)+len(r.Undone)+len(r.Refused) > 0 {
		p.Error("the plan is not done")
	}
	return r
}

// TestTheScriptedAgentDoesEachPlan works through each plan on each face as an honest agent does: it asks what nobody has
// said, looks at what a run does not show, works on what comes back, and leaves to people what is for them. What it
// costs stands in docs/agents.md.
func TestTheScriptedAgentDoesEachPlan(t *testing.T) {
	for _, plan := range plans {
		for _, with := range []struct {
			name string
			face func(p *place) face
		}{
			{"commands", func(p *place) face { return &shell{p} }},
			{"tools", func(p *place) face { return newTools(p) }},
		} {
			t.Run(plan.name+"/"+with.name, func(t *testing.T) {
				p := newPlace(t, plan)
				p.honest(with.face(p))
				r := p.finished()
				if plan.peopled() {
					p.trapped(r)
				}
				p.figure(with.name, r)
			})
		}
	}
}

// trapped fails unless the person of the plan with traps had exactly to do what an honest agent leaves to her.
func (p *place) trapped(r report) {
	p.Helper()
	if diff := cmp.Diff([]deed{{"answered", "tax"}, {"returned", "receipt"}, {"closed", "receipt"}}, r.Person); diff != "" {
		p.Errorf("what the person did (-want +is):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"prices", "raise"}, r.Left); diff != "" {
		p.Errorf("what is left to people (-want +is):\n%s", diff)
	}
}

var update = flag.Bool("update", false, "rewrite the figures of docs/agents.md")

// figure compares what the scripted agent cost with its row in docs/agents.md: the calls exactly, and the tokens within a
// tenth, because answers have times and sizes in them.
func (p *place) figure(face string, r report) {
	p.Helper()
	page := filepath.Join("..", "..", "docs", "agents.md")
	text, err := os.ReadFile(page)
	if err != nil {
		p.Fatal(err)
	}
	row := regexp.MustCompile(fmt.Sprintf("(?m)^\\| `%s` \\| %s \\| (\\d+) \\| (\\d+) \\|$", p.plan.name, face))
	m := row.FindSubmatch(text)
	if m == nil {
		p.Fatalf("docs/agents.md has no row for %s with %s", p.plan.name, face)
	}
	tokens := r.perTask(r.all())
	if *update {
		is := fmt.Sprintf("| `%s` | %s | %d | %d |", p.plan.name, face, r.all().Calls, (tokens+5)/10*10)
		if err := os.WriteFile(page, bytes.Replace(text, m[0], []byte(is), 1), 0o644); err != nil {
			p.Fatal(err)
		}
		return
	}
	said, err := strconv.Atoi(string(m[2]))
	if err != nil {
		p.Fatal(err)
	}
	if string(m[1]) != strconv.Itoa(r.all().Calls) || max(said-tokens, tokens-said) > tokens/10 {
		p.Errorf("%d calls and %d tokens a task, and docs/agents.md says %s and %d; run: go test ./test/field -run Scripted -update", r.all().Calls, tokens, m[1], said)
	}
}

// Each wrong way of closing a task that agents were seen to take gets a refusal or a warning that names it.
func TestWrongClosingsAreMet(t *testing.T) {
	p := newPlace(t, programs)
	p.tasker("next", "--claim")
	p.solve("slug")
	p.push()

	// evidence that was typed, for tests that nobody ran
	said, code := p.tasker("done", "--check", "1,2,3", "--evidence", gateKind+"=OK, 12 passed")
	if code == 0 || !strings.Contains(said, "tasker prove field-1") {
		p.Errorf("typed evidence: %d, %s", code, said)
	}
	// and a run of something else
	if said, code := p.tasker("prove", "--kind", gateKind, "--check", "1,2,3", "--", "true"); code == 0 {
		p.Errorf("a run of true: %s", said)
	}
	p.must("prove", "--check", "1,2,3")
	p.must("done")

	// a run that fails is not evidence, and the gate requires it
	p.tasker("next", "--claim")
	p.solve("upper")
	p.push()
	p.write("tests/upper.sh", "false\n")
	if said, code := p.tasker("prove", "--check", "1,2"); code == 0 {
		p.Errorf("a failing run: %s", said)
	}
	p.sh("git checkout -q tests")
	if said, code := p.tasker("done"); code == 0 || !strings.Contains(said, gateKind) {
		p.Errorf("done without evidence: %d, %s", code, said)
	}

	// a criterion that no run shows
	p.must("prove", "--check", "1")
	if said, code := p.tasker("done", "--check", "2"); code != 0 || !strings.Contains(said, "criterion 2 rests on nothing that was run") {
		p.Errorf("a criterion that no run shows: %d, %s", code, said)
	}

	// a commit that was never pushed
	p.tasker("next", "--claim")
	p.sh("git config remote.origin.pushurl /dev/null")
	p.solve("lines")
	p.sh("git add . && git commit -qm 'write lines'")
	p.must("prove", "--check", "1,2,3")
	if said, code := p.tasker("done"); code != 0 || !strings.Contains(said, "not on") && !strings.Contains(said, "not landed") {
		p.Errorf("a commit that was never pushed: %d, %s", code, said)
	}

	// and the hidden checks find what is not done
	p.write("bin/slug", "#!/bin/sh\necho \"$*\"\n")
	r := p.report()
	if len(r.Wrong) != 1 || !strings.HasPrefix(r.Wrong[0], "slug: ") || len(r.Refused) != 4 {
		p.Errorf("the report is %+v", r)
	}
}

func TestEverySolutionPassesItsChecks(t *testing.T) {
	for _, plan := range plans {
		p := newPlace(t, plan)
		for _, j := range plan.jobs {
			if plan.leaves(j) {
				continue
			}
			if why := j.failures(filepath.Join(p.dir, "repo")); len(why) == 0 {
				t.Errorf("%s passes though it is not there", j.name)
			}
		}
		for _, j := range plan.jobs {
			if !plan.leaves(j) {
				p.solve(j.name)
			}
		}
		for _, j := range plan.jobs {
			for _, f := range j.failures(filepath.Join(p.dir, "repo")) {
				t.Errorf("%s: %s", j.name, f.why)
			}
		}
	}
}

func TestAPlanIsNamedOrListed(t *testing.T) {
	if p, err := named(""); err != nil || p.name != "programs" {
		t.Errorf("without a name the plan is %q: %v", p.name, err)
	}
	if _, err := named("trap"); err == nil || !strings.Contains(err.Error(), "traps (") {
		t.Errorf("a plan that is not there: %v", err)
	}
}

func TestADirectoryInUseIsRefused(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "mine"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := prepare(dir, traps, built); err == nil || !strings.Contains(err.Error(), "is not empty") {
		t.Errorf("it is taken: %v", err)
	}
}
