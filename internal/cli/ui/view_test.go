package ui

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"tasker/internal/bundle"
	"tasker/internal/cli/frame"
	"tasker/internal/cli/term"
	"tasker/internal/inbox"
	"tasker/internal/task"
	"tasker/internal/task/waiting"
)

var update = flag.Bool("update", false, "write the golden files again")

// hostile is a text that a terminal would obey, with wide glyphs and a change of direction.
const hostile = "Ship \x1b[2Jit\u202e now\r\n\x07 日本語 👩‍👩‍👧‍👦 and a long way to go until the end of this line is reached at last"

// painter is a Factory as a command on a terminal has it.
func painter() *frame.Factory {
	f := frame.New(frame.Process{
		OutTTY: true, Now: func() time.Time { return time.Date(2026, 5, 4, 12, 0, 0, 0, time.UTC) },
		Env: func(string) (string, bool) { return "", false },
	}, frame.Wiring{})
	f.Begin()
	return f
}

// full is a State with hostile text in every place that can hold stored text.
func full() State {
	s := sample()
	at := task.TimeOf(time.Date(2026, 5, 4, 11, 0, 0, 0, time.UTC))
	s.Lists[TabInbox].Rows[1].Title = hostile
	s.Lists[TabInbox].Rows[2].Item = &inbox.Item{ID: "review:demo-2", Kind: waiting.ItemReview, Task: "demo-2", Why: hostile}
	var rows []Row
	for i := range 60 {
		r := Row{ID: task.ID(fmt.Sprintf("demo-%d", i+1)), Title: fmt.Sprintf("Task %d", i+1), Mark: term.Green.Of("▷ ready"), Priority: i % 4}
		switch i % 5 {
		case 1:
			r.Title, r.Holder, r.Mark = hostile, "bot\x1b[31m/worker-with-a-long-name", term.Blue.Of("◐ held")
		case 2:
			r.Mark, r.Due = term.Plain.Of("○ waiting for 3 tasks"), term.Red.Of("! 2026-05-01 overdue")
		}
		rows = append(rows, r)
	}
	s.Lists[TabAll] = Listing{Rows: rows, Total: 75, Known: true}
	b := &bundle.Bundle{
		Task: &task.Task{
			ID: "demo-1", Project: "demo", Key: "ship", Title: hostile, Body: task.Opt("# Why\n\n" + hostile + "\n\n- one\n- two `code`"),
			Status: task.InReview, Priority: 1, Version: 7, UpdatedAt: at,
			Criteria: []task.Criterion{{Index: 1, Text: hostile, Checked: true, CheckedBy: "bot"}, {Index: 2, Text: "the tests pass"}},
		},
		Deps:       []bundle.Dep{{ID: "demo-8", Title: hostile, Status: task.Done}},
		Dependents: []bundle.Brief{{ID: "demo-9", Title: "After it", Status: task.Open}},
		Notes:      []task.Note{{ID: 5, Task: "demo-1", Actor: "bot\x1b[1m", Text: hostile, At: at}},
		Questions:  []task.Question{{ID: 17, Task: "demo-1", Actor: "bot", Text: "Which one?"}},
	}
	s.Places = []Place{{ID: "demo-1", Brief: briefOf(painter(), b), Side: Middle}}
	return s
}

func TestScreens(t *testing.T) {
	neighbours := &Neighbours{
		Task: Node{ID: "demo-1", Title: hostile, Mark: term.Yellow.Of("◑ in review")},
		Sides: [sides][]Node{
			{{ID: "demo-8", Title: hostile, Mark: term.Green.Of("● done")},
				{ID: "demo-7", Title: "Before it", Mark: term.Blue.Of("◐ held"), Holder: "bot\x1b[0m", More: true}},
			{{ID: "demo-9", Title: "After it", Mark: term.Plain.Of("○ waiting")}},
		},
	}
	screens := map[string]func() State{
		"inbox": func() State { s := full(); s.Places = nil; return s },
		"all":   func() State { s := full(); s.Places, s.Tab = nil, TabAll; s.Lists[TabAll].At = 31; return s },
		"end":   func() State { s := full(); s.Places, s.Tab = nil, TabAll; s.Lists[TabAll].At = 59; return s },
		"empty": func() State {
			s := full()
			s.Places, s.Tab, s.Words = nil, TabHeld, hostile
			s.Lists[TabHeld].Known = true
			return s
		},
		"task": full,
		"graph": func() State {
			s := full()
			s.Places = append(s.Places, Place{ID: "demo-1", Around: true, Neighbours: neighbours, Side: Upstream, At: [sides]int{1, 0}})
			return s
		},
		"refused": func() State {
			s := full()
			s.Trouble = &frame.Refusal{Message: "demo-1 cannot be done", Missing: []string{"criterion 2: " + hostile, "evidence test"}, Hint: "tick it first"}
			return s
		},
		"approve": func() State {
			s, _ := Update(full(), Key{Name: "a"})
			return s
		},
		"typing": func() State {
			s, _ := through(full(), press("n"), []Message{Pasted{strings.Repeat("words ", 40) + hostile}})
			return s
		},
		"notlive": func() State {
			s := full()
			s.Places, s.Dead = nil, "the server at http://x cannot be reached"
			return s
		},
		"help": func() State { s := full(); s.Help = true; return s },
	}
	for _, size := range [][2]int{{80, 24}, {120, 40}, {60, 20}, {40, 10}} {
		for name, state := range screens {
			if size == [2]int{40, 10} && name != "inbox" {
				continue
			}
			s := state()
			s.Width, s.Height = size[0], size[1]
			plain := View(s, false)
			golden(t, fmt.Sprintf("%s-%dx%d", name, size[0], size[1]), plain)
			wellFormed(t, name, plain, s)
			colored := View(s, true)
			if stripped(colored) != plain {
				t.Errorf("%s: with colours it is another text", name)
			}
		}
	}
}

// wellFormed fails if a screen has too many lines, lines that are too long, or anything that a terminal obeys.
func wellFormed(t *testing.T, name, screen string, s State) {
	t.Helper()
	lines := strings.Split(screen, "\n")
	if len(lines) != s.Height {
		t.Errorf("%s: %d lines in %d", name, len(lines), s.Height)
	}
	for _, line := range lines {
		if term.Columns(line) > s.Width {
			t.Errorf("%s: %d cells in %d: %q", name, term.Columns(line), s.Width, line)
		}
		if line != term.Inert(line, false) {
			t.Errorf("%s: a terminal would obey %q", name, line)
		}
	}
}

// stripped returns a screen without our colours.
func stripped(screen string) string {
	var b strings.Builder
	for i, line := range term.Styled(screen + "\n") {
		if i > 0 {
			b.WriteByte('\n')
		}
		for _, s := range line {
			b.WriteString(s.Text)
		}
	}
	return b.String()
}

func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name+".golden")
	if *update {
		if err := os.MkdirAll("testdata", 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(got+"\n"), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if string(want) != got+"\n" {
		t.Errorf("%s is not drawn as it was; look at what `go test ./internal/cli/ui -update` changes:\n%s", name, got)
	}
}
