package ui

import (
	"tasker/internal/cli/frame"
	"tasker/internal/task"
)

// Message is something that happened: on the terminal, in the project, or the result of an effect.
type Message interface{ message() }

// Size is the new size of the terminal.
type Size struct{ Width, Height int }

// Key is a key that was pressed: its name, and the text that it types.
type Key struct{ Name, Text string }

// Pasted is text that was pasted.
type Pasted struct{ Text string }

// Listed is a list that was loaded.
type Listed struct {
	Tab     Tab
	Words   string
	Listing Listing
	Err     error
}

// Shown is a task that was loaded.
type Shown struct {
	ID    task.ID
	Brief *Brief
	Err   error
}

// Surrounded is a task that was loaded with its neighbours.
type Surrounded struct {
	ID         task.ID
	Neighbours *Neighbours
	Err        error
}

// Done is an act that was carried out, or refused.
type Done struct {
	Act     Act
	Said    string
	Trouble *frame.Refusal
	Stale   bool // refused because the task has changed since it was shown
}

// Happened reports new events, up to the one with this id, or why no more will arrive.
type Happened struct {
	Last int64
	Err  error
}

func (Size) message()       {}
func (Key) message()        {}
func (Pasted) message()     {}
func (Listed) message()     {}
func (Shown) message()      {}
func (Surrounded) message() {}
func (Done) message()       {}
func (Happened) message()   {}

// Effect is something that a State asks for. All but the last two result in a Message.
type Effect interface{ effect() }

// LoadList loads a list.
type LoadList struct {
	Tab   Tab
	Words string
}

// LoadTask loads a task.
type LoadTask struct{ ID task.ID }

// LoadAround loads a task with its neighbours.
type LoadAround struct{ ID task.ID }

// Do carries out an act.
type Do struct{ Act Act }

// Wait waits for an event later than From.
type Wait struct{ From int64 }

// Suspend returns the terminal to the shell until the process continues.
type Suspend struct{}

// Quit ends the program.
type Quit struct{}

func (LoadList) effect()   {}
func (LoadTask) effect()   {}
func (LoadAround) effect() {}
func (Do) effect()         {}
func (Wait) effect()       {}
func (Suspend) effect()    {}
func (Quit) effect()       {}
