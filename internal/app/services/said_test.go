package services_test

import (
	"context"
	"encoding/json"
	"io"
	"io/fs"
	"regexp"
	"strings"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"tasker/internal/cli"
	"tasker/internal/cli/frame"
	"tasker/internal/core"
	"tasker/internal/fault"
	"tasker/internal/op"
	"tasker/internal/server/mcp"
	"tasker/internal/task"
	"tasker/internal/views/reading"
	"tasker/internal/work"
)

// acting carries out operations as one actor.
type acting struct {
	frame.Remote // no command here asks for more than operations

	ctx context.Context
	ops op.Local
}

func (p acting) Call(_ context.Context, o *op.Op, in any) (op.Reply, error) {
	return p.ops.Call(p.ctx, o, in)
}

func (h *saga) acting(name string) acting {
	return acting{ctx: as(name), ops: op.NewLocal(h.s.All()...)}
}

// noFiles is a machine without a configuration.
type noFiles struct{}

func (noFiles) ReadFile(string) ([]byte, error)  { return nil, fs.ErrNotExist }
func (noFiles) Stat(string) (fs.FileInfo, error) { return nil, fs.ErrNotExist }

// says runs a command as an actor and returns what it prints.
func (h *saga) says(f facts, name, line string) string {
	var out, failed strings.Builder
	code := cli.Main(frame.Process{
		Args: strings.Fields(line), Dir: "/", Stdin: strings.NewReader(""), Stdout: &out, Stderr: &failed, Now: f.now,
		Env: func(name string) (string, bool) {
			if name == "TASKER_URL" {
				return "http://127.0.0.1:1", true // nobody listens there: Dial returns the caller
			}
			return "", false
		},
		User: func() string { return name }, Host: func() string { return "here" }, Environ: func() []string { return nil },
		Stop: func(ctx context.Context, _ time.Duration) (context.Context, context.CancelFunc) {
			return context.WithCancel(ctx)
		},
	}, frame.Wiring{
		Version: "test", Files: noFiles{}, Dial: func(frame.Dialling) (frame.Remote, error) { return h.acting(name), nil },
		Repository: func(context.Context, string) (frame.Repository, error) { return nil, nil },
	})
	if code != 0 {
		h.t.Fatalf("tasker %s ends with %d: %s", line, code, failed.String())
	}
	return out.String()
}

// checkSaid compares the numbers in the output of commands, in the manual, in the tools' answers and in explanations with
// the records.
func (h *saga) checkSaid(f facts) {
	h.checkCommands(f)
	h.checkTools(f)
	for _, t := range f.tasks {
		h.checkExplained(f, t)
	}
}

func (h *saga) checkCommands(f facts) {
	is := func(command, said, pattern string, want int) {
		h.t.Helper()
		if n := number(said, pattern); n != want {
			h.t.Fatalf("tasker %s says %d where %q is %d:\n%s", command, n, pattern, want, said)
		}
	}
	counts := func(s task.Status) (n int) {
		for _, t := range f.tasks {
			if t.Status == s {
				n++
			}
		}
		return n
	}
	in := func(s task.State) int { return len(f.in(s)) }
	said := h.says(f, "ann", "work -p "+h.slug)
	is("work", said, `(?m)^Ready: (\d+)`, in(task.StateReady))
	is("work", said, `(?m)^Waiting: (\d+)`, in(task.StateWaiting))
	is("work", said, `(?m)^Kept back by a question: (\d+)`, in(task.StateAsked))
	is("work", said, `(?m)^Held: (\d+)`, in(task.StateHeld))
	is("work", said, `(?m)^In progress, held by nobody: (\d+)`, in(task.StateUnheld))
	said = h.says(f, "ann", "ready --limit 1 -p "+h.slug)
	switch rows := strings.Count(said, "\n"+h.slug+"-"); {
	case rows != min(in(task.StateReady), 1):
		h.t.Fatalf("tasker ready has %d rows, want %d:\n%s", rows, min(in(task.StateReady), 1), said)
	case in(task.StateReady) > 1:
		is("ready", said, `of (\d+) ready`, in(task.StateReady))
	}
	for i, name := range task.States {
		said := h.says(f, "ann", "list --limit 1 --state "+name+" -p "+h.slug)
		want := in(task.State(i))
		switch rows := strings.Count(said, "\n"+h.slug+"-"); {
		case rows != min(want, 1):
			h.t.Fatalf("tasker list --state %s has %d rows, want %d:\n%s", name, rows, min(want, 1), said)
		case want > 1:
			is("list --state "+name, said, `1 of (\d+)`, want)
		}
	}
	board, shown := h.says(f, "ann", "board -p "+h.slug), h.says(f, "ann", "project show "+h.slug)
	manual := h.says(f, "bee", "prime -p "+h.slug)
	for status, words := range map[task.Status]string{
		task.Open: "open", task.InProgress: "in progress", task.InReview: "in review", task.Done: "done", task.Cancelled: "cancelled",
	} {
		is("board", board, `(?m)^\S+ `+words+`  (\d+) task`, counts(status))
		is("project show", shown, `(?m)^  \S+ `+words+`: (\d+)`, counts(status))
		is("prime", manual, `(?m)^Project .*?(\d+) `+words, counts(status))
	}
	holdable := 0
	for _, t := range f.tasks {
		if t.Ready() && houseRules.MayHold(cast["bee"], t.Autonomy, t.MayExecute) == nil {
			holdable++
		}
	}
	is("prime", manual, `\((\d+) ready, `, in(task.StateReady))
	is("prime", manual, ` ready, (\d+) for you\)`, holdable)
	is("prime --short", h.says(f, "bee", "prime --short -p "+h.slug), `: (\d+) ready for you`, holdable)
	out, err := h.s.Work.Peek(as("bee"), work.PeekIn{Project: h.slug})
	h.ok(err)
	if out.Idle == nil || out.Idle.Finished {
		return
	}
	next := h.says(f, "bee", "next -p "+h.slug)
	is("next", next, `(\d+) waiting for tasks`, in(task.StateWaiting))
	is("next", next, `(\d+) in progress without a holder`, in(task.StateUnheld))
	held := number(next, `(\d+) held by you`) + number(next, `(\d+) held by others`)
	if held != in(task.StateHeld) {
		h.t.Fatalf("tasker next says that %d are held, want %d: %s", held, in(task.StateHeld), next)
	}
}

// checkTools reads the numbers in the tools' answers.
func (h *saga) checkTools(f facts) {
	server, err := mcp.New(mcp.Options{Ops: h.acting("bee"), Version: "test", All: true})
	if err != nil {
		h.t.Fatal(err)
	}
	ctx, end := context.WithCancel(context.Background())
	defer end()
	fromClient, toServer := io.Pipe()
	fromServer, toClient := io.Pipe()
	served := make(chan error, 1)
	go func() { served <- server.Serve(ctx, fromClient, toClient) }()
	client, err := sdk.NewClient(&sdk.Implementation{Name: "test", Version: "1"}, nil).
		Connect(ctx, &sdk.IOTransport{Reader: fromServer, Writer: toServer}, nil)
	if err != nil {
		h.t.Fatal(err)
	}
	defer func() {
		_ = client.Close()
		_ = toServer.Close()
		<-served
	}()
	ask := func(tool string, args map[string]any, into any) {
		h.t.Helper()
		res, err := client.CallTool(ctx, &sdk.CallToolParams{Name: tool, Arguments: args})
		if err != nil {
			h.t.Fatal(err)
		}
		text, _ := res.Content[len(res.Content)-1].(*sdk.TextContent)
		if text == nil || res.IsError {
			h.t.Fatalf("%s %v is refused: %+v", tool, args, text)
		}
		if err := json.Unmarshal([]byte(text.Text), into); err != nil {
			h.t.Fatalf("%s %v answers %s: %v", tool, args, text.Text, err)
		}
	}
	for i, name := range task.States {
		var out struct {
			Total int
			Tasks []json.RawMessage
		}
		ask("tasker_list", map[string]any{"project": h.slug, "state": name, "limit": 1000}, &out)
		if want := len(f.in(task.State(i))); out.Total != want || len(out.Tasks) != want {
			h.t.Fatalf("the tool lists %d of %d %s tasks, want %d", len(out.Tasks), out.Total, name, want)
		}
	}
	var w struct{ Totals reading.WorkTotals }
	ask("tasker_work", map[string]any{"slug": h.slug}, &w)
	want := reading.WorkTotals{
		Ready: len(f.in(task.StateReady)), Blocked: len(f.in(task.StateWaiting)), Asked: len(f.in(task.StateAsked)),
		Held: len(f.in(task.StateHeld)), Unheld: len(f.in(task.StateUnheld)),
	}
	if w.Totals != want {
		h.t.Fatalf("the tool counts %+v, want %+v", w.Totals, want)
	}
}

// waitsFor finds how many tasks a sentence says that another waits for.
var waitsFor = regexp.MustCompile(`waits for (\d+)`)

// checkExplained compares what explain and wait say about one task.
func (h *saga) checkExplained(f facts, t *task.Task) {
	ctx := as("bee")
	why, err := h.s.Reading.Explain(ctx, core.TaskIn{Task: string(t.ID)})
	h.ok(err)
	if why.Status != t.Status || why.Ready.Yes != t.Ready() {
		h.t.Fatalf("explain says that %s is %s and ready: %v; it is %s", t.ID, why.Status, why.Ready.Yes, task.States[t.State()])
	}
	met, err := h.s.Work.Met(ctx, work.MetIn{Task: string(t.ID), For: work.ForReady})
	h.ok(err)
	if met.Met != t.Ready() {
		h.t.Fatalf("wait says that %s is ready: %v; it is %s", t.ID, met.Met, task.States[t.State()])
	}
	if t.State() == task.StateWaiting && t.OpenDeps > 0 {
		open := 0
		for _, on := range t.Deps {
			for _, d := range f.tasks {
				if d.ID == on && !d.Status.Closed() {
					open++
				}
			}
		}
		if n := number(met.Why, waitsFor.String()); n != open {
			h.t.Fatalf("wait says %q of %s, and %d of its dependencies are open", met.Why, t.ID, open)
		}
	}
	met, err = h.s.Work.Met(ctx, work.MetIn{Task: string(t.ID), For: work.ForDone})
	if t.Status == task.Cancelled {
		if !fault.Is(err, fault.Declined) {
			h.t.Fatalf("wait for %s, which is cancelled: %v", t.ID, err)
		}
		return
	}
	h.ok(err)
	if met.Met != (t.Status == task.Done) {
		h.t.Fatalf("wait says that %s is done: %v; it is %s", t.ID, met.Met, t.Status)
	}
}
