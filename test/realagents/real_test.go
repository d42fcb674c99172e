//go:build agents

package realagents

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

// model is a scripted model: at its first turn it runs a command, and at each later one it says that it is done.
type model struct {
	mu    sync.Mutex
	turns []string // what the agent sent at each turn
	reply func(w io.Writer, turn int, command string)
	has   string // what the agent's own turns have in them, unlike what it asks beside
	runs  string
}

func (m *model) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil || !bytes.Contains(body, []byte(m.has)) {
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprint(w, `{"input_tokens":1}`)
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	turn := len(m.turns)
	m.turns = append(m.turns, string(body))
	w.Header().Set("Content-Type", "text/event-stream")
	m.reply(w, turn, m.runs)
}

func event(w io.Writer, kind string, members map[string]any) {
	members["type"] = kind
	text, err := json.Marshal(members)
	if err != nil {
		panic(err)
	}
	fmt.Fprintf(w, "event: %s\ndata: %s\n\n", kind, text)
}

type object = map[string]any

// anthropic answers in the form of the model of Claude Code, Copilot CLI and OpenCode, whose shells have a name each.
func anthropic(shell string) func(w io.Writer, turn int, command string) {
	return func(w io.Writer, turn int, command string) { anthropicTurn(w, turn, shell, command) }
}

func anthropicTurn(w io.Writer, turn int, shell, command string) {
	event(w, "message_start", object{"message": object{"id": fmt.Sprint("m", turn), "type": "message", "role": "assistant", "model": "scripted",
		"content": []any{}, "stop_reason": nil, "usage": object{"input_tokens": 1, "output_tokens": 1}}})
	block, delta, why := object{"type": "text", "text": ""}, object{"type": "text_delta", "text": "done"}, "end_turn"
	if turn == 0 {
		input, _ := json.Marshal(object{"command": command, "description": "claim"})
		block, delta, why = object{"type": "tool_use", "id": "t1", "name": shell, "input": object{}}, object{"type": "input_json_delta", "partial_json": string(input)}, "tool_use"
	}
	event(w, "content_block_start", object{"index": 0, "content_block": block})
	event(w, "content_block_delta", object{"index": 0, "delta": delta})
	event(w, "content_block_stop", object{"index": 0})
	event(w, "message_delta", object{"delta": object{"stop_reason": why}, "usage": object{"output_tokens": 1}})
	event(w, "message_stop", object{})
}

// responses answers in the form of Codex's model.
func responses(w io.Writer, turn int, command string) {
	id := fmt.Sprint("r", turn)
	event(w, "response.created", object{"response": object{"id": id}})
	item := object{"type": "message", "role": "assistant", "id": "m" + id, "content": []any{object{"type": "output_text", "text": "done"}}}
	if turn == 0 {
		args, _ := json.Marshal(object{"cmd": command})
		item = object{"type": "function_call", "call_id": "c1", "name": "exec_command", "arguments": string(args)}
	}
	event(w, "response.output_item.done", object{"item": item})
	event(w, "response.completed", object{"response": object{"id": id, "usage": object{"input_tokens": 1, "output_tokens": 1, "total_tokens": 2}}})
}

// gemini answers in the form of Gemini CLI's model.
func gemini(w io.Writer, turn int, command string) {
	part := object{"text": "done"}
	if turn == 0 {
		part = object{"functionCall": object{"name": "run_shell_command", "args": object{"command": command, "description": "claim"}}}
	}
	text, _ := json.Marshal(object{"candidates": []any{object{"index": 0, "finishReason": "STOP", "content": object{"role": "model", "parts": []any{part}}}},
		"usageMetadata": object{"promptTokenCount": 1, "candidatesTokenCount": 1, "totalTokenCount": 2}})
	fmt.Fprintf(w, "data: %s\n\n", text)
}

// TestAnAgentsOwnProgramReadsWhatSetupWrites starts each agent unattended in a repository that setup has prepared. Its model
// claims a task in the agent's shell, and then ends its turn.
func TestAnAgentsOwnProgramReadsWhatSetupWrites(t *testing.T) {
	clients, err := filepath.Abs(os.Getenv("TASKER_TEST_AGENTS"))
	if err != nil || os.Getenv("TASKER_TEST_AGENTS") == "" {
		t.Fatal("TASKER_TEST_AGENTS names no directory: start this by make test-agents")
	}
	program := filepath.Join(t.TempDir(), "tasker")
	if said, err := exec.Command("go", "build", "-o", program, "tasker/cmd/tasker").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, said)
	}
	for _, a := range []struct {
		name  string
		reply func(io.Writer, int, string)
		has   string
		tool  string // in what the agent sends, if it has our tools
		boxed bool   // its shell has a sandbox
		// silent: at the end of an unattended call it asks no hook of ours, so that its task stays held until its lease ends.
		silent bool
		own    map[string]string // files of its user, with REPO for the repository
		args   func(url string) []string
		env    func(url string) []string
	}{
		{
			name: "claude", reply: anthropic("Bash"), has: `"name":"Bash"`, tool: "mcp__tasker",
			args: func(string) []string { return []string{"-p", "go", "--allowedTools", "Bash", "mcp__tasker"} },
			env: func(url string) []string {
				return []string{"ANTHROPIC_BASE_URL=" + url, "ANTHROPIC_API_KEY=none", "DISABLE_AUTOUPDATER=1", "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1"}
			},
		},
		{
			name: "codex", reply: responses, has: `"exec_command"`, tool: "mcp__tasker", boxed: true,
			args: func(url string) []string {
				return []string{"exec", "--trust", "--sandbox", "workspace-write", "--dangerously-bypass-hook-trust", "-m", "scripted", "-c", `model_provider="scripted"`,
					"-c", fmt.Sprintf(`model_providers.scripted={name="scripted",base_url="%s/v1",wire_api="responses",env_key="NO_KEY"}`, url), "go"}
			},
			env: func(string) []string { return []string{"NO_KEY=none"} },
		},
		{
			name: "gemini", reply: gemini, has: `"run_shell_command"`, tool: "mcp_tasker",
			own:  map[string]string{".gemini/settings.json": `{"security": {"auth": {"selectedType": "gemini-api-key"}}}`},
			args: func(string) []string { return []string{"--yolo", "--skip-trust", "-m", "gemini-2.5-flash", "-p", "go"} },
			env: func(url string) []string {
				return []string{"GOOGLE_GEMINI_BASE_URL=" + url, "GEMINI_API_KEY=none", "GEMINI_CLI_TRUST_WORKSPACE=true", "GEMINI_TELEMETRY_ENABLED=false"}
			},
		},
		{
			name: "copilot", reply: anthropic("bash"), has: `"name":"bash"`, tool: "tasker-tasker_next",
			own:  map[string]string{".copilot/config.json": `{"trusted_folders": ["REPO"]}`},
			args: func(string) []string { return []string{"--allow-all", "--no-auto-update", "-p", "go"} },
			env: func(url string) []string {
				return []string{"COPILOT_PROVIDER_BASE_URL=" + url, "COPILOT_PROVIDER_TYPE=anthropic", "COPILOT_PROVIDER_API_KEY=none", "COPILOT_MODEL=claude-sonnet-4", "COPILOT_OFFLINE=true"}
			},
		},
		{
			name: "opencode", reply: anthropic("bash"), has: `"name":"bash"`, tool: "tasker_tasker_next", silent: true,
			args: func(string) []string { return []string{"run", "--model", "scripted/m", "go"} },
			env: func(url string) []string {
				return []string{"OPENCODE_DISABLE_AUTOUPDATE=true", "OPENCODE_DISABLE_MODELS_FETCH=true", fmt.Sprintf(
					`OPENCODE_CONFIG_CONTENT={"permission":{"external_directory":"allow"},"provider":{"scripted":{"npm":"@ai-sdk/anthropic","models":{"m":{}},"options":{"baseURL":"%s/v1","apiKey":"none"}}}}`, url)}
			},
		},
	} {
		t.Run(a.name, func(t *testing.T) {
			client := filepath.Join(clients, a.name, "node_modules", ".bin", a.name)
			if _, err := os.Stat(client); err != nil {
				t.Logf("%s is not installed, so nothing is shown of it", a.name)
				return
			}
			// Below the clients and not among temporary files, which sandboxes let everybody write.
			place, err := os.MkdirTemp(clients, "run-")
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = os.RemoveAll(place) })
			repo, data, outside := filepath.Join(place, "shop"), filepath.Join(place, "data"), filepath.Join(place, "outside")
			for _, dir := range []string{repo, data, filepath.Join(place, "home")} {
				if err := os.Mkdir(dir, 0o700); err != nil {
					t.Fatal(err)
				}
			}
			m := &model{reply: a.reply, has: a.has, runs: fmt.Sprintf("'%s' next --claim; touch '%s'", program, outside)}
			server := httptest.NewServer(m)
			defer server.Close()
			home := filepath.Join(place, "home")
			env := []string{"HOME=" + home, "XDG_STATE_HOME=" + filepath.Join(home, "state"), "TASKER_DB=" + filepath.Join(data, "tasker.db"),
				"PATH=" + filepath.Dir(program) + string(os.PathListSeparator) + os.Getenv("PATH")}
			run := func(name string, args ...string) string {
				t.Helper()
				ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
				defer cancel()
				c := exec.CommandContext(ctx, name, args...)
				c.Dir, c.Env, c.WaitDelay = repo, append(env, a.env(server.URL)...), 5*time.Second
				said, err := c.CombinedOutput()
				if err != nil {
					t.Fatalf("%s: %v: %s", filepath.Base(name), err, said)
				}
				return string(said)
			}
			run("git", "init", "--quiet")
			run(program, "init", "--actor", "alice")
			run(program, "add", "One thing")
			run(program, "setup", a.name, "--yes")
			for name, text := range a.own {
				path := filepath.Join(home, filepath.FromSlash(name))
				if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(path, []byte(strings.ReplaceAll(text, "REPO", repo)), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			run(client, a.args(server.URL)...)

			told := "You still hold shop-1 in tasker"
			all := strings.Join(m.turns, "\n")
			if !a.silent && (len(m.turns) != 3 || !strings.Contains(m.turns[min(2, len(m.turns)-1)], told)) {
				t.Fatalf("%d turns, want a command, an end, and an end after it was told what it holds: %.3000s", len(m.turns), all)
			}
			if a.silent && (len(m.turns) != 2 || strings.Contains(all, told)) {
				t.Fatalf("%d turns, want a command and an end: %.3000s", len(m.turns), all)
			}
			if !strings.Contains(m.turns[0], a.tool) {
				t.Error("its tool server is not connected")
			}
			if !strings.Contains(m.turns[1], "shop-1 is yours") {
				t.Errorf("its shell claimed nothing: %.2000s", m.turns[1])
			}
			if _, err := os.Stat(outside); (err == nil) == a.boxed {
				t.Errorf("a file outside: %v; has its shell a sandbox: %v", err, a.boxed)
			}
			var log []struct{ Kind, Actor string }
			if err := json.Unmarshal([]byte(run(program, "events", "--json")), &log); err != nil {
				t.Fatal(err)
			}
			var did []string
			for _, e := range log {
				if e.Actor == a.name {
					did = append(did, e.Kind)
				}
			}
			want := "task.claimed note.added claim.released"
			if a.silent {
				want = "task.claimed"
			}
			if got := strings.Join(did, " "); got != want {
				t.Errorf("it did %q, want %q", got, want)
			}
			run(program, "setup", a.name, "--remove", "--yes")
			if left := run("git", "status", "--porcelain"); strings.Contains(left, "."+a.name) || strings.Contains(left, "AGENTS") || strings.Contains(left, "CLAUDE") {
				t.Errorf("after --remove there is %s", left)
			}
		})
	}
}
