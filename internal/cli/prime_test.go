package cli

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"tasker/internal/cli/frame"
	"tasker/internal/op"
	"tasker/internal/task"
	"tasker/internal/testkit/o200k"
	"tasker/internal/views/prime"
)

func TestTheManualNamesCommandsThatExistWithTheirFlags(t *testing.T) {
	_, root := tree()
	state := prime.State{Actor: "bot", How: "TASKER_ACTOR", Project: "demo", Counts: task.Counts{Open: 2}, Holds: []prime.Held{{Task: prime.Task{ID: "demo-1"}}}, More: 1}
	long := prime.Manual(state, op.ManualCalls(prime.Shell))
	short := prime.Short(state)
	none := prime.Manual(prime.State{Actor: "bot"}, nil)
	empty := prime.Short(prime.State{Actor: "bot", Project: "demo"})
	named := regexp.MustCompile("`tasker ([^`]+)`").FindAllStringSubmatch(long+short+none+empty, -1)
	if len(named) < 30 {
		t.Fatalf("the manual names only %d commands", len(named))
	}
	for _, m := range named {
		if strings.HasPrefix(m[1], "COMMAND") {
			continue
		}
		args := strings.Fields(m[1])
		cmd, _, err := root.Find(args)
		if err != nil || cmd == root {
			t.Errorf("there is no command %q", m[1])
			continue
		}
		for _, a := range args {
			if flag, ok := strings.CutPrefix(a, "--"); ok && flag != "" && cmd.Flag(flag) == nil {
				t.Errorf("%q uses --%s, which is not one of its flags", m[1], flag)
			}
		}
	}
	for _, c := range frame.ExitCodes {
		words := fmt.Sprintf("%d %s", c.Code, regexp.MustCompile("^[a-z ]*[a-z]").FindString(c.What))
		if c.Code != 1 && c.Code != 6 && !strings.Contains(long, words) {
			t.Errorf("the manual does not name the exit code %q", words)
		}
	}
	if n := o200k.Count(long); n > 1250 {
		t.Errorf("with hardly any state it takes %d tokens already, which leaves too little for a project's own", n)
	}
}
