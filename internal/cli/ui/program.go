package ui

import (
	"context"
	"fmt"
	"runtime/debug"
	"sync"

	tea "charm.land/bubbletea/v2"

	"tasker/internal/fault"
)

// program carries the State from message to message, and carries out the effects that it asks for. It draws through bubbletea,
// which alone knows the terminal.
type program struct {
	ctx   context.Context
	ops   Operations
	color bool
	begin []Effect
	state State

	crash *crash
}

// crash stores the first panic of the view, its messages or its effects: the terminal is restored before anybody is told.
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

// Init asks for what the first screen needs.
func (p program) Init() tea.Cmd { return p.commands(p.begin) }

// Update takes a message of bubbletea to the next State.
func (p program) Update(msg tea.Msg) (next tea.Model, cmd tea.Cmd) {
	next = p //nolint:wastedassign // what a crash leaves
	defer p.crash.caught()
	m := read(msg)
	if m == nil {
		return p, nil
	}
	var effects []Effect
	p.state, effects = Update(p.state, m)
	return p, p.commands(effects)
}

// read returns a message of bubbletea as one of ours, nil where it says nothing to us.
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

// commands returns effects as commands of bubbletea.
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
				return carryOut(p.ctx, p.ops, e)
			}
		}
	}
	return tea.Batch(cmds...)
}

// carryOut carries out an effect, and returns what came of it.
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
		r := Trouble(ops.Refusal(err))
		return Done{Act: e.Act, Trouble: &r, Stale: fault.Is(err, fault.Conflict)}
	}
	return nil
}
