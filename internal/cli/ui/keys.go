package ui

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"tasker/internal/task"
	"tasker/internal/task/waiting"
	"tasker/internal/text/words"
)

// key handles a key, depending on the screen.
func (s *State) key(k Key) []Effect {
	switch {
	case k.Name == "ctrl+c":
		return []Effect{Quit{}}
	case k.Name == "ctrl+z":
		return []Effect{Suspend{}}
	case s.Prompt != nil:
		return s.prompted(k)
	case s.Trouble != nil || s.Help: // any key dismisses it
		s.Trouble, s.Help = nil, false
		return nil
	}
	s.Notice = ""
	switch k.Name {
	case "q":
		return []Effect{Quit{}}
	case "?":
		s.Help = true
		return nil
	case "esc", "backspace":
		if s.here() == nil && s.Words != "" {
			s.Words = ""
			return s.reload()
		}
		return s.back()
	case "R", "ctrl+r":
		effects := s.reload()
		if s.Dead != "" {
			s.Dead = ""
			effects = append(effects, Wait{s.From})
		}
		return effects
	}
	if effects, moved := s.move(k.Name); moved {
		return effects
	}
	return s.act(k.Name)
}

// move moves between rows and between screens.
func (s *State) move(key string) (effects []Effect, moved bool) {
	p := s.here()
	switch {
	case key == "g" && s.chosen() != "" && (p == nil || !p.Around):
		return s.open(Place{ID: s.chosen(), Around: true, Item: s.item()}), true
	case p == nil:
		return s.moveInList(key)
	case p.Around:
		return s.walk(p, key)
	}
	to, moves := stepped(key, p.Scroll, s.body()-1)
	if moves {
		p.Scroll = max(0, min(to, len(s.text(p))-s.body()))
	}
	return nil, moves
}

// stepped returns the line that a key leads to, given the number of lines per page; moves is false if the key does not
// move. The result may lie before the first line or after the last one.
func stepped(key string, at, page int) (to int, moves bool) {
	page = max(1, page)
	to, moves = map[string]int{
		"up": at - 1, "k": at - 1, "down": at + 1, "j": at + 1, "pgup": at - page, "pgdown": at + page, "space": at + page,
		"home": 0, "end": math.MaxInt,
	}[key]
	return to, moves
}

func (s *State) moveInList(key string) ([]Effect, bool) {
	l := s.list()
	if to, moves := stepped(key, l.At, s.rows()-1); moves {
		l.At = max(0, min(to, len(l.Rows)-1))
		return nil, true
	}
	switch key {
	case "tab", "right":
		return s.turn((s.Tab + 1) % tabs), true
	case "shift+tab", "left":
		return s.turn((s.Tab + tabs - 1) % tabs), true
	case "1", "2", "3", "4":
		return s.turn(Tab(key[0] - '1')), true
	case "/":
		s.Prompt = &Prompt{Label: "Narrow by", Text: s.Words, Find: true}
	case "enter":
		if r := s.row(); r != nil {
			return s.open(Place{ID: r.ID, Item: r.Item}), true
		}
	default:
		return nil, false
	}
	return nil, true
}

// turn switches to another list.
func (s *State) turn(to Tab) []Effect {
	if to == s.Tab {
		return nil
	}
	s.Lists[s.Tab].Known = s.Lists[s.Tab].Known && s.Words == ""
	s.Tab = to
	s.Loading++
	return []Effect{LoadList{to, s.Words}}
}

// walk moves along the edges: an arrow moves to a side, and the same arrow again opens the task chosen there.
func (s *State) walk(p *Place, key string) ([]Effect, bool) {
	way := map[string]Side{"left": Upstream, "h": Upstream, "right": Downstream, "l": Downstream}
	side, sideways := way[key]
	switch {
	case p.Neighbours == nil:
		return nil, sideways
	case sideways && p.Side == side, key == "enter" && p.Side != Middle:
		n := p.node()
		if n == nil {
			return nil, true
		}
		return s.open(Place{ID: n.ID, Around: true}), true
	case sideways && p.Side != Middle:
		p.Side = Middle
	case sideways && len(p.Neighbours.Sides[side]) > 0:
		p.Side = side
	case sideways:
		s.Notice = [sides]string{"It waits for no task", "No task waits for it"}[side]
	case key == "enter":
		return s.open(Place{ID: p.ID, Item: p.Item}), true
	case (key == "up" || key == "k") && p.Side < sides:
		p.At[p.Side] = max(0, p.At[p.Side]-1)
	case (key == "down" || key == "j") && p.Side < sides:
		p.At[p.Side] = min(len(p.Neighbours.Sides[p.Side])-1, p.At[p.Side]+1)
	default:
		return nil, false
	}
	return nil, true
}

// verbs are the actions of keys on the chosen task.
var verbs = map[string]Verb{
	"w": Answer, "d": Close, "c": Claim, "r": Release, "b": Return, "t": Tick, "u": Untick, "n": Note, "p": PutAway,
}

// asks are the questions that come before some actions.
var asks = map[Verb]string{
	Return: "What has to change in %s?",
	Tick:   "Tick which criteria of %s? (such as 1 2)",
	Untick: "Untick which criteria of %s? (such as 1 2)",
	Note:   "Note on %s:",
}

// act starts the action of a key on the chosen task.
func (s *State) act(key string) []Effect {
	id, it := s.chosen(), s.item()
	if id == "" {
		return nil
	}
	act := Act{Verb: verbs[key], Task: id, Version: s.version(id)}
	switch key {
	case "a":
		return s.approve(id)
	case "d":
		s.confirm(act, act.Version)
	case "w":
		s.answer(act)
	case "c", "r":
		return []Effect{Do{act}}
	case "b", "t", "u", "n":
		if act.Verb == Return && it != nil && it.Task == id && it.Closed() {
			act.Item = it.ID
		}
		s.Prompt = &Prompt{Label: fmt.Sprintf(asks[act.Verb], id), Act: act}
	case "p":
		if it != nil {
			act.Item = it.ID
			return []Effect{Do{act}}
		}
		s.Notice = "Only what waits for you can be put away"
	}
	return nil
}

// approve asks to confirm the approval of a task, once the task is on the screen: people approve what they have read. A
// review item with nothing missing is settled by closing its task.
func (s *State) approve(id task.ID) []Effect {
	act := Act{Verb: Approve, Task: id}
	it := s.item()
	if it != nil && it.Task == id {
		switch {
		case it.Kind == waiting.ItemApproval || it.Kind == waiting.ItemVerification:
			act.Kind, _, _ = strings.Cut(string(it.Kind), "_")
			act.Role = it.Role()
		case it.Kind == waiting.ItemReview && !it.Closed():
			act.Verb = Close
		}
	}
	if p := s.here(); p != nil && !p.Around && p.Brief != nil {
		s.confirm(act, p.Brief.Version)
		return nil
	}
	s.Intent = &act
	return s.open(Place{ID: id, Item: it})
}

// confirm asks whether to do something with the version of a task on the screen.
func (s *State) confirm(act Act, version int64) {
	act.Version = version
	of := words.When(version > 0, fmt.Sprintf("version %d of ", version)) + string(act.Task)
	label := "Close " + of + " as done?"
	if act.Verb == Approve {
		verb := words.Either(act.Kind == task.KindVerification, "Verify ", "Approve ")
		label = verb + of + words.When(act.Role != "", " as "+act.Role) + ", as it is shown here?"
	}
	s.Prompt = &Prompt{Label: label + " (y/n)", Yes: true, Act: act}
}

// answer asks for the answer to a question: the one in the inbox item, or the first open one of the task.
func (s *State) answer(act Act) {
	of := string(act.Task)
	if it := s.item(); it != nil && it.Kind.Asks() && it.Task == act.Task {
		act.Question = it.Question()
	} else if p := s.here(); p != nil && p.Brief != nil && p.Brief.ID == act.Task && len(p.Brief.Questions) > 0 {
		act.Question, of = p.Brief.Questions[0].ID, p.Brief.Questions[0].Actor
	} else {
		s.Notice = "No open question is chosen"
		return
	}
	s.Prompt = &Prompt{Label: fmt.Sprintf("Answer question %d of %s:", act.Question, of), Act: act}
}

// prompted handles a key while a prompt is open.
func (s *State) prompted(k Key) []Effect {
	p := s.Prompt
	switch {
	case k.Name == "esc", p.Yes && k.Name != "y":
		s.Prompt = nil
		if p.Find && s.Words != "" {
			s.Words = ""
			return s.reload()
		}
		return nil
	case k.Name == "enter" && p.Find:
		s.Prompt = nil
		return nil
	case k.Name == "enter", p.Yes:
		return s.enter(*p)
	case k.Name == "backspace":
		if r := []rune(p.Text); len(r) > 0 {
			p.Text = string(r[:len(r)-1])
		}
	case k.Name == "ctrl+u":
		p.Text = ""
	case k.Text != "":
		s.typed(k.Text)
	}
	return s.find()
}

// typed adds text to the prompt, up to the longest text allowed.
func (s *State) typed(text string) {
	if p := s.Prompt; p != nil && !p.Yes && len(p.Text)+len(text) <= task.MaxText {
		p.Text += text
	}
}

// find narrows the list to what is typed so far.
func (s *State) find() []Effect {
	if s.Prompt == nil || !s.Prompt.Find || s.Prompt.Text == s.Words {
		return nil
	}
	s.Words = s.Prompt.Text
	s.list().At = 0
	return s.reload()
}

// enter carries out what the prompt was for.
func (s *State) enter(p Prompt) []Effect {
	act := p.Act
	act.Text = p.Text
	if act.Verb == Tick || act.Verb == Untick {
		act.Text = ""
		for field := range strings.FieldsSeq(strings.ReplaceAll(p.Text, ",", " ")) {
			n, err := strconv.Atoi(field)
			if err != nil {
				s.Notice = field + " is not the number of a criterion"
				return nil
			}
			act.Criteria = append(act.Criteria, n)
		}
		if len(act.Criteria) == 0 {
			s.Notice = "Say which, by their numbers"
			return nil
		}
	}
	s.Prompt = nil
	return []Effect{Do{act}}
}
