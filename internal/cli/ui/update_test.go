package ui

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tasker/internal/cli/frame"
	"tasker/internal/cli/term"
	"tasker/internal/fault"
	"tasker/internal/inbox"
	"tasker/internal/task"
	"tasker/internal/task/waiting"
)

// typing returns the keys that type a text.
func typing(text string) []Message {
	var all []Message
	for _, r := range text {
		all = append(all, Key{Name: string(r), Text: string(r)})
	}
	return all
}

// press returns keys by their names.
func press(names ...string) []Message {
	all := make([]Message, len(names))
	for i, n := range names {
		all[i] = Key{Name: n}
	}
	return all
}

// sample is a State with something in every list.
func sample() State {
	s := State{Project: "demo", Actor: "ann", Width: 80, Height: 24}
	question := &inbox.Item{ID: "blocking_question:demo-3:17", Kind: waiting.ItemQuestion, Task: "demo-3", Why: "bot asks: which one?", For: "human"}
	approval := &inbox.Item{
		ID: "approval_requested:demo-1:role:lead", Kind: waiting.ItemApproval, Task: "demo-1", Why: "approval by lead", For: "role:lead",
	}
	review := &inbox.Item{ID: "review:demo-2", Kind: waiting.ItemReview, Task: "demo-2", Why: "in review", For: "human"}
	s.Lists[TabInbox] = Listing{Known: true, Total: 3, Rows: []Row{
		{ID: "demo-3", Title: "Free", Item: question, Since: "5 minutes ago"},
		{ID: "demo-1", Title: "Ship it", Item: approval, Since: "1 hour ago"},
		{ID: "demo-2", Title: "Look at it", Item: review, Since: "2 hours ago"},
	}}
	s.Lists[TabReady] = Listing{Known: true, Total: 1, Rows: []Row{{ID: "demo-4", Title: "Ready one", Mark: term.Green.Of("▷ ready"), Version: 4, Priority: 2}}}
	return s
}

func briefed(id task.ID, version int64) *Brief {
	return &Brief{ID: id, Version: version, Paint: func(int) [][]term.Span {
		return [][]term.Span{{term.Bold.Of(string(id))}, {term.Plain.Of("text")}}
	}}
}

// through sends messages to a State, and returns the effects of the last one.
func through(s State, all ...[]Message) (State, []Effect) {
	var effects []Effect
	for _, messages := range all {
		for _, m := range messages {
			s, effects = Update(s, m)
		}
	}
	return s, effects
}

func TestWhatKeysAskFor(t *testing.T) {
	shown := func(id task.ID, version int64) []Message {
		return []Message{Shown{ID: id, Brief: briefed(id, version)}}
	}
	around := []Message{Surrounded{ID: "demo-3", Neighbours: &Neighbours{
		Task: Node{ID: "demo-3"}, Sides: [sides][]Node{{{ID: "demo-8"}, {ID: "demo-9"}}, nil},
	}}}
	for _, c := range []struct {
		name string
		do   [][]Message
		want []Effect
	}{
		{"q quits", [][]Message{press("q")}, []Effect{Quit{}}},
		{"ctrl-c quits from a prompt too", [][]Message{press("n", "ctrl+c")}, []Effect{Quit{}}},
		{"q is typed in a prompt", [][]Message{press("n"), typing("q"), press("enter")}, []Effect{Do{Act{Verb: Note, Task: "demo-3", Text: "q"}}}},
		{"enter reads the task", [][]Message{press("enter")}, []Effect{LoadTask{"demo-3"}}},
		{"a list by its number", [][]Message{press("3")}, []Effect{LoadList{TabReady, ""}}},
		{"a list to the left of the first", [][]Message{press("left")}, []Effect{LoadList{TabAll, ""}}},
		{"an answer is for the question of the item", [][]Message{press("w"), typing("red"), press("enter")},
			[]Effect{Do{Act{Verb: Answer, Task: "demo-3", Question: 17, Text: "red"}}}},
		{"an approval shows the task first", [][]Message{press("down", "a")}, []Effect{LoadTask{"demo-1"}}},
		{"and is of the version that was shown", [][]Message{press("down", "a"), shown("demo-1", 7), press("y")},
			[]Effect{Do{Act{Verb: Approve, Task: "demo-1", Version: 7, Kind: "approval", Role: "lead"}}}},
		{"also if the task is read again before the yes", [][]Message{press("down", "a"), shown("demo-1", 7), shown("demo-1", 8), press("y")},
			[]Effect{Do{Act{Verb: Approve, Task: "demo-1", Version: 7, Kind: "approval", Role: "lead"}}}},
		{"anything but y means no", [][]Message{press("down", "a"), shown("demo-1", 7), press("enter")}, nil},
		{"a review with nothing missing is closed", [][]Message{press("down", "down", "a"), shown("demo-2", 2), press("y")},
			[]Effect{Do{Act{Verb: Close, Task: "demo-2", Version: 2}}}},
		{"send back", [][]Message{press("down", "down", "enter"), shown("demo-2", 2), press("b"), typing("no"), press("enter")},
			[]Effect{Do{Act{Verb: Return, Task: "demo-2", Version: 2, Text: "no"}}}},
		{"close from a list", [][]Message{press("3", "d", "y")}, []Effect{Do{Act{Verb: Close, Task: "demo-4", Version: 4}}}},
		{"claim", [][]Message{press("3", "c")}, []Effect{Do{Act{Verb: Claim, Task: "demo-4", Version: 4}}}},
		{"release", [][]Message{press("3", "r")}, []Effect{Do{Act{Verb: Release, Task: "demo-4", Version: 4}}}},
		{"tick", [][]Message{press("3", "t"), typing("1, 3"), press("enter")},
			[]Effect{Do{Act{Verb: Tick, Task: "demo-4", Version: 4, Criteria: []int{1, 3}}}}},
		{"tick what is not a number", [][]Message{press("3", "t"), typing("x"), press("enter")}, nil},
		{"put away", [][]Message{press("p")}, []Effect{Do{Act{Verb: PutAway, Task: "demo-3", Item: "blocking_question:demo-3:17"}}}},
		{"put away what is not an item", [][]Message{press("3", "p")}, nil},
		{"around", [][]Message{press("g")}, []Effect{LoadAround{"demo-3"}}},
		{"a side, then its task", [][]Message{press("g"), around, press("left", "down", "left")}, []Effect{LoadAround{"demo-9"}}},
		{"no way where nothing waits", [][]Message{press("g"), around, press("right", "enter")}, []Effect{LoadTask{"demo-3"}}},
		{"back from a side", [][]Message{press("g"), around, press("left", "right", "enter")}, []Effect{LoadTask{"demo-3"}}},
		{"act on a neighbour", [][]Message{press("g"), around, press("left", "c")}, []Effect{Do{Act{Verb: Claim, Task: "demo-8"}}}},
		{"narrow letter by letter", [][]Message{press("3"), {Listed{Tab: TabReady}}, press("/"), typing("x")},
			[]Effect{LoadList{TabInbox, ""}, LoadList{TabReady, "x"}}},
		{"pasted text is typed", [][]Message{press("n"), {Pasted{"a\r\nb"}}, press("enter")}, []Effect{Do{Act{Verb: Note, Task: "demo-3", Text: "a\nb"}}}},
		{"events load what is shown, and wait on", [][]Message{{Happened{Last: 9}}}, []Effect{LoadList{TabInbox, ""}, Wait{9}}},
		{"events while it loads wait for it", [][]Message{{Happened{Last: 9}, Happened{Last: 10}}}, []Effect{Wait{10}}},
		{"and are loaded then", [][]Message{{Happened{Last: 9}, Happened{Last: 10}, Listed{Tab: TabInbox}}}, []Effect{LoadList{TabInbox, ""}}},
		{"R waits again where events had ended", [][]Message{{Happened{Err: errors.New("gone")}}, press("R")}, []Effect{LoadList{TabInbox, ""}, Wait{0}}},
	} {
		_, got := through(sample(), c.do...)
		if d := cmp.Diff(c.want, got); d != "" {
			t.Errorf("%s: %s", c.name, d)
		}
	}
}

func TestARefusalIsShownWithTheTaskAsItIsNow(t *testing.T) {
	s, _ := through(sample(), press("down", "enter"), []Message{Shown{ID: "demo-1", Brief: briefed("demo-1", 7)}}, press("a", "y"))
	before := s
	s, effects := Update(s, Done{Act: Act{Verb: Approve, Task: "demo-1"}, Stale: true, Trouble: &frame.Refusal{Message: "demo-1 has version 8, not 7"}})
	if d := cmp.Diff([]Effect{LoadList{TabInbox, ""}, LoadTask{"demo-1"}}, effects); d != "" {
		t.Error(d)
	}
	if s.Trouble == nil || before.Trouble != nil {
		t.Error("the refusal is not shown, or was written into the state before")
	}
	s, _ = Update(s, Shown{ID: "demo-1", Brief: briefed("demo-1", 8)})
	if s, _ = Update(s, Key{Name: "x"}); s.Trouble != nil || s.here().Brief.Version != 8 {
		t.Errorf("after a key: %+v", s)
	}
}

func TestTheChosenRowStaysChosen(t *testing.T) {
	s, _ := through(sample(), press("down"))
	rows := s.Lists[TabInbox].Rows
	s, _ = Update(s, Listed{Tab: TabInbox, Listing: Listing{Rows: []Row{rows[2], rows[1]}, Total: 2}})
	if s.row().ID != "demo-1" {
		t.Errorf("%s is chosen", s.row().ID)
	}
	s, _ = Update(s, Listed{Tab: TabInbox, Listing: Listing{}})
	if s.row() != nil {
		t.Errorf("%s is chosen in an empty list", s.row().ID)
	}
	// An answer to words that have changed since is ignored.
	s.Words = "two"
	if s, _ = Update(s, Listed{Tab: TabInbox, Words: "one", Listing: Listing{Rows: rows}}); s.row() != nil {
		t.Error("an answer to other words is shown")
	}
}

func TestALoadThatFailsIsTold(t *testing.T) {
	s, _ := Update(sample(), Listed{Err: fault.Bad("the database is gone")})
	if s.Notice != "the database is gone" || len(s.Lists[TabInbox].Rows) != 3 {
		t.Errorf("%q, %d rows", s.Notice, len(s.Lists[TabInbox].Rows))
	}
}

func TestTheWayBackIsBounded(t *testing.T) {
	s := sample()
	for range 3 * maxPlaces {
		s, _ = Update(s, Key{Name: "g"})
		s, _ = Update(s, Surrounded{ID: "demo-3", Neighbours: &Neighbours{Task: Node{ID: "demo-3"}}})
		s, _ = Update(s, Key{Name: "enter"})
	}
	if len(s.Places) != maxPlaces {
		t.Errorf("%d places are remembered", len(s.Places))
	}
}
