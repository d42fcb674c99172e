package ui

import (
	"context"
	"fmt"
	"runtime/debug"
	"sync"

	tea "charm.land/bubbletea/v2"

	"tasker/internal/fault"
)

// program passes messages to the State, and carries out the effects that it asks for. It draws through bubbletea, the
// only part that knows the terminal.
type program struct {
	ctx   context.Context
	ops   Operations
	color bool
	begin []Effect
	state State

	turn  *sync.Mutex // held by the effect that is carried out
	crash *crash
}

// crash stores the first panic of the view, its messages or its effects, so that the terminal is restored before the
// panic is reported.
type crash struct {
	mu  sync.Mutex
	err error
	end func() // ends the program
}

// caught turns a panic into the end of the program.
func (c *crash) caught() {
	r := recover()
	if r == nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.err == nil {
		c.err = fault.New(fault.Internal, "the view broke: %v", r).WithCause(fmt.Errorf("%s", debug.Stack()))
	}
	if c.end != nil {
		go c.end()
	}
}

func (c *crash) first() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.err
}

// Init requests what the first screen needs.
func (p program) Init() tea.Cmd { return p.commands(p.begin) }

// Update handles a message of bubbletea.
func (p program) Update(msg tea.Msg) (next tea.Model, cmd tea.Cmd) {
	next = p //nolint:wastedassign // the result after a crash
	defer p.crash.caught()
	m := read(msg)
	if m == nil {
		return p, nil
	}
	var effects []Effect
	p.state, effects = Update(p.state, m)
	return p, p.commands(effects)
}

// read translates a message of bubbletea into one of ours, or nil if we have no use for it.
func read(msg tea.Msg) Message {
	switch msg := msg.(type) {
	case Message:
		return msg
	case tea.WindowSizeMsg:
		return Size{msg.Width, msg.Height}
	case tea.KeyPressMsg:
		return Key{Name: msg.String(), Text: msg.Text}
	case tea.PasteMsg:
		return Pasted{msg.Content}
	}
	return nil
}

// View draws the whole terminal.
func (p program) View() (v tea.View) {
	v.AltScreen = true
	defer p.crash.caught()
	v.Content = View(p.state, p.color)
	return v
}

// commands turns effects into commands of bubbletea.
func (p program) commands(effects []Effect) tea.Cmd {
	cmds := make([]tea.Cmd, len(effects))
	for i, e := range effects {
		switch e := e.(type) {
		case Quit:
			cmds[i] = tea.Quit
		case Suspend:
			cmds[i] = tea.Suspend
		default:
			cmds[i] = func() (msg tea.Msg) {
				defer p.crash.caught()
				if _, waits := e.(Wait); !waits { // one at a time: a Factory serves one command, which does one thing after another
					p.turn.Lock()
					defer p.turn.Unlock()
				}
				return carryOut(p.ctx, p.ops, e)
			}
		}
	}
	return tea.Batch(cmds...)
}

// carryOut carries out an effect, and returns its result.
func carryOut(ctx context.Context, ops Operations, e Effect) Message {
	switch e := e.(type) {
	case LoadList:
		l, err := ops.List(ctx, e.Tab, e.Words)
		return Listed{Tab: e.Tab, Words: e.Words, Listing: l, Err: err}
	case LoadTask:
		b, err := ops.Task(ctx, e.ID)
		return Shown{e.ID, b, err}
	case LoadAround:
		n, err := ops.Around(ctx, e.ID)
		return Surrounded{e.ID, n, err}
	case Wait:
		last, err := ops.Await(ctx, e.From)
		return Happened{last, err}
	case Do:
		said, err := ops.Do(ctx, e.Act)
		if err == nil {
			return Done{Act: e.Act, Said: said}
		}
		r := ops.Refusal(err)
		return Done{Act: e.Act, Trouble: &r, Stale: fault.Is(err, fault.Conflict)}
	}
	return nil
}
