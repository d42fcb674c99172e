package task

import (
	"reflect"
	"testing"
)

// What the files of a process can make of an actor, given the project's record.
func TestRegisterCount(t *testing.T) {
	r := &Register{Actors: []Actor{
		{Name: "ann", Declared: true, Human: true, Roles: []string{"lead"}},
		{Name: "bot", Declared: true, Roles: []string{"dev"}, Capabilities: []string{"go"}, Ceiling: Supervised},
	}}
	ann := Actor{Name: "ann", Declared: true, Human: true, Roles: []string{"lead"}}
	bot := Actor{Name: "bot", Declared: true, Roles: []string{"dev"}, Capabilities: []string{"go"}, Ceiling: Supervised}
	held := func(a Actor) Actor { a.Withheld = true; return a }
	for _, c := range []struct {
		name  string
		here  Actor
		wrote bool
		want  Actor
	}{
		{"a human whom the file drops", Actor{Name: "ann"}, true, ann},
		{"a human whom the file makes an agent", Actor{Name: "ann", Declared: true, Roles: []string{"dev"}}, true, ann},
		{"a human whom the file gives a role", Actor{Name: "ann", Declared: true, Human: true, Roles: []string{"ops"}}, true, Actor{Name: "ann", Declared: true, Human: true, Roles: []string{"ops"}}},
		{"an agent that the file makes a human", Actor{Name: "bot", Declared: true, Human: true, Roles: []string{"dev"}, Ceiling: Supervised}, false, held(Actor{Name: "bot", Declared: true, Roles: []string{"dev"}, Ceiling: Supervised})},
		{"an agent that the file gives roles", Actor{Name: "bot", Declared: true, Roles: []string{"dev", "lead"}, Capabilities: []string{"go", "sql"}, Ceiling: Supervised}, false, held(bot)},
		{"an agent whose ceiling the file lifts", Actor{Name: "bot", Declared: true, Roles: []string{"dev"}, Capabilities: []string{"go"}}, false, held(bot)},
		{"an agent that the file drops keeps its ceiling", Actor{Name: "bot"}, false, held(Actor{Name: "bot", Declared: true, Ceiling: Supervised})},
		{"an agent that the file restricts", Actor{Name: "bot", Declared: true, Ceiling: HumanOnly}, false, Actor{Name: "bot", Declared: true, Ceiling: HumanOnly}},
		{"an agent with a stricter ceiling and more roles", Actor{Name: "bot", Declared: true, Roles: []string{"lead"}, Ceiling: HumanOnly}, false, held(Actor{Name: "bot", Declared: true, Roles: []string{}, Ceiling: HumanOnly})},
		{"an unknown actor that has written", Actor{Name: "new", Declared: true, Human: true, Roles: []string{"lead"}}, true, held(Actor{Name: "new", Declared: true, Roles: []string{}})},
		{"a newcomer", Actor{Name: "new", Declared: true, Human: true, Roles: []string{"lead"}}, false, Actor{Name: "new", Declared: true, Human: true, Roles: []string{"lead"}}},
		{"an undeclared actor that has written", Actor{Name: "new"}, true, Actor{Name: "new"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.here.Instance, c.here.Shell = "3", "codex"
			c.want.Instance, c.want.Shell = "3", "codex"
			if got := r.Count(c.here, c.wrote); !reflect.DeepEqual(got, c.want) {
				t.Fatalf("it counts as\n%+v, and should as\n%+v", got, c.want)
			}
		})
	}
	if r.Asks(Actor{Name: "bot", Human: true}) || r.Asks(Actor{Name: "new"}) || !r.Asks(Actor{Name: "new", Human: true}) {
		t.Fatal("only an actor that the record does not declare, and that the files give something, depends on the log")
	}
}
