package agent

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"

	"tasker/internal/agent/setup"
	"tasker/internal/child/purpose"
	"tasker/internal/cli/frame"
	"tasker/internal/fault"
	"tasker/internal/hint"
	"tasker/internal/task"
	"tasker/internal/text/words"
	"tasker/internal/views/reading"
)

// setupChecked is the answer of setup --check.
type setupChecked struct {
	Agent   string   `json:"agent"`
	Dir     string   `json:"dir"`
	Program string   `json:"program"` // how the agent's files start tasker
	Actor   string   `json:"actor"`
	Task    task.Opt `json:"task"` // claimed and given back; null if nothing is ready for the agent
}

// hello is what a client of the tool server says first, with the name that it gives itself; then it asks who it is, and
// for a task, which needs the database.
const hello = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},` +
	`"clientInfo":{"name":%q,"version":"1"}}}` + "\n" + `{"jsonrpc":"2.0","method":"notifications/initialized"}` + "\n" +
	`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"tasker_whoami","arguments":{"full":true}}}` + "\n" +
	`{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"tasker_list","arguments":{"limit":1}}}` + "\n"

// checkSetup starts what the agent's files name as the agent would: the tool server, the hooks, and commands in a shell,
// which claim a task and give it back. Tools and shell must act under one name. What only this shell sets does not count.
func checkSetup(ctx context.Context, f *frame.Factory, agent string) error {
	root := agentRoot(f)
	entry, err := setup.Written(agent, hereFiles(root))
	if err != nil {
		return err
	}
	c := trial{f: f, root: root, agent: agent, entry: entry}
	out := setupChecked{Agent: agent, Dir: root, Program: entry.Program}
	tools, err := c.tools(ctx)
	if err != nil {
		return err
	}
	shell, err := c.shell(ctx)
	if err != nil {
		return err
	}
	if tools != shell {
		return fault.Decline("the tools of %s act as %s, and its shell as %s", entry.Title, tools, shell).
			WithHint("set it up again: %s; and see what sets TASKER_ACTOR for one of the two", hint.Command("setup "+agent))
	}
	out.Actor = shell
	silent, err := c.hook(ctx)
	if err != nil {
		return err
	}
	f.Warn(silent)
	if silent, err = c.hooks(ctx); err != nil {
		return err
	}
	f.Warn(silent)
	answer, err := c.run(ctx, "next", "next", "--claim", "--json")
	if err != nil {
		return err
	}
	var next struct {
		Claimed *struct {
			Task  string `json:"task"`
			Fence int64  `json:"fence"`
		} `json:"claimed"`
	}
	if err := json.Unmarshal(answer, &next); err != nil {
		return c.stranger()
	}
	if next.Claimed != nil {
		out.Task = task.Opt(next.Claimed.Task)
		if _, err := c.run(ctx, "release", "release", next.Claimed.Task, "--fence", strconv.FormatInt(next.Claimed.Fence, 10), "--quiet"); err != nil {
			return err
		}
	}
	return f.Answer(out, func() {
		f.Say("%s starts %s and acts as %s, with tools and in its shell\n", entry.Title, entry.Program, out.Actor)
		if out.Task == "" {
			f.Say("Nothing is ready for it, so no claim was tried\n")
			return
		}
		f.Say("It claimed %s and gave it back, which does not count as an attempt\n", out.Task)
	})
}

// trial runs commands as an agent would.
type trial struct {
	f     *frame.Factory
	root  string
	agent string
	entry setup.Entry
}

// stranger refuses a program that is not tasker.
func (c trial) stranger() error {
	return fault.Decline("%s starts something else as %s: it does not answer as tasker does", c.entry.Title, c.entry.Program).WithHint("see what that is")
}

// tools starts the tool server as the agent does, and returns as whom it acts for the agent.
func (c trial) tools(ctx context.Context) (actor string, err error) {
	args := c.entry.Tools
	if len(args) == 0 {
		args = []string{"mcp"}
	}
	line := strings.Join(words.Each(append([]string{c.entry.Program}, args...), words.Shell), " ")
	said, err := c.line(ctx, "the tool server", strings.NewReader(fmt.Sprintf(hello, c.entry.Client)), line, c.entry.Env)
	if err != nil {
		return "", err
	}
	answered := false
	for line := range bytes.Lines(said) {
		var m struct {
			ID     int `json:"id"`
			Result struct {
				Wrong   bool `json:"isError"`
				Content []struct {
					Text string `json:"text"`
				} `json:"content"`
			} `json:"result"`
		}
		if json.Unmarshal(line, &m) != nil || m.ID < 2 || len(m.Result.Content) == 0 {
			continue
		}
		text := m.Result.Content[len(m.Result.Content)-1].Text
		if m.Result.Wrong {
			said, advice := refusal([]byte(text))
			return "", fault.Decline("the tools do not work from the files of %s: %s", c.entry.Title, said).WithHint("%s", advice)
		}
		var me reading.WhoamiOut
		if m.ID == 2 && json.Unmarshal([]byte(text), &me) == nil {
			actor = me.Actor
		}
		answered = answered || m.ID == 3
	}
	if actor == "" || !answered {
		return "", c.stranger()
	}
	return actor, nil
}

// hook calls the start hook. One that says nothing is a warning and no fault: on a busy machine it gives up, which is better
// for the agent than to wait.
func (c trial) hook(ctx context.Context) (silent []string, err error) {
	const tries = 10
	for range tries {
		if c.entry.Hook == "" {
			return nil, nil
		}
		said, err := c.line(ctx, "the start hook", strings.NewReader("{}"), c.entry.Hook, frame.InShellOf(c.agent, c.entry.Shell))
		if err != nil || len(bytes.TrimSpace(said)) > 0 {
			return nil, err
		}
	}
	return []string{fmt.Sprintf("the start hook of %s told the agent nothing, %d times: the last line of %s says why", c.entry.Title, tries, hookLog(c.f))}, nil
}

// hooks calls the other hooks, as of a session that holds nothing. A hook hides what is wrong from the agent; where the log of
// hooks grew each time, that is a warning.
func (c trial) hooks(ctx context.Context) (faulty []string, err error) {
	const tries = 3
	logged := func() int64 {
		if info, err := os.Lstat(hookLog(c.f)); err == nil {
			return info.Size()
		}
		return 0
	}
	for _, h := range c.entry.Hooks {
		before, same := logged(), false
		for range tries {
			if _, err := c.line(ctx, "the "+h.Event+" hook", strings.NewReader(`{"session_id": "setup-check"}`), h.Command, frame.InShellOf(c.agent, c.entry.Shell)); err != nil {
				return nil, err
			}
			now := logged()
			if same = now == before; same {
				break
			}
			before = now
		}
		if !same {
			faulty = append(faulty, fmt.Sprintf("the %s hook of %s did nothing, %d times: the last line of %s says why", h.Event, c.entry.Title, tries, hookLog(c.f)))
		}
	}
	return faulty, nil
}

// shell returns as whom commands act in the agent's shell.
func (c trial) shell(ctx context.Context) (actor string, err error) {
	said, err := c.run(ctx, "whoami", "whoami", "--json")
	if err != nil {
		return "", err
	}
	var me reading.WhoamiOut
	if err := json.Unmarshal(said, &me); err != nil {
		return "", c.stranger()
	}
	return me.Actor, nil
}

// run runs tasker in the agent's shell, and returns its standard output.
func (c trial) run(ctx context.Context, what string, args ...string) ([]byte, error) {
	line := strings.Join(words.Each(append([]string{c.entry.Program}, args...), words.Shell), " ")
	env := c.entry.Shell
	for _, v := range c.entry.Env { // where no file can set them, the person does
		if name, _, _ := strings.Cut(v, "="); !slices.ContainsFunc(env, func(s string) bool { return strings.HasPrefix(s, name+"=") }) {
			env = append(env, v)
		}
	}
	if actor := c.entry.Actor(); actor != "" && !slices.ContainsFunc(env, func(s string) bool { return strings.HasPrefix(s, "TASKER_ACTOR=") }) {
		env = append(slices.Clone(env), "TASKER_ACTOR="+actor) // its guidance says to set it
	}
	return c.line(ctx, what, strings.NewReader(""), line, frame.InShellOf(c.agent, env))
}

// line runs a line of a shell with variables that the agent's files give, and returns its standard output.
func (c trial) line(ctx context.Context, what string, stdin io.Reader, line string, with []string) ([]byte, error) {
	var out, failed bytes.Buffer
	// What this shell says about who acts, where and on what is not the agent's. Credentials are: files never hold them.
	env := slices.DeleteFunc(frame.InShellOf("", c.f.Process.Environ()), func(v string) bool {
		name, _, _ := strings.Cut(v, "=")
		return slices.Contains([]string{"TASKER_ACTOR", "TASKER_PROJECT", "TASKER_TASK", "TASKER_FENCE"}, name) ||
			slices.Contains([]string{"TASKER_DB", "TASKER_URL"}, name) && words.Redacted(c.f.Env(name)) == c.f.Env(name)
	})
	ran, err := c.f.Wiring.Exec(ctx, frame.Execution{
		For: purpose.Worker, Args: []string{"sh", "-c", line}, Dir: c.root, Env: append(env, with...), Whole: true,
		Stdin: stdin, Output: &out, Errors: &failed, Secret: c.f.Secrets(),
	})
	switch {
	case errors.Is(err, frame.ErrNoProgram):
		return nil, fault.Decline("there is no sh here to try it with")
	case err != nil:
		return nil, err
	case ran.ExitCode != 0:
		said, advice := refusal(failed.Bytes())
		return nil, fault.Decline("%s does not work from the files of %s (exit code %d): %s", what, c.entry.Title, ran.ExitCode, said).
			WithHint("%swhat was run in %s: %s", words.When(advice != "", advice+"; "), c.root, line)
	}
	return out.Bytes(), nil
}

// refusal returns what a command of ours said when it was refused, as text or as JSON: the message and the hint. What
// another program said is cut.
func refusal(stderr []byte) (message, advice string) {
	var said struct {
		Message string `json:"message"`
		Hint    string `json:"hint"`
	}
	const longest = 300 // characters
	if json.Unmarshal(stderr, &said) == nil {
		return words.Cut(said.Message, longest), words.Cut(said.Hint, longest)
	}
	text := strings.ToValidUTF8(strings.TrimSpace(string(stderr)), "\ufffd")
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if ours, ok := strings.CutPrefix(line, "tasker: "); ok && message == "" {
			message = ours
		}
		if ours, ok := strings.CutPrefix(line, "hint: "); ok {
			advice = ours
		}
	}
	if message == "" {
		message, _, _ = strings.Cut(text, "\n")
	}
	return words.Cut(message, longest), words.Cut(advice, longest)
}
