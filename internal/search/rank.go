package search

import (
	"cmp"
	"math"
	"math/bits"
	"slices"
	"strings"

	"tasker/internal/task"
)

// Ask is a search.
type Ask struct {
	Query   Query
	Text    string // the text of the query: the id of a task finds that task
	Project string // empty: all that the reader sees
	Kind    Kind   // of the hits; empty: all
	Limit   int    // hits of each kind
}

// Found is a document that matches, with its whole text until it is judged, and then with the passage that is shown.
type Found struct {
	Kind    Kind
	Doc     int64 // within a project and kind, later documents have higher numbers
	Task    task.Opt
	Project string
	Title   string // of the task
	Text    string
	At      task.Time
	Named   bool        // the query is the task's id
	Event   *task.Event // of the log: who did what; nil for other kinds
	Score   float64
}

// Judge returns a document with its score, and with its passage in place of its text: documents may be large, and many
// are judged.
func (q Query) Judge(f Found, now task.Time) Found {
	score, text := q.score(f, now)
	f.Score, f.Text = score, strings.Clone(text) // a substring would keep the whole text in memory
	return f
}

// Result is what a search found: how many documents there are of each kind, and the candidates for its hits.
type Result struct {
	Counts KindCounts
	More   bool // there are more documents, which were not counted
	Found  []Found
}

// Hit is one answer to a search.
type Hit struct {
	Kind    Kind      `json:"kind"`
	Task    task.Opt  `json:"task"`
	Project task.Opt  `json:"project"` // null: it belongs to the whole database
	Text    string    `json:"text"`
	At      task.Time `json:"at"`
	Score   float64   `json:"score"`

	Event *task.Event `json:"-"` // of the log: who did what, for pages, which say it in a sentence
}

// Candidates is how many documents of each kind are judged for the best ones: the newest, if more match. So ranking
// costs the same for a word that every task contains.
func Candidates(limit int) int { return max(limit, min(4*limit, 200)) }

// Rank returns the best hits of judged documents, at most limit of each kind, best first. If scores are equal, the
// newer hit goes first, then the one with the lower kind, then the one with the higher document.
func Rank(found []Found, limit int) []Hit {
	type ranked struct {
		Hit
		doc int64
	}
	all := make([]ranked, 0, len(found))
	for _, f := range found {
		all = append(all, ranked{Hit{Kind: f.Kind, Task: f.Task, Project: task.Opt(f.Project), Text: f.Text, At: f.At, Score: f.Score, Event: f.Event}, f.Doc})
	}
	slices.SortFunc(all, func(a, b ranked) int {
		return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(b.At, a.At), cmp.Compare(kindOrder(a.Kind), kindOrder(b.Kind)),
			cmp.Compare(b.doc, a.doc), cmp.Compare(a.Project, b.Project))
	})
	var of KindCounts
	out := make([]Hit, 0, min(len(all), limit))
	for _, r := range all {
		if n := of.Of(r.Kind); *n < limit {
			*n++
			out = append(out, r.Hit)
		}
	}
	return out
}

func kindOrder(k Kind) int { return slices.Index(Kinds, k) }

// What a hit is worth: its kind; the share of the query in the task's title, in one passage, and word for word; whether
// it is exactly what was asked for; and how new it is.
func (k Kind) worth() float64 {
	return cmp.Or(worths[k], 4)
}

var worths = map[Kind]float64{Title: 10, Decision: 6, Body: 5, Note: 5, Log: 2}

const (
	titleWorth = 5.0
	nearWorth  = 2.0
	wholeWorth = 1.0
	exactWorth = 4.0
	freshWorth = 2.0
	freshDays  = 30 // after this many days, half of freshWorth is left
	namedWorth = 20.0
)

// score returns the value of a document as a hit, to three decimals, and its passage.
func (q Query) score(f Found, now task.Time) (float64, string) {
	text, title := q.look(f.Text), q.look(f.Title)
	if f.Kind == Title && title.any == text.any { // the key adds nothing
		f.Text, text = f.Title, title
	}
	marks, near := text.best()
	n := float64(max(len(q.Groups), 1))
	share := func(groups uint64) float64 { return float64(bits.OnesCount64(groups)) / n }
	score := f.Kind.worth() + titleWorth*share(title.any) + nearWorth*float64(near)/n + wholeWorth*share(text.whole|title.whole)
	if f.Kind == Title && q.is(f.Title) {
		score += exactWorth
	}
	if f.Named {
		score += namedWorth
	}
	days := max(0, int64(now-f.At)/(24*60*60*1_000_000))
	score += freshWorth * freshDays / float64(freshDays+days)
	return math.Round(score*1000) / 1000, passage(f.Text, marks)
}

// is reports whether a text is the query, word for word.
func (q Query) is(text string) bool {
	s := scanner{text: text}
	for _, g := range q.Groups {
		for _, w := range g.Words {
			if !s.next() || string(s.word) != w && (!s.echo || !s.next() || string(s.word) != w) {
				return false
			}
		}
	}
	return !s.next() || s.echo && !s.next()
}
