package ui

import (
	"slices"
	"strings"

	"tasker/internal/fault"
	"tasker/internal/task"
)

// Begin returns the first State and its effects.
func Begin(project, actor string, from int64, width, height int) (State, []Effect) {
	s := State{Project: project, Actor: actor, From: from, Width: width, Height: height}
	effects := s.load()
	return s, append(effects, Wait{from})
}

// Update returns the State after a message, and its effects.
func Update(s State, m Message) (State, []Effect) {
	s.Places = slices.Clone(s.Places)
	if s.Prompt != nil {
		p := *s.Prompt
		s.Prompt = &p
	}
	var effects []Effect
	switch m := m.(type) {
	case Size:
		s.Width, s.Height = m.Width, m.Height
	case Key:
		effects = s.key(m)
	case Pasted:
		s.typed(strings.ReplaceAll(m.Text, "\r\n", "\n"))
		effects = s.find()
	case Happened:
		effects = s.happened(m)
	case Done:
		effects = s.done(m)
	case Listed:
		s.listed(m)
		effects = s.loaded(m.Err)
	case Shown:
		s.shown(m)
		effects = s.loaded(m.Err)
	case Surrounded:
		if p := s.here(); m.Err == nil && p != nil && p.Around && p.ID == m.ID {
			p.Neighbours = m.Neighbours
			for side, nodes := range m.Neighbours.Sides {
				p.At[side] = max(0, min(p.At[side], len(nodes)-1))
			}
		}
		effects = s.loaded(m.Err)
	}
	return s, effects
}

// load requests what is on the screen: the list, the number of items waiting for the reader, and the task.
func (s *State) load() []Effect {
	var effects []Effect
	if s.Tab != TabInbox {
		effects = append(effects, LoadList{TabInbox, ""})
	}
	effects = append(effects, LoadList{s.Tab, s.Words})
	if p := s.here(); p != nil {
		effects = append(effects, p.load())
	}
	s.Loading += len(effects)
	return effects
}

func (p *Place) load() Effect {
	if p.Around {
		return LoadAround{p.ID}
	}
	return LoadTask{p.ID}
}

// loaded counts a finished load. If something happened in the meantime, it loads again: there is never more than one
// round at a time.
func (s *State) loaded(err error) []Effect {
	s.Loading--
	if err != nil {
		s.Notice = fault.Of(err).Message
	}
	if s.Loading > 0 || !s.Outdated {
		return nil
	}
	s.Outdated = false
	return s.load()
}

// happened reloads what is on the screen.
func (s *State) happened(m Happened) []Effect {
	if m.Err != nil {
		s.Dead = fault.Of(m.Err).Message
		return nil
	}
	s.From, s.Dead = m.Last, ""
	return append(s.reload(), Wait{m.Last})
}

func (s *State) reload() []Effect {
	for i := range s.Lists {
		s.Lists[i].Known = false
	}
	if s.Loading > 0 {
		s.Outdated = true
		return nil
	}
	return s.load()
}

// listed stores a list; the chosen task stays chosen. It ignores the answer to words that the reader has changed since.
func (s *State) listed(m Listed) {
	if m.Err != nil || m.Tab == s.Tab && m.Words != s.Words || m.Tab != s.Tab && m.Words != "" {
		return
	}
	was := s.Lists[m.Tab]
	now := m.Listing
	now.Known = true
	now.At = max(0, min(was.At, len(now.Rows)-1))
	if was.At < len(was.Rows) {
		same := func(r Row) bool { return r.name() == was.Rows[was.At].name() }
		if i := slices.IndexFunc(now.Rows, same); i >= 0 {
			now.At = i
		}
	}
	s.Lists[m.Tab] = now
}

// name distinguishes a row from the others of its list: a task can be in the inbox several times.
func (r *Row) name() string {
	if r.Item != nil {
		return r.Item.ID
	}
	return string(r.ID)
}

// shown puts a task on its screen, and asks the reader to confirm the pending act: it applies to the version on the
// screen.
func (s *State) shown(m Shown) {
	p := s.here()
	if m.Err != nil {
		s.Intent = nil
	}
	if m.Err != nil || p == nil || p.Around || p.ID != m.ID {
		return
	}
	p.Brief = m.Brief
	if s.Intent != nil && s.Intent.Task == m.ID {
		act := *s.Intent
		s.Intent = nil
		s.confirm(act, m.Brief.Version)
	}
}

// done reports an act, and shows its task as it is now.
func (s *State) done(m Done) []Effect {
	s.Trouble, s.Notice = m.Trouble, m.Said
	if m.Stale {
		s.Notice = "It is shown here as it is now"
	}
	return s.reload()
}

// open opens a screen.
func (s *State) open(p Place) []Effect {
	p.Side = Middle
	s.Places = append(s.Places, p)
	if len(s.Places) > maxPlaces {
		s.Places = s.Places[1:]
	}
	s.Loading++
	return []Effect{p.load()}
}

// back returns to the previous screen, and reloads it.
func (s *State) back() []Effect {
	s.Intent = nil
	if len(s.Places) == 0 {
		return nil
	}
	s.Places = s.Places[:len(s.Places)-1]
	return s.reload()
}

// version returns the version of a task on the screen, or 0 if it is not there.
func (s *State) version(id task.ID) int64 {
	switch p, r := s.here(), s.row(); {
	case p != nil && p.Brief != nil && p.Brief.ID == id:
		return p.Brief.Version
	case p == nil && r != nil && r.ID == id:
		return r.Version
	}
	return 0
}
