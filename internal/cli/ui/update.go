package ui

import (
	"slices"
	"strings"

	"tasker/internal/fault"
	"tasker/internal/task"
)

// Begin returns the first State, and what it asks for.
func Begin(project, actor string, from int64, width, height int) (State, []Effect) {
	s := State{Project: project, Actor: actor, From: from, Width: width, Height: height}
	effects := s.load()
	return s, append(effects, Wait{from})
}

// Update returns the State after a message, and the effects that it asks for.
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

// load asks for what is shown: the list with how much waits for the reader, and the task.
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

// loaded counts a load that has ended. What happened meanwhile is loaded then: there is never more than one round under way.
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

// happened loads anew what is shown.
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

// listed puts a list in its place; the task that was chosen stays chosen. An answer to words that are no longer those that the
// reader typed is passed over.
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

// name tells a row from the others of its list: a task can be in the inbox several times.
func (r *Row) name() string {
	if r.Item != nil {
		return r.Item.ID
	}
	return string(r.ID)
}

// shown puts a task on its screen, and asks to confirm what the reader came for: it is about the version that is shown.
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

// done tells of an act, and shows what has become of its task.
func (s *State) done(m Done) []Effect {
	s.Trouble, s.Notice = m.Trouble, m.Said
	if m.Stale {
		s.Notice = "It is shown here as it is now"
	}
	return s.reload()
}

// open goes to a screen.
func (s *State) open(p Place) []Effect {
	p.Side = Middle
	s.Places = append(s.Places, p)
	if len(s.Places) > maxPlaces {
		s.Places = s.Places[1:]
	}
	s.Loading++
	return []Effect{p.load()}
}

// back goes to the screen before, as it is now.
func (s *State) back() []Effect {
	s.Intent = nil
	if len(s.Places) == 0 {
		return nil
	}
	s.Places = s.Places[:len(s.Places)-1]
	return s.reload()
}

// version returns the version of a task as it is shown, 0 where none is.
func (s *State) version(id task.ID) int64 {
	if p := s.here(); p != nil {
		if p.Brief != nil && p.Brief.ID == id {
			return p.Brief.Version
		}
		return 0
	}
	if r := s.row(); r != nil && r.ID == id {
		return r.Version
	}
	return 0
}
