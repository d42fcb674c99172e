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
	Text    string // as it was asked: the id of a task finds that task
	Project string // all that the reader sees where it is empty
	Kind    Kind   // of the hits; all where it is empty
	Limit   int    // hits of each kind
}

// Found is a document that matches, with its whole text until it is judged, and then with the passage that is shown.
type Found struct {
	Kind    Kind
	Doc     int64 // the later document has the higher number, within its project and kind
	Task    task.Opt
	Project string
	Title   string // of the task
	Text    string
	At      task.Time
	Named   bool // the query is the task's id
	Score   float64
}

// Judge returns a document with its score, and with its passage in place of its text: one document may be large, and many are
// looked at.
func (q Query) Judge(f Found, now task.Time) Found {
	score, text := q.score(f, now)
	f.Score, f.Text = score, strings.Clone(text) // a part of the text would hold all of it
	return f
}

// Result is what a search found: how many there are of each kind, and of each the candidates for its hits.
type Result struct {
	Counts KindCounts
	More   bool // there are further documents, which were not counted
	Found  []Found
}

// Hit is one answer to a search.
type Hit struct {
	Kind    Kind      `json:"kind"`
	Task    task.Opt  `json:"task"`
	Project task.Opt  `json:"project"` // null: of the whole database
	Text    string    `json:"text"`
	At      task.Time `json:"at"`
	Score   float64   `json:"score"`
}

// Candidates is how many documents of each kind are looked at for the best ones: the newest, where more match. Ranking
// so costs the same for a word that every task holds.
func Candidates(limit int) int { return max(limit, min(4*limit, 200)) }

// Rank returns the best hits of documents that were judged, at most limit of each kind, best first; the newer, then the one with the lower kind and
// the higher document goes first of equals.
func Rank(found []Found, limit int) []Hit {
	type ranked struct {
		Hit
		doc int64
	}
	all := make([]ranked, 0, len(found))
	for _, f := range found {
		all = append(all, ranked{Hit{Kind: f.Kind, Task: f.Task, Project: task.Opt(f.Project), Text: f.Text, At: f.At, Score: f.Score}, f.Doc})
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

// What a hit is worth: its kind; the share of the query in the task's title, in one passage, and word for word; that
// it is exactly what was asked for; and that it is new.
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
	freshDays  = 30 // after so many days, half of freshWorth is left
	namedWorth = 20.0
)

// score is what a document is worth as a hit, to three decimals, and its passage.
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
