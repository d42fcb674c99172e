package agents

import (
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// clients returns how many clients each of the two transports has at once.
func clients() int {
	if os.Getenv("TASKER_TEST_LONG") != "" {
		return 50
	}
	return 6
}

// ledger records who was given which task.
type ledger struct {
	mu    sync.Mutex
	given map[string][]string
}

func (l *ledger) gave(id, who string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.given[id] = append(l.given[id], who)
}

// TestManyAgentsOverEachTransportShareAPlanAndNoTaskIsGivenTwice runs clients over HTTP, and as many separate processes,
// on one database at once. All of them go through the whole loop until there is nothing left.
func TestManyAgentsOverEachTransportShareAPlanAndNoTaskIsGivenTwice(t *testing.T) {
	tasks := 4 * clients()
	var plan strings.Builder
	plan.WriteString(`{"project": "demo", "gates": {"ship": ["test"]}, "tasks": [{"key": "epic", "title": "All of it", "status": "done"}`)
	for i := range tasks {
		fmt.Fprintf(&plan, `, {"key": "t%d", "title": "T", "criteria": ["it works", "it is told"], "gate": "ship"`, i)
		if i >= tasks/2 { // these become ready on the way
			fmt.Fprintf(&plan, `, "deps": ["t%d"]`, i-tasks/2)
		}
		plan.WriteString("}")
	}
	each(t, plan.String()+`]}`, func(p *place) {
		url := p.serve()
		var over []*mcp.ClientSession
		for i := range clients() {
			over = append(over, p.remote(url, fmt.Sprint(i)), p.local())
		}
		l := &ledger{given: map[string][]string{}}
		var all sync.WaitGroup
		for _, c := range over {
			all.Go(func() { p.workThrough(c, l) })
		}
		all.Wait()
		for id, who := range l.given {
			if len(who) != 1 {
				p.Errorf("%s was given to %v", id, who)
			}
		}
		if done := p.total("--status", "done"); done != tasks+1 || len(l.given) != tasks {
			p.Errorf("%d of %d tasks were given, and %d are done", len(l.given), tasks, done-1)
		}
	})
}

// workThrough is the loop of an agent: next, show, check, evidence, note, move with next, until there is nothing.
func (p *place) workThrough(c *mcp.ClientSession, l *ledger) {
	out := p.call(c, "tasker_next", object{"project": "demo"})
	for out != nil {
		chosen, ok := out["task"].(object)
		if !ok {
			return
		}
		id, _ := chosen["id"].(string)
		claimed, _ := out["claimed"].(object)
		who, _ := claimed["actor"].(string)
		l.gave(id, who)
		shown := p.call(c, "tasker_show", object{"id": id, "explain": true})
		if claim, ok := dig(shown, "task", "claim").(object); !ok || claim["actor"] != who {
			p.Errorf("%s was given to %s, and show says %v", id, who, claim)
		}
		p.call(c, "tasker_check", object{"id": id, "indexes": []int{1}})
		p.call(c, "tasker_evidence", object{"id": id, "items": []object{{"kind": "test", "value": "run by " + who}}})
		p.call(c, "tasker_note", object{"id": id, "text": "nearly there"})
		moved := p.call(c, "tasker_move", object{"id": id, "to": "done", "check": []int{2}, "next": true})
		if moved == nil {
			return
		}
		out, _ = moved["next"].(object)
	}
}

// dig returns a value from deep inside an answer.
func dig(v any, names ...string) any {
	for _, name := range names {
		o, _ := v.(object)
		v = o[name]
	}
	return v
}
