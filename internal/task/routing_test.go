package task_test

import (
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/google/go-cmp/cmp"

	"tasker/internal/fault"
	"tasker/internal/task"
)

func TestTheStricterAutonomyCounts(t *testing.T) {
	for _, c := range []struct {
		name     string
		declared task.Opt
		project  task.Autonomy
		ceiling  task.Autonomy
		want     task.Autonomy
	}{
		{"nobody says", "", "", "", task.Autonomous},
		{"the project's for a task that says nothing", "", task.Supervised, "", task.Supervised},
		{"the task's in place of a stricter project's", "autonomous", task.HumanOnly, "", task.Autonomous},
		{"a ceiling that is stricter", "autonomous", "", task.Supervised, task.Supervised},
		{"a ceiling that is wider", "human_only", "", task.Autonomous, task.HumanOnly},
		{"a ceiling over the project's", "", task.Supervised, task.HumanOnly, task.HumanOnly},
		{"an unknown word is the strictest", "whatever", "", "", task.HumanOnly},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := task.Policy{DefaultAutonomy: c.project}
			if got := p.EffectiveAutonomy(c.declared, task.Actor{Ceiling: c.ceiling}); got != c.want {
				t.Errorf("%s, want %s", got, c.want)
			}
		})
	}
}

func TestMayHold(t *testing.T) {
	dev := task.Actor{Name: "dev", Declared: true, Roles: []string{"dev"}, Capabilities: []string{"docker"}}
	capped := task.Actor{Name: "capped", Declared: true, Ceiling: task.HumanOnly}
	ops := task.Policy{MayExecute: []string{"ops"}}
	for _, c := range []struct {
		name     string
		p        task.Policy
		by       task.Actor
		autonomy task.Opt
		may      []string
		says     []string // empty: may hold it
	}{
		{name: "anyone", by: ghost},
		{name: "supervised is for agents too", by: ghost, autonomy: "supervised"},
		{name: "a human holds human_only", by: alice, autonomy: "human_only"},
		{name: "an agent does not", by: claude, autonomy: "human_only", says: []string{"the task is not for claude/3", "this actor is an agent", "human widen"}},
		{
			name: "nor where the project says so", p: task.Policy{DefaultAutonomy: task.HumanOnly}, by: claude,
			says: []string{"human_only", "execution.defaultAutonomy"},
		},
		{name: "nor one that nobody declares", by: ghost, autonomy: "human_only", says: []string{".tasker.json", `{"name": "ghost", "kind": "human"}`}},
		{name: "nor one with that ceiling", by: capped, autonomy: "autonomous", says: []string{"ceiling", "widen the autonomy of the actor"}},
		{name: "a human with a ceiling is a human", by: task.Actor{Name: "bob", Human: true, Declared: true, Ceiling: task.HumanOnly}},
		{name: "a role will do", by: dev, may: []string{"ops", "dev"}},
		{name: "a capability will do", by: dev, may: []string{"docker"}},
		{name: "neither", by: dev, may: []string{"ops", "lead"}, says: []string{"one of ops, lead", "has dev, docker"}},
		{name: "a human needs it too", by: alice, may: []string{"ops"}, says: []string{"has lead"}},
		{name: "the project's list", p: ops, by: dev, says: []string{"one of ops"}},
		{name: "the task's list in its place", p: ops, by: dev, may: []string{"dev"}},
		{name: "an empty list is the project's", p: ops, by: dev, may: []string{}, says: []string{"one of ops"}},
		{name: "nobody declares it", by: ghost, may: []string{"ops"}, says: []string{".tasker.json", `"name": "ghost"`, `"roles": ["ops"]`}},
		{name: "declared with nothing", by: claude, may: []string{"ops"}, says: []string{"no role and no capability"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			err := c.p.MayHold(c.by, c.autonomy, c.may)
			routing := c.p.Route(c.by, &task.Task{Autonomy: c.autonomy, MayExecute: c.may})
			if routing.MayHold != (err == nil) || routing.Why == "" || routing.WhatWouldChange == "" {
				t.Errorf("routing %+v, refusal %v", routing, err)
			}
			if len(c.says) == 0 {
				passes(t, err)
				return
			}
			refused(t, err, fault.Declined, c.says...)
		})
	}
}

// TestWhatWouldChangeIsAboutThisAnswer: it names what decides here, and nothing that already holds.
func TestWhatWouldChangeIsAboutThisAnswer(t *testing.T) {
	dev := task.Actor{Name: "dev", Declared: true, Roles: []string{"dev"}, Capabilities: []string{"docker"}}
	people := task.Policy{DeclaresHuman: true, Humans: []task.Actor{alice, {Name: "ann", Human: true}}}
	for _, c := range []struct {
		p    task.Policy
		by   task.Actor
		t    task.Task
		want string
	}{
		{by: ghost, want: "autonomy human_only or any mayExecute would keep ghost from it"},
		{by: dev, want: "autonomy human_only or a mayExecute without dev, docker would keep dev from it"},
		{
			by: dev, t: task.Task{MayExecute: []string{"ops", "dev"}},
			want: "autonomy human_only or mayExecute of the task without dev would keep dev from it",
		},
		{
			p: task.Policy{MayExecute: []string{"lead"}, DefaultAutonomy: task.HumanOnly}, by: alice,
			want: "execution.defaultAutonomy, or autonomy of the task, other than human_only would open it to agents; " +
				"execution.mayExecute without lead would keep alice from it",
		},
		{p: task.Policy{MayExecute: []string{"ops"}}, by: dev, want: "give the actor one of ops as a role or capability in .tasker.json, or change execution.mayExecute"},
		{by: claude, t: task.Task{Autonomy: "human_only"}, want: "leave it to a human, or have a human widen it (autonomy of the task)"},
		// An agent next to declared humans is told who can, not how to get past the rule.
		{p: people, by: claude, t: task.Task{Autonomy: "human_only"}, want: "leave it to alice or ann"},
		{p: people, by: ghost, t: task.Task{Autonomy: "human_only"}, want: "leave it to alice or ann, who can also declare another person"},
		{p: people, by: dev, t: task.Task{MayExecute: []string{"ops", "lead"}}, want: "leave it to an actor that has ops or lead"},
		{p: people, by: ghost, t: task.Task{MayExecute: []string{"ops"}}, want: "leave it to an actor that has ops"},
	} {
		if got := c.p.Route(c.by, &c.t).WhatWouldChange; got != c.want {
			t.Errorf("%s and %+v: %q, want %q", c.by.Name, c.t, got, c.want)
		}
	}
}

func TestRoutingOnTheWire(t *testing.T) {
	p := task.Policy{PreferredActor: "bob"}
	one := &task.Task{MayExecute: []string{"ops", "lead"}, Autonomy: "supervised"}
	got, err := json.Marshal(p.Route(alice, one))
	passes(t, err)
	want := `{"mayHold":true,"autonomy":"supervised","mayExecute":["ops","lead"],"preferredActor":"bob",` +
		`"why":"it takes one of ops, lead, and alice has lead",` +
		`"whatWouldChange":"mayExecute of the task without lead would keep alice from it"}`
	if d := cmp.Diff(want, string(got)); d != "" {
		t.Error(d)
	}
	got, err = json.Marshal(task.Policy{}.Route(alice, &task.Task{Autonomy: "human_only"}))
	passes(t, err)
	want = `{"mayHold":true,"autonomy":"human_only","mayExecute":[],"preferredActor":null,` +
		`"why":"only humans may hold it, and alice is one",` +
		`"whatWouldChange":"autonomy of the task other than human_only would open it to agents; a mayExecute without lead would keep alice from it"}`
	if d := cmp.Diff(want, string(got)); d != "" {
		t.Error(d)
	}
}
