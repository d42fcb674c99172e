package web

import (
	"cmp"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"

	"tasker/internal/task"
	"tasker/internal/views/picture/chart"
)

// dueMark is the label of a due date: how far away it is, and how urgent.
type dueMark struct{ Text, Class, Title string }

// soonDue is how long before its due date a task counts as due soon.
const soonDue = 3 * 24 * time.Hour

// due returns the label of a due date; closed means that the task is closed, so nothing is late any more.
func (s *site) due(date task.Opt, closed bool) *dueMark {
	at, err := task.ParseDue(string(date))
	if date == "" || err != nil {
		return nil
	}
	left := at.Go().Sub(s.Now())
	m := &dueMark{Text: "due " + day(at.Go(), s.Now()), Title: "due " + string(date)}
	switch days := int(left.Abs() / (24 * time.Hour)); {
	case closed:
	case left < 0 && days == 0:
		m.Text, m.Class = "overdue", "late"
	case left < 0:
		m.Text, m.Class = fmt.Sprintf("%d d overdue", days), "late"
	case left < 24*time.Hour:
		m.Text, m.Class = "due today", "soon"
	case left < soonDue:
		m.Text, m.Class = fmt.Sprintf("due in %d d", days), "soon"
	}
	return m
}

// day returns a short date, with the year only if it differs from now's.
func day(at, now time.Time) string {
	if at.Year() == now.Year() {
		return at.Format("2 Jan")
	}
	return at.Format("2 Jan 2006")
}

// week names the week that begins at a moment by its first day and the day on which the next one begins.
func (s *site) week(from task.Time) string {
	first, next := from.Go(), from.Go().AddDate(0, 0, 7)
	begins := day(first, s.Now())
	if first.Month() == next.Month() {
		begins = strconv.Itoa(first.Day())
	}
	return begins + " to " + day(next, s.Now())
}

// piece is a part of a text: a moment, a task, or words.
type piece struct {
	Text string
	At   string // a moment, RFC 3339
	Task string // an id
}

// pieces finds moments and possible task ids. It is compiled on first use, because every command links this package.
var pieces = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z|[A-Za-z0-9][A-Za-z0-9._-]{0,62}-\d{1,15}\b`)
})

// prose splits a text from the core, so that the page can show moments its own way and link the project's tasks.
func (s *site) prose(slug string, v any) (out []piece) {
	text := fmt.Sprint(v)
	from := 0
	add := func(p piece) {
		if p != (piece{}) {
			out = append(out, p)
		}
	}
	for _, at := range pieces().FindAllStringIndex(text, maxPieces) {
		found := text[at[0]:at[1]]
		var p piece
		if t, err := time.Parse(time.RFC3339, found); err == nil {
			p = piece{At: found, Text: chart.Relative(t.Sub(s.Now()))}
		} else if slug != "" && strings.HasPrefix(found, slug+"-") { // the tracker's own keys often differ by their case alone
			if _, _, ok := task.ParseID(found); ok {
				p = piece{Task: found, Text: found}
			}
		}
		if p == (piece{}) {
			continue
		}
		before := text[from:at[0]]
		if words, ok := strings.CutSuffix(before, "until "); ok && strings.HasPrefix(p.Text, "in ") {
			before, p.Text = words+"for another ", p.Text[len("in "):]
		} else if p.At != "" {
			before = strings.TrimSuffix(before, "at ") // "5 h ago" needs no preposition
		}
		add(piece{Text: before})
		add(p)
		from = at[1]
	}
	add(piece{Text: text[from:]})
	return out
}

// maxPieces limits how many moments and tasks are found in a text.
const maxPieces = 200

// capital returns a sentence with a capital letter, unless it begins with a name.
func capital(v any) string {
	text := fmt.Sprint(v)
	first, _, _ := strings.Cut(text, " ")
	if strings.ContainsFunc(first, func(r rune) bool { return r < 'a' || r > 'z' }) || first == "" || first == "tasker" {
		return text
	}
	return strings.ToUpper(text[:1]) + text[1:]
}

// troubleWord says why a task is stuck; nothing if it is not.
func troubleWord(t task.Trouble) string {
	if t == task.TroubleLapsed {
		return "lease ran out"
	}
	return chart.Word(string(t))
}

// shortRunes is the length of a title in a list of choices.
const shortRunes = 60

// short returns the beginning of a text.
func short(text string) string { return chart.Clip(text, shortRunes) }

// sortWord returns the name of an order of tasks.
func sortWord(name string) string {
	return cmp.Or(map[string]string{"id": "number", "selection": "what to do first", "due": "due date", "changed": "last change", "parent": "epic"}[name], name)
}
