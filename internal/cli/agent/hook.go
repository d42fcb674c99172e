package agent

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/spf13/cobra"

	"tasker/internal/agent/setup"
	"tasker/internal/cli/frame"
	"tasker/internal/fault"
	"tasker/internal/task"
	"tasker/internal/text/words"
)

// hookOptions holds the options of `tasker hook`.
type hookOptions struct {
	agent string
}

// hookEvents are the moments in an agent's life that a hook is called for.
var hookEvents = []string{"start", "stop", "limit", "end", "beat", "edit"}

const (
	// hookTime is how long a hook works at most: the agent waits for it. Starting and ending the program take some more.
	hookTime = 250 * time.Millisecond
	// hookInput bounds what an agent tells a hook.
	hookInput = 1 << 20
	// hookLogSize bounds the log of hooks, which then begins again.
	hookLogSize = 1 << 20
)

// NewHook returns the command `tasker hook`.
func NewHook(f *frame.Factory) *cobra.Command {
	o := &hookOptions{}
	return f.Command(frame.Spec{
		Use: "hook EVENT", Short: "Answer a moment in an agent's life; the agent calls it, and setup writes the call",
		Args: frame.Exactly("an EVENT: one of " + strings.Join(hookEvents, ", ")),
		Example: []string{
			"tasker hook start --agent claude    # what the agent reads when it starts, and after a compaction",
			"tasker hook stop --agent claude     # it is about to end its turn: say once what it still holds",
			"tasker hook end --agent claude      # its session ends: give back what it holds",
		},
		Long: "start tells the agent how to work here. stop, where the session holds a task and has written nothing to it since the last\n" +
			"stop, says so once. limit keeps what it holds until the usage limit ends (6 hours at most), and notes that. end gives back\n" +
			"what it holds, without an attempt; beat, after each use of a tool, keeps it. edit says once that another holds a task with\n" +
			"the file that is about to change. All of them act for one session of the agent: for what was claimed in it, and nothing else.\n" +
			"In a worker of tasker run, and with a server, they do nothing but start.\n\n" +
			"It reads what the agent tells about the moment from standard input, and answers in the agent's form. It never stands in\n" +
			"the agent's way: whatever is wrong on our side, it ends within 300 milliseconds, says nothing and exits with 0; the reason\n" +
			"stands in hooks.log, in tasker's directory below XDG_STATE_HOME (~/.local/state without it).",
		Flags: []frame.Flag{
			frame.String(&o.agent, "agent", "the agent `NAME` for which this hook was written, if the shell does not say whose it is"),
		},
		Complete: frame.Offering(hookEvents),
	}, o.run)
}

// run answers in time or not at all. The work is done with a factory of its own, which nobody else touches when the time is
// over: the process then ends, and the work with it.
func (o *hookOptions) run(ctx context.Context, f *frame.Factory, args []string) error {
	type answer struct {
		told told
		err  error
	}
	event := args[0]
	done := make(chan answer, 1)
	work := frame.New(f.Process.Silent(), f.Wiring)
	work.Flags, work.For = f.Flags, o.agent
	ctx, cancel := context.WithTimeout(ctx, hookTime)
	defer cancel()
	go func() {
		defer func() {
			if p := recover(); p != nil { // a fault of ours, which the agent does not pay for
				done <- answer{err: fault.New(fault.Internal, "panic: %v", p)}
			}
		}()
		text, err := o.answer(ctx, work, event)
		if wrong := work.Close(); err == nil {
			err = wrong
		}
		done <- answer{text, err}
	}()
	select {
	case a := <-done:
		if a.err != nil {
			noteHook(f, event, a.err)
			return nil
		}
		f.Out.Text(a.told.text)
		if a.told.doc != nil {
			f.Out.Document(a.told.doc)
		}
	case <-ctx.Done():
		noteHook(f, event, fault.Unready("it took longer than %s", hookTime))
	}
	return nil
}

// told is an answer to an agent: a text, or a document in the form that the agent reads.
type told struct {
	text string
	doc  []byte
}

// answer works out the answer to an event.
func (o *hookOptions) answer(ctx context.Context, f *frame.Factory, event string) (out told, err error) {
	if o.agent != "" {
		if _, _, err := task.ParseCaller(o.agent); err != nil {
			return out, err
		}
	}
	if !slices.Contains(hookEvents, event) {
		return out, fault.Bad("there is no event %q", event)
	}
	said, err := heard(f)
	if err != nil {
		return out, err
	}
	f.SessionID = said.session()
	if f.NoDatabase() { // a hook makes none
		return out, nil
	}
	var form map[string]any
	var text string
	if event == "start" {
		manual, err := primed(ctx, f, true)
		if err != nil {
			return out, err
		}
		text, form = string(manual), setup.Start(o.reader(f), string(manual))
		forgetOld(f)
	} else {
		if text, err = lifeOf(f, said).answer(ctx, event); err != nil || text == "" {
			return out, err
		}
		form = setup.Told(o.reader(f), event, text)
	}
	if form == nil {
		out.text = text
		return out, nil
	}
	out.doc, err = f.JSON(form)
	return out, err
}

// heard reads what the agent tells about the moment: one JSON value, which some agents send without closing the stream, and
// others do not send at all.
func heard(f *frame.Factory) (said saying, err error) {
	if f.Process.InTTY {
		return said, nil
	}
	read := make(chan error, 1)
	var value jsontext.Value
	go func() {
		var err error
		value, err = jsontext.NewDecoder(io.LimitReader(f.Process.Stdin, hookInput)).ReadValue()
		read <- err
	}()
	select {
	case err := <-read:
		switch {
		case errors.Is(err, io.EOF):
		case err != nil:
			return said, fault.Bad("what the agent told is not JSON, or longer than %d bytes", hookInput)
		case value.Kind() == '{':
			// Agents may give a member another form than the others do: what cannot be read is not told.
			_ = json.Unmarshal(value, &said)
		}
	case <-time.After(hookTime / 3):
	}
	return said, nil
}

// reader returns the agent that reads the answer: agents call hooks that were written for others.
func (o *hookOptions) reader(f *frame.Factory) string {
	if named := f.Named().Agent; slices.Contains(setup.Agents(), named) {
		return named
	}
	return o.agent
}

// hookLog returns the file that says why hooks were silent, or "" if there is no place for it.
func hookLog(f *frame.Factory) string {
	if state := f.Env("XDG_STATE_HOME"); filepath.IsAbs(state) {
		return filepath.Join(state, "tasker", "hooks.log")
	}
	if home := f.Env("HOME"); filepath.IsAbs(home) {
		return filepath.Join(home, ".local", "state", "tasker", "hooks.log")
	}
	return ""
}

// noteHook writes into the log why a hook was silent. If the log cannot be written, nothing is said: the agent is not to be
// disturbed.
func noteHook(f *frame.Factory, event string, why error) {
	path := hookLog(f)
	if path == "" || os.MkdirAll(filepath.Dir(path), 0o700) != nil {
		return
	}
	flags := os.O_WRONLY | os.O_CREATE | os.O_APPEND
	info, err := os.Lstat(path)
	switch {
	case err == nil && !info.Mode().IsRegular() || err != nil && !errors.Is(err, fs.ErrNotExist):
		return // what others have put there is not ours to write to, and opening a pipe would wait
	case err == nil && info.Size() > hookLogSize:
		flags |= os.O_TRUNC
	}
	log, err := os.OpenFile(path, flags, 0o600)
	if err != nil {
		return
	}
	defer log.Close()
	e := fault.Of(why)
	_, _ = fmt.Fprintf(log, "%s %q %q: %q\n", f.Now().UTC().Format(time.RFC3339), words.Cut(event, 100), f.Process.Dir, words.Cut(e.Message, 1000))
}
