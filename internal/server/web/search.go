package web

import (
	"regexp"
	"slices"
	"strings"

	"tasker/internal/core"
	"tasker/internal/event/eventtext"
	"tasker/internal/op"
	"tasker/internal/search"
	"tasker/internal/task"
	"tasker/internal/views/reading"
)

// searchBody is a query and its results.
type searchBody struct {
	Q        string
	In       string // project
	Kind     string
	Found    *reading.SearchOut // nil: there was no query
	Counts   []kindCount        // per kind found
	Projects []*task.Project
	States   map[task.ID]string // of the tasks that were found
}

// StateOf returns the state of a task that was found; "" if there is no such task any more.
func (b searchBody) StateOf(id task.Opt) string { return b.States[task.ID(id)] }

// statedHits is for how many of the found tasks the page shows the state.
const statedHits = 200

type kindCount struct {
	Kind search.Kind
	N    int
}

func (s *site) search(a *asker, p *shown) any {
	body := searchBody{Q: a.value("q"), In: a.value("project"), Kind: a.value("kind"), Projects: ask(a, op.Projects, core.None{})}
	if body.In != "" && slices.ContainsFunc(body.Projects, func(of *task.Project) bool { return of.Slug == body.In }) {
		p.Project = ask(a, op.Project, core.ProjectIn{Slug: body.In})
	}
	if body.Q != "" {
		// The page links an id's task, but never redirects the reader by itself.
		found := askWith(a, op.Search, only(a.r.URL.Query(), "q", "project", "kind", "limit"))
		body.Found = &found
		for _, k := range search.Kinds {
			if n := *found.Counts.Of(k); n > 0 {
				body.Counts = append(body.Counts, kindCount{k, n})
			}
		}
		var ids []task.ID
		for _, h := range found.Hits {
			if id := task.ID(h.Task); id != "" && !slices.Contains(ids, id) && len(ids) < statedHits {
				ids = append(ids, id)
			}
		}
		body.States = ask(a, op.States, reading.StatesIn{IDs: ids})
	}
	return body
}

// said returns the text of a hit: of the log it is the sentence that the page of events has.
func said(h search.Hit) string {
	if h.Event == nil {
		return h.Text
	}
	return h.Event.Actor + " " + eventtext.Of(*h.Event)
}

// passage is a part of a found text: a word of the query, or the text between two.
type passage struct {
	Text string
	Hit  bool
}

// maxMarked limits how many words of a query are marked in a text.
const maxMarked = 8

// marked splits a text at the words of a query, ignoring case.
func marked(query, text string) (out []passage) {
	var each []string
	for _, w := range strings.Fields(strings.ReplaceAll(query, `"`, " ")) {
		if len(each) < maxMarked {
			each = append(each, regexp.QuoteMeta(w))
		}
	}
	if len(each) == 0 {
		return []passage{{Text: text}}
	}
	found, err := regexp.Compile(`(?i)` + strings.Join(each, "|"))
	if err != nil { // the query is not UTF-8
		return []passage{{Text: text}}
	}
	from := 0
	for _, at := range found.FindAllStringIndex(text, maxPieces) {
		if at[0] > from {
			out = append(out, passage{Text: text[from:at[0]]})
		}
		out = append(out, passage{Text: text[at[0]:at[1]], Hit: true})
		from = at[1]
	}
	return append(out, passage{Text: text[from:]})
}
