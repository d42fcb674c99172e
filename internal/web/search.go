package web

import (
	"net/http"

	"tasker/internal/core"
	"tasker/internal/core/reading"
	"tasker/internal/op"
	"tasker/internal/search"
	"tasker/internal/task"
)

// searchBody is what was looked for and found.
type searchBody struct {
	Q        string
	In       string // project
	Kind     string
	Found    *reading.SearchOut // nil: nothing was looked for
	Counts   []kindCount        // of the kinds that were found
	Projects []*task.Project
}

type kindCount struct {
	Kind search.Kind
	N    int
}

func (s *site) search(r *http.Request, p *shown) error {
	p.Title = "Search"
	q := r.URL.Query()
	body := searchBody{Q: q.Get("q"), In: q.Get("project"), Kind: q.Get("kind")}
	var err error
	if body.Projects, err = op.Projects.Do(r.Context(), s.Ops, core.None{}); err != nil {
		return err
	}
	if body.Q != "" {
		// An id leads straight to its task; the page offers it, and never sends the reader elsewhere by itself.
		found, err := answered(s, r, op.Search, "q", "project", "kind", "limit")
		if err != nil {
			return err
		}
		body.Found = &found
		for _, k := range search.Kinds {
			if n := *found.Counts.Of(k); n > 0 {
				body.Counts = append(body.Counts, kindCount{k, n})
			}
		}
	}
	p.Body = body
	return nil
}
