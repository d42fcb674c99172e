package faults

import (
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"tasker/internal/bundle"
	"tasker/internal/op"
	"tasker/internal/op/wire"
	"tasker/internal/task"
	"tasker/internal/workspace"
)

// fenced lists every operation that takes a fence, with requests that would succeed with a valid one.
var fenced = map[*op.Op][]object{
	op.Claim.Op:    {{}, {"leaseMs": 5}},
	op.Release.Op:  {{}, {"note": "late", "failed": true}},
	op.Note.Op:     {{"text": "late"}},
	op.Evidence.Op: {{"items": []object{{"kind": "test", "value": "late"}}}},
	op.Tick.Op:     {{"index": 1}, {"index": 2, "checked": false, "text": "two"}, {"indexes": []int{1, 2}}},
	op.Decide.Op:   {{"title": "Late", "rationale": "late"}},
	op.Ask.Op:      {{"text": "late?"}, {"text": "late?", "blocking": true, "to": "ann"}, {"text": "late?", "blocking": true, "release": true}},
	op.Edit.Op:     {{"title": "Late"}, {"addCriteria": []string{"late"}}, {"priority": 0, "body": "late"}},
	op.Move.Op: {
		{"to": "open"}, {"to": "in_progress"}, {"to": "in_review"}, {"to": "cancelled"},
		{"to": "done", "check": []int{1, 2}, "evidence": []object{{"kind": "test", "value": "late"}}, "note": "late", "next": true},
	},
}

// fencedHere are the methods that only commands on workspaces call: test/workspaces walks each of these commands under a
// stale fence.
var fencedHere = []string{"Use", "Begin", "Save", "Drop"}

// fencedCommands are the commands of those operations; ID stands for the task.
var fencedCommands = []string{
	"claim ID", "start ID", "renew ID", "release ID", "note ID late", "evidence ID --kind test --value late", "check ID 1", "uncheck ID 1",
	"edit ID --title Late", "decide ID Late", "ask ID late? --blocking", "move ID in_progress", "review ID", "done ID --check 1,2", "cancel ID",
	"reopen ID", "return ID --because late",
}

func TestEveryOperationWithAFenceIsInTheTest(t *testing.T) {
	for _, o := range op.Table {
		if _, listed := fenced[o]; listed != takesFence(o.In) {
			t.Errorf("%s takes a fence: %t; it is tested: %t", o.Name, takesFence(o.In), listed)
		}
	}
	recorder := reflect.TypeFor[*workspace.Service]()
	for _, name := range fencedHere {
		if _, ok := recorder.MethodByName(name); !ok {
			t.Errorf("the service of workspaces has no method %s", name)
		}
	}
	for i := range recorder.NumMethod() {
		m := recorder.Method(i)
		if m.Type.NumIn() != 3 || m.Type.In(2).Kind() != reflect.Struct {
			continue // it takes no context and input: it belongs to the environment that all services share
		}
		if listed := slices.Contains(fencedHere, m.Name); listed != takesFence(m.Type.In(2)) {
			t.Errorf("%s of workspaces takes a fence: %t; it is tested: %t", m.Name, !listed, listed)
		}
	}
}

// takesFence checks an input, and what it points at.
func takesFence(in reflect.Type) bool {
	for i := range in.NumField() {
		f := in.Field(i)
		if f.Name == "Fence" {
			return true
		}
		if p := f.Type; p.Kind() == reflect.Pointer && p.Elem().Kind() == reflect.Struct {
			if _, ok := p.Elem().FieldByName("Fence"); ok {
				return true
			}
		}
	}
	return false
}

// sleeper is a worker that claimed with too short a lease, and what happened to its task.
type sleeper struct {
	w        *world
	bot, ann *server
}

// claim claims a task, and tries again while a lease that is about to lapse prevents it.
func (s sleeper) claim(by who, id string, leaseMs int) task.Claim {
	s.w.Helper()
	for stop := time.Now().Add(patience); ; {
		r, err := s.bot.call(by, "/v1/tasks/"+id+"/claim", object{"leaseMs": leaseMs})
		s.w.must(err)
		if r.status == 422 && strings.Contains(string(r.body), "is held by") && time.Now().Before(stop) {
			continue
		}
		if r.status != 200 {
			s.w.Fatalf("%d %s", r.status, r.body)
		}
		var c task.Claim
		s.w.must(r.into(&c))
		return c
	}
}

func TestAStaleFenceNeverWrites(t *testing.T) {
	t.Parallel()
	old := who{instance: "old"}
	each(t, func(w *world) {
		w.apply(flat("demo", 8))
		s := sleeper{w, w.serve("bot"), w.serve("ann")}
		for i, c := range []struct {
			name string
			do   func(id string)
		}{
			{"taken over by another", func(id string) { s.claim(who{instance: "new"}, id, 0) }},
			{"taken over under the same name", func(id string) { s.claim(old, id, 600_000) }},
			{"taken over and given back", func(id string) {
				s.claim(who{instance: "new"}, id, 0)
				s.bot.post(who{instance: "new"}, "/v1/tasks/"+id+"/release", object{}, nil)
			}},
			{"taken over and in review", func(id string) {
				s.claim(who{instance: "new"}, id, 0)
				s.bot.post(who{instance: "new"}, "/v1/tasks/"+id+"/transition", object{"to": "in_review"}, nil)
			}},
			{"taken over and done", func(id string) {
				s.claim(who{instance: "new"}, id, 0)
				s.bot.post(who{instance: "new"}, "/v1/tasks/"+id+"/transition", object{"to": "done", "check": []int{1, 2}}, nil)
			}},
		} {
			id := fmt.Sprintf("demo-%d", i+1)
			stale := s.claim(old, id, 1)
			c.do(id)
			s.refuses(c.name, stale, i == 0 || often(0, 1) == 1)
		}
		for i, c := range []struct {
			name string
			path string
			body object
		}{
			{"released by a human", "/release", object{}},
			{"moved away by a human", "/transition", object{"to": "open"}},
		} {
			id := fmt.Sprintf("demo-%d", i+6)
			stale := s.claim(old, id, 0)
			s.ann.post(who{}, "/v1/tasks/"+id+c.path, c.body, nil)
			s.refuses(c.name, stale, often(0, 1) == 1)
		}
		w.healthy()
	})
}

// refuses sends every kind of write with a stale fence, to a server and, if asked for, as commands, which only pass the
// fence on: each is a conflict, and in the end no row, lease or version has changed.
func (s sleeper) refuses(name string, stale task.Claim, commands bool) {
	w := s.w
	w.Helper()
	path := "/v1/tasks/" + string(stale.Task)
	before, record := w.rows(), s.show(path)
	for o, bodies := range fenced {
		for i, body := range bodies {
			send := object{"fence": stale.Fence}
			for k, v := range body {
				send[k] = v
			}
			key := fmt.Sprintf("%s %s %d", stale.Task, o.Name, i)
			for _, by := range []who{{instance: "old"}, {instance: "old", key: key}, {instance: "third"}} {
				r, err := s.bot.call(by, "/v1"+strings.Replace(o.Path, "{id}", string(stale.Task), 1), send)
				w.must(err)
				var f wire.Failure
				if r.status != 409 || r.into(&f) != nil || f.Error != "conflict" {
					w.Errorf("%s: %s %v by %v: %d %s", name, o.Name, body, by, r.status, r.body)
				}
			}
		}
	}
	for _, line := range fencedCommands {
		if !commands {
			break
		}
		args := strings.Fields(strings.Replace(line, "ID", string(stale.Task), 1))
		got, err := w.try("bot/old", "", append(args, "--fence", strconv.FormatInt(stale.Fence, 10))...)
		w.must(err)
		sentBack := args[0] == "return" && got.code == 3 // it checks first, and leaves a task that is not in review alone
		if got.code != 5 && !sentBack {
			w.Errorf("%s: tasker %s ended with %d: %s%s", name, line, got.code, got.out, got.err)
		}
	}
	if more := grown(before, w.rows()); len(more) > 0 {
		w.Errorf("%s: something was written: %v", name, more)
	}
	if now := s.show(path); now != record {
		w.Errorf("%s: the task was\n%s\nand is\n%s", name, record, now)
	}
}

// show returns everything that tasker shows about a task.
func (s sleeper) show(path string) string {
	s.w.Helper()
	r, err := s.bot.call(who{}, path, nil)
	s.w.must(err)
	return string(r.body)
}

// A lapse by itself takes nothing from a worker that comes back late, and its own fence is still valid.
func TestAFenceStaysGoodWithoutASuccessor(t *testing.T) {
	t.Parallel()
	each(t, func(w *world) {
		w.apply(flat("demo", 2))
		s := sleeper{w: w, bot: w.serve("bot")}
		by := who{instance: "1"}
		c := s.claim(by, "demo-1", 1)
		stop := time.Now().Add(patience)
		for lapsed := false; !lapsed; {
			var b bundle.Bundle
			s.bot.get("/v1/tasks/demo-1", &b)
			if lapsed = b.Task.Claim == nil; !lapsed && time.Now().After(stop) {
				w.Fatal("a lease of a millisecond does not lapse")
			}
		}
		s.bot.post(by, "/v1/tasks/demo-1/notes", object{"text": "late, and nobody minds", "fence": c.Fence}, nil)
		again := s.claim(by, "demo-1", 0)
		if again.Fence != c.Fence+1 {
			w.Errorf("the second claim has fence %d after %d", again.Fence, c.Fence)
		}
		s.bot.post(by, "/v1/tasks/demo-1/transition", object{"to": "done", "check": []int{1, 2}, "fence": again.Fence}, nil)
	})
}
