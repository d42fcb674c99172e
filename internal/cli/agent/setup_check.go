package agent

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"

	"tasker/internal/agent/setup"
	"tasker/internal/child/purpose"
	"tasker/internal/cli/frame"
	"tasker/internal/fault"
	"tasker/internal/task"
	"tasker/internal/text/words"
)

// setupChecked is the answer of setup --check.
type setupChecked struct {
	Agent   string   `json:"agent"`
	Dir     string   `json:"dir"`
	Program string   `json:"program"` // how the agent's files start tasker
	Actor   string   `json:"actor"`
	Task    task.Opt `json:"task"` // claimed and given back; null if nothing is ready for the agent
}

// hello is what a client of the tool server says first.
const hello = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},` +
	`"clientInfo":{"name":"check","version":"1"}}}` + "\n"

// checkSetup starts what the agent's files name as the agent would: the tool server, and commands in a shell, which claim
// a task and give it back. What only this shell sets does not count.
func checkSetup(ctx context.Context, f *frame.Factory, agent string) error {
	root := agentRoot(f)
	entry, err := setup.Written(agent, hereFiles(root))
	if err != nil {
		return err
	}
	c := trial{f: f, root: root, entry: entry}
	out := setupChecked{Agent: agent, Dir: root, Program: entry.Program, Actor: cmp.Or(entry.Actor(), agent)}
	if _, err := c.run(ctx, "the tool server", strings.NewReader(hello), "mcp"); err != nil {
		return err
	}
	answer, err := c.run(ctx, "next", nil, "next", "--claim", "--json")
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
		return fault.Decline("%s starts something else as %s: it does not answer as tasker does", entry.Title, entry.Program).WithHint("see what that is")
	}
	if next.Claimed != nil {
		out.Task = task.Opt(next.Claimed.Task)
		if _, err := c.run(ctx, "release", nil, "release", next.Claimed.Task, "--fence", strconv.FormatInt(next.Claimed.Fence, 10), "--quiet"); err != nil {
			return err
		}
	}
	return f.Answer(out, func() {
		f.Say("%s starts %s and acts as %s\n", entry.Title, entry.Program, out.Actor)
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
	entry setup.Entry
}

// run runs tasker in a shell, in the environment that the agent's files give, and returns its standard output.
func (c trial) run(ctx context.Context, what string, stdin io.Reader, args ...string) ([]byte, error) {
	line := strings.Join(words.Each(append([]string{c.entry.Program}, args...), words.Shell), " ")
	var out, failed bytes.Buffer
	// What this shell says about who acts, where and on what is not the agent's. Credentials are: files never hold them.
	env := slices.DeleteFunc(c.f.Process.Environ(), func(v string) bool {
		name, _, _ := strings.Cut(v, "=")
		return slices.Contains([]string{"TASKER_ACTOR", "TASKER_PROJECT", "TASKER_TASK", "TASKER_FENCE"}, name) ||
			slices.Contains([]string{"TASKER_DB", "TASKER_URL"}, name) && words.Redacted(c.f.Env(name)) == c.f.Env(name)
	})
	ran, err := c.f.Wiring.Exec(ctx, frame.Execution{
		For: purpose.Worker, Args: []string{"sh", "-c", line}, Dir: c.root, Env: append(env, c.entry.Env...), Whole: true,
		Stdin: cmp.Or[io.Reader](stdin, strings.NewReader("")), Output: &out, Errors: &failed, Secret: c.f.Secrets(),
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
