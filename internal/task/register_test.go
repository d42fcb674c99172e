package task_test

import (
	"reflect"
	"testing"

	"tasker/internal/task"
)

// What the files of a process can make of an actor, given the project's record.
func TestRegisterCount(t *testing.T) {
	r := &task.Register{Actors: []task.Actor{
		{Name: "ann", Declared: true, Human: true, Roles: []string{"lead"}},
		{Name: "bot", Declared: true, Roles: []string{"dev"}, Capabilities: []string{"go"}, Ceiling: task.Supervised},
	}}
	ann := task.Actor{Name: "ann", Declared: true, Human: true, Roles: []string{"lead"}}
	bot := task.Actor{Name: "bot", Declared: true, Roles: []string{"dev"}, Capabilities: []string{"go"}, Ceiling: task.Supervised}
	held := func(a task.Actor) task.Actor { a.Withheld = true; return a }
	for _, c := range []struct {
		name  string
		here  task.Actor
		wrote bool
		want  task.Actor
	}{
		{"a human whom the file drops", task.Actor{Name: "ann"}, true, ann},
		{"a human whom the file makes an agent", task.Actor{Name: "ann", Declared: true, Roles: []string{"dev"}}, true, ann},
		{"a human whom the file gives a role", task.Actor{Name: "ann", Declared: true, Human: true, Roles: []string{"ops"}}, true, task.Actor{Name: "ann", Declared: true, Human: true, Roles: []string{"ops"}}},
		{"an agent that the file makes a human", task.Actor{Name: "bot", Declared: true, Human: true, Roles: []string{"dev"}, Ceiling: task.Supervised}, false, held(task.Actor{Name: "bot", Declared: true, Roles: []string{"dev"}, Ceiling: task.Supervised})},
		{"an agent that the file gives roles", task.Actor{Name: "bot", Declared: true, Roles: []string{"dev", "lead"}, Capabilities: []string{"go", "sql"}, Ceiling: task.Supervised}, false, held(bot)},
		{"an agent whose ceiling the file lifts", task.Actor{Name: "bot", Declared: true, Roles: []string{"dev"}, Capabilities: []string{"go"}}, false, held(bot)},
		{"an agent that the file drops keeps its ceiling", task.Actor{Name: "bot"}, false, held(task.Actor{Name: "bot", Declared: true, Ceiling: task.Supervised})},
		{"an agent that the file restricts", task.Actor{Name: "bot", Declared: true, Ceiling: task.HumanOnly}, false, task.Actor{Name: "bot", Declared: true, Ceiling: task.HumanOnly}},
		{"an agent with a stricter ceiling and more roles", task.Actor{Name: "bot", Declared: true, Roles: []string{"lead"}, Ceiling: task.HumanOnly}, false, held(task.Actor{Name: "bot", Declared: true, Roles: []string{}, Ceiling: task.HumanOnly})},
		{"an unknown actor that has written", task.Actor{Name: "new", Declared: true, Human: true, Roles: []string{"lead"}}, true, held(task.Actor{Name: "new", Declared: true, Roles: []string{}})},
		{"a newcomer", task.Actor{Name: "new", Declared: true, Human: true, Roles: []string{"lead"}}, false, task.Actor{Name: "new", Declared: true, Human: true, Roles: []string{"lead"}}},
		{"an undeclared actor that has written", task.Actor{Name: "new"}, true, task.Actor{Name: "new"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.here.Instance, c.here.Shell = "3", "codex"
			c.want.Instance, c.want.Shell = "3", "codex"
			if got := r.Count(c.here, c.wrote); !reflect.DeepEqual(got, c.want) {
				t.Fatalf("it counts as\n%+v, and should count as\n%+v", got, c.want)
			}
		})
	}
	if r.Asks(task.Actor{Name: "bot", Human: true}) || r.Asks(task.Actor{Name: "new"}) || !r.Asks(task.Actor{Name: "new", Human: true}) {
		t.Fatal("only an actor that the record does not declare, and that the files give something, depends on the log")
	}
}
