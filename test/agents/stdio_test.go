package agents

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

const (
	hello = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`
	ready = `{"jsonrpc":"2.0","method":"notifications/initialized"}`
)

// request returns a line that calls a tool.
func request(id int, tool, args string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":%q,"arguments":%s}}`, id, tool, args)
}

// message holds the parts of an answer that the tests check.
type message struct {
	Version string `json:"jsonrpc"`
	ID      *int   `json:"id"`
	Result  struct {
		IsError bool `json:"isError"`
		Content []struct {
			Text string `json:"text"`
		} `json:"content"`
	} `json:"result"`
}

// TestNothingButTheProtocolReachesStandardOutput works where there is much else to print: a configuration of the old form
// causes a notice, calls are refused, and a title contains terminal commands.
func TestNothingButTheProtocolReachesStandardOutput(t *testing.T) {
	one(t, `{"project": "demo", "tasks": [{"key": "a", "title": "A\u001b[2J\u009b"}]}`, func(p *place) {
		if err := os.WriteFile(filepath.Join(p.dir, ".tasker.json"), []byte(`{"project": "demo", "colour": "red"}`), 0o600); err != nil {
			p.Fatal(err)
		}
		lines := []string{
			hello, ready, "no message", `{"jsonrpc":"2.0","id":2,"method":"tools/list"}`, request(3, "tasker_next", `{}`), request(4, "tasker_show", `{"id":"demo-1"}`),
			request(5, "tasker_show", `{"id":"demo-9"}`), request(6, "tasker_move", `{"id":"demo-1","to":"nowhere"}`), request(7, "tasker_none", `{}`),
		}
		cmd := p.command("mcp")
		var notices strings.Builder
		cmd.Stderr = &notices
		cmd.Stdin = strings.NewReader(strings.Join(lines, "\n") + "\n")
		out, err := cmd.Output()
		if err != nil {
			p.Fatalf("tasker mcp: %v\n%s", err, out)
		}
		if !strings.Contains(notices.String(), "tasker config migrate") {
			p.Errorf("standard error does not have the notice: %q", notices.String())
		}
		answers := 0
		for line := range strings.Lines(string(out)) {
			var m message
			if err := json.Unmarshal([]byte(line), &m); err != nil || m.Version != "2.0" {
				p.Errorf("a line is not a message of the protocol: %q", line)
			}
			if m.ID != nil {
				answers++
			}
			if strings.ContainsAny(line, "\x1b\u009b") || strings.Contains(line, `\u001b[2J`) {
				p.Errorf("a line has a control sequence: %q", line)
			}
		}
		if !strings.Contains(string(out), `"id":null,"error":{"code":-32700,`) {
			p.Errorf("the line that is not a message is not answered:\n%s", out)
		}
		if answers != 7 {
			p.Errorf("%d of 7 calls were answered:\n%s", answers, out)
		}
	})
}

// server is a tasker mcp that is spoken to line by line.
type server struct {
	p   *place
	cmd *exec.Cmd
	in  io.Writer
	out *bufio.Reader
}

func (p *place) start() *server {
	p.Helper()
	s := &server{p: p, cmd: p.command("mcp")}
	in, err := s.cmd.StdinPipe()
	if err != nil {
		p.Fatal(err)
	}
	out, err := s.cmd.StdoutPipe()
	if err == nil {
		err = s.cmd.Start()
	}
	if err != nil {
		p.Fatal(err)
	}
	s.in, s.out = in, bufio.NewReader(out)
	s.send(hello)
	s.answer()
	s.send(ready)
	return s
}

func (s *server) send(line string) {
	s.p.Helper()
	if _, err := io.WriteString(s.in, line+"\n"); err != nil {
		s.p.Fatal(err)
	}
}

// answer reads the next answer, which must be a success.
func (s *server) answer() message {
	s.p.Helper()
	line, err := s.out.ReadString('\n')
	var m message
	if err == nil {
		err = json.Unmarshal([]byte(line), &m)
	}
	if err != nil || m.ID == nil || m.Result.IsError {
		s.p.Fatalf("answered %q, %v", line, err)
	}
	return m
}

// kill ends it like a crash, whatever it is doing, and returns what it had printed by then.
func (s *server) kill() string {
	s.p.Helper()
	if err := s.cmd.Process.Kill(); err != nil {
		s.p.Fatal(err)
	}
	rest, err := io.ReadAll(s.out)
	if err != nil {
		s.p.Fatal(err)
	}
	_ = s.cmd.Wait() // it was killed on purpose
	return string(rest)
}

// TestKillingItMidCallLosesNothingThatWasAnswered kills it again and again with calls in flight: what it answered is
// there, and what it did not answer is there once or not at all.
func TestKillingItMidCallLosesNothingThatWasAnswered(t *testing.T) {
	const calls = 40
	rounds := 5
	if os.Getenv("TASKER_TEST_LONG") != "" {
		rounds = 8
	}
	each(t, `{"project": "demo", "tasks": [{"key": "a", "title": "A"}]}`, func(p *place) {
		answered := map[string]bool{}
		for round := range rounds {
			s := p.start()
			texts := map[int]string{}
			for i := range calls {
				texts[i+2] = fmt.Sprintf("note %d of round %d", i, round)
				s.send(request(i+2, "tasker_note", fmt.Sprintf(`{"id":"demo-1","text":%q}`, texts[i+2])))
			}
			for range round * 4 { // the others are in flight
				answered[texts[*s.answer().ID]] = true
			}
			for line := range strings.Lines(s.kill()) {
				var m message
				if strings.HasSuffix(line, "\n") && json.Unmarshal([]byte(line), &m) == nil && m.ID != nil && !m.Result.IsError {
					answered[texts[*m.ID]] = true
				}
			}
		}
		var events []struct {
			Payload struct {
				Text string `json:"text"`
			} `json:"payload"`
		}
		if err := json.Unmarshal([]byte(p.output("events", "--kind", "note.added", "--limit", "1000", "--json")), &events); err != nil {
			p.Fatal(err)
		}
		there := map[string]int{}
		for _, e := range events {
			there[e.Payload.Text]++
		}
		if len(answered) < rounds*(rounds-1)/2*4 {
			p.Fatalf("only %d calls were answered", len(answered))
		}
		for text := range answered {
			if there[text] == 0 {
				p.Errorf("%q was answered, and was not stored", text)
			}
		}
		for text, n := range there {
			if n > 1 {
				p.Errorf("%q is there %d times", text, n)
			}
		}
		p.Logf("%d of %d calls were answered, and %d are there", len(answered), rounds*calls, len(there))
	})
}

// TestKillingItHoldsNothingBeyondTheLeaseAndLeavesNothingHalfDone kills it while it holds a task and applies a plan.
func TestKillingItHoldsNothingBeyondTheLeaseAndLeavesNothingHalfDone(t *testing.T) {
	const more = 2000
	each(t, `{"project": "demo", "tasks": [{"key": "a", "title": "A"}]}`, func(p *place) {
		s := p.start()
		s.send(request(2, "tasker_next", `{"leaseMs": 2000}`))
		if m := s.answer(); !strings.Contains(fmt.Sprint(m.Result.Content), `"demo-1"`) {
			p.Fatalf("next answered %s", m.Result.Content)
		}
		var plan []string
		for i := range more {
			plan = append(plan, fmt.Sprintf(`{"key":"k%d","title":"T"}`, i))
		}
		s.send(request(3, "tasker_apply", `{"project":"demo","tasks":[`+strings.Join(plan, ",")+`]}`))
		s.kill()
		if n := p.total(); n != 1 && n != 1+more {
			p.Errorf("part of a plan was stored: %d tasks", n)
		}
		p.output("wait", "demo-1", "--for", "ready", "--timeout", "1m", "--quiet")
		p.output("claim", "demo-1", "--quiet")
	})
}
