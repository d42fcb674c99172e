package agents

import (
	"encoding/json"
	"syscall"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// TestAnAgentThatGoesGivesBackWhatItHolds has agents leave in each way that gives them time to act, on the database
// and through a server. The next agent gets the same task at once.
func TestAnAgentThatGoesGivesBackWhatItHolds(t *testing.T) {
	one(t, `{"project": "demo", "tasks": [{"key": "a", "title": "A"}]}`, func(p *place) {
		url := p.serve()
		for _, through := range []string{"", url} {
			for _, way := range []struct {
				how string
				end func(*mcp.ClientSession, *mcp.CommandTransport) error
			}{
				{"closes its stream", func(c *mcp.ClientSession, _ *mcp.CommandTransport) error { return c.Close() }},
				{"is told to stop", func(c *mcp.ClientSession, over *mcp.CommandTransport) error {
					if err := over.Command.Process.Signal(syscall.SIGTERM); err != nil {
						return err
					}
					_ = c.Wait() // for its output to end
					return c.Close()
				}},
			} {
				cmd := p.command("mcp")
				if through != "" {
					cmd.Env = append(cmd.Env, "TASKER_URL="+through)
				}
				over := &mcp.CommandTransport{Command: cmd, TerminateDuration: patience}
				c, err := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil).Connect(p.Context(), over, nil)
				if err != nil {
					p.Fatal(err)
				}
				out := p.call(c, "tasker_next", object{"project": "demo"})
				if dig(out, "task", "id") != "demo-1" {
					p.Fatalf("after a client that %s, next answered %v", way.how, out)
				}
				if err := way.end(c, over); err != nil {
					p.Errorf("a client that %s ended with %v", way.how, err)
				}
				var shown struct {
					Task struct {
						Status   string  `json:"status"`
						Attempts int     `json:"attempts"`
						Claim    *object `json:"claim"`
					} `json:"task"`
				}
				if err := json.Unmarshal([]byte(p.output("show", "demo-1", "--json")), &shown); err != nil {
					p.Fatal(err)
				}
				if s := shown.Task; s.Status != "open" || s.Claim != nil || s.Attempts != 0 {
					p.Errorf("a client that %s (server %q) leaves %+v", way.how, through, s)
				}
			}
		}
	})
}
