package task_test

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"tasker/internal/task"
)

var (
	ann = task.Actor{Name: "ann", Declared: true, Human: true, Roles: []string{"lead"}}
	bot = task.Actor{Name: "bot", Declared: true, Roles: []string{"dev"}, Capabilities: []string{"go"}, Ceiling: task.Supervised}
)

// recordOf returns a record that declares ann and bot, and asks of agents what the policy says.
func recordOf(p task.Policy) *task.Register {
	p.DeclaresHuman = true
	return &task.Register{Actors: []task.Actor{ann, bot}, Policy: p}
}

// What the files of a process can make of an actor, given a record that declares a human.
func TestRegisterCount(t *testing.T) {
	r := recordOf(task.Policy{})
	held := func(a task.Actor) task.Actor { a.Withheld = true; return a }
	for _, c := range []struct {
		name   string
		here   task.Actor
		wrote  bool
		want   task.Actor
		byFile []string
	}{
		{"a human whom the file drops", task.Actor{Name: "ann"}, true, ann, nil},
		{"a human whom the file makes an agent", task.Actor{Name: "ann", Declared: true, Roles: []string{"dev"}}, true, ann, nil},
		{"a human whom the file gives a role", task.Actor{Name: "ann", Declared: true, Human: true, Roles: []string{"ops"}}, true, task.Actor{Name: "ann", Declared: true, Human: true, Roles: []string{"ops"}}, nil},
		{"an agent that the file makes a human", task.Actor{Name: "bot", Declared: true, Human: true, Roles: []string{"dev"}, Ceiling: task.Supervised}, false, held(task.Actor{Name: "bot", Declared: true, Roles: []string{"dev"}, Ceiling: task.Supervised}), nil},
		{"an agent that the file gives roles", task.Actor{Name: "bot", Declared: true, Roles: []string{"dev", "lead"}, Capabilities: []string{"go", "sql"}, Ceiling: task.Supervised}, false, task.Actor{Name: "bot", Declared: true, Roles: []string{"dev", "lead"}, Capabilities: []string{"go", "sql"}, Ceiling: task.Supervised}, []string{"lead", "sql"}},
		{"an agent whose ceiling the file lifts", task.Actor{Name: "bot", Declared: true, Roles: []string{"dev"}, Capabilities: []string{"go"}}, false, held(bot), nil},
		{"an agent that the file drops keeps its ceiling", task.Actor{Name: "bot"}, false, held(task.Actor{Name: "bot", Declared: true, Ceiling: task.Supervised}), nil},
		{"an agent that the file restricts", task.Actor{Name: "bot", Declared: true, Ceiling: task.HumanOnly}, false, task.Actor{Name: "bot", Declared: true, Ceiling: task.HumanOnly}, nil},
		{"an unknown actor that has written", task.Actor{Name: "new", Declared: true, Human: true, Roles: []string{"lead"}}, true, held(task.Actor{Name: "new", Declared: true, Roles: []string{"lead"}, Ceiling: task.Autonomous}), []string{"lead"}},
		{"a newcomer", task.Actor{Name: "new", Declared: true, Human: true, Roles: []string{"lead"}}, false, task.Actor{Name: "new", Declared: true, Human: true, Roles: []string{"lead"}}, nil},
		{"an undeclared actor that has written", task.Actor{Name: "new"}, true, task.Actor{Name: "new"}, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.here.Instance, c.want.Instance = "3", "3"
			got := r.Count(c.here, c.wrote)
			if got.Record == nil || got.Record.Name != c.here.Name {
				t.Fatalf("it does not know how the record declares it: %+v", got.Record)
			}
			if byFile := got.OnlyByFile(); !slices.Equal(byFile, c.byFile) {
				t.Errorf("by the file alone it has %q, and should have %q", byFile, c.byFile)
			}
			if got.Record = nil; !reflect.DeepEqual(got, c.want) {
				t.Fatalf("it counts as\n%+v, and should count as\n%+v", got, c.want)
			}
			nobody := task.Register{Actors: []task.Actor{bot}}
			if got := nobody.Count(c.here, c.wrote); !reflect.DeepEqual(got, c.here) || nobody.Asks(c.here) {
				t.Errorf("a record without a human decides: %+v", got)
			}
		})
	}
	if r.Asks(task.Actor{Name: "bot", Human: true}) || r.Asks(task.Actor{Name: "new", Roles: []string{"lead"}}) || !r.Asks(task.Actor{Name: "new", Human: true}) {
		t.Fatal("only an actor that the record does not declare, and that the files make a human, depends on the log")
	}
}

// What the layers of a process and the record ask of somebody who claims, ticks, moves, cancels or closes.
func TestTheStricterOfLayersAndRecordIsInForceForAgents(t *testing.T) {
	const byRecord = ", by the policy of record"
	strict := task.Policy{DefaultAutonomy: task.HumanOnly, MayExecute: []string{"dev"}}
	supervised, dev := task.Policy{DefaultAutonomy: task.Supervised}, task.Policy{MayExecute: []string{"dev"}}
	agent, other := task.Actor{Name: "bot", Declared: true, Roles: []string{"dev"}}, task.Actor{Name: "eve", Declared: true}
	open := task.Task{ID: "demo-1", Project: "demo", Status: task.Open}
	for _, c := range []struct {
		name         string
		here, record task.Policy
		by           task.Actor
		refused      string // what keeps the actor from a claim, a tick and a move; empty: nothing
		closing      string // what is missing for a close
	}{
		{"human_only here", strict, task.Policy{}, agent, "human_only", "human_only"},
		{"human_only in the record", task.Policy{}, strict, agent, "human_only" + byRecord, "human_only" + byRecord},
		{"human_only in both", strict, strict, agent, "human_only", "human_only"},
		{"human_only for a human", task.Policy{DefaultAutonomy: task.HumanOnly}, strict, ann, "", ""},
		{"supervised here", supervised, task.Policy{}, agent, "", "supervised: a human closes it, from in_review"},
		{"supervised in the record", task.Policy{}, supervised, agent, "", "supervised: a human closes it, from in_review" + byRecord},
		{"a role here", dev, task.Policy{}, other, "mayExecute: one of dev", "mayExecute: one of dev"},
		{"a role in the record", task.Policy{}, dev, other, "mayExecute: one of dev" + byRecord, "mayExecute: one of dev" + byRecord},
		{"a role that the agent has", dev, dev, agent, "", ""},
		{"a role in the record for a human", task.Policy{}, task.Policy{MayExecute: []string{"ops"}}, ann, "", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			pol := task.InForce(c.here, recordOf(c.record), []task.Actor{ann, bot})
			if !pol.DeclaresHuman || len(pol.Humans) != 1 {
				t.Fatalf("the project declares a human: %v %v", pol.DeclaresHuman, pol.Humans)
			}
			task1 := open
			claim, _, claimErr := task1.ClaimBy(c.by, pol, nil, nil, now)
			_, cancelErr := task1.MoveBy(c.by, pol, task.Move{To: task.Cancelled}, task.Standing{}, now)
			for act, err := range map[string]error{"a claim": claimErr, "work": task1.CheckWork(c.by, pol, now), "routing": pol.MayHold(c.by, "", nil), "cancelling": cancelErr} {
				supervised := act == "cancelling" && strings.HasPrefix(c.closing, "supervised")
				if (err != nil) != (c.refused != "" || supervised) {
					t.Errorf("%s: %v", act, err)
				}
				if err != nil && strings.HasSuffix(c.refused, byRecord) && act != "cancelling" && !strings.Contains(err.Error(), "by the policy of record") {
					t.Errorf("%s: the refusal does not say who asks: %v", act, err)
				}
			}
			if (claim != nil) != (c.refused == "") {
				t.Errorf("claimed: %+v", claim)
			}
			if got := strings.Join(task1.ObstaclesFor(c.by, pol, task.Standing{}).Missing(), "|"); got != c.closing {
				t.Errorf("missing for a close: %q, want %q", got, c.closing)
			}
			if !pol.RoutesAs(pol) || pol.RoutesAs(task.InForce(c.here, recordOf(task.Policy{MayExecute: []string{"x"}}), nil)) {
				t.Error("two selections are taken for alike, or one for different from itself")
			}
			undeclared := recordOf(c.record)
			undeclared.Policy.DeclaresHuman = false
			if got := task.InForce(c.here, undeclared, nil); got.Record != nil || got.DeclaresHuman {
				t.Errorf("a record without a human asks for something: %+v", got)
			}
		})
	}
}

func TestARoleThatOnlyAFileGivesApprovesNothing(t *testing.T) {
	here := ann
	here.Roles = []string{"lead", "ops"}
	counts := recordOf(task.Policy{}).Count(here, true)
	work := task.Task{ID: "demo-1", Project: "demo"}
	given, err := work.ApproveBy(counts, "", "")
	if err != nil || !slices.Equal(given.Roles, []string{"lead"}) {
		t.Errorf("the approval counts for %v %v", given.Roles, err)
	}
	if _, err := work.ApproveBy(counts, "", "ops"); err == nil {
		t.Error("it approves by a role that only a file gives")
	}
	if _, err := work.ApproveBy(here, "", "ops"); err != nil {
		t.Error(err)
	}
}
