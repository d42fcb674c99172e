package brief

import (
	"tasker/internal/core/reading"
	"tasker/internal/remedy"
	"tasker/internal/search"
	"tasker/internal/task"
)

// Search is what a query found: of a hit where it is and what it reads.
type Search struct {
	Query     string            `json:"query"`
	Project   task.Opt          `json:"project"`
	Counts    search.KindCounts `json:"counts"`
	Total     int               `json:"total"`
	TotalMore bool              `json:"totalMore,omitzero"`
	Hits      []Hit             `json:"hits"`
}

// Hit is a place where the query was found.
type Hit struct {
	Kind search.Kind `json:"kind"`
	Task task.ID     `json:"task,omitzero"`
	Text string      `json:"text"`
}

func searchOf(s reading.SearchOut) Search {
	out := Search{Query: s.Query, Project: s.Project, Counts: s.Counts, Total: s.Total, TotalMore: s.TotalMore, Hits: make([]Hit, len(s.Hits))}
	for i, h := range s.Hits {
		out.Hits[i] = Hit{Kind: h.Kind, Task: task.ID(h.Task), Text: h.Text}
	}
	return out
}

// Explained is whether a task is ready, claimable by the caller and closable, and what stands in the way.
type Explained struct {
	Ready     Verdict `json:"ready"`
	Claimable Verdict `json:"claimable"`
	Closable  Verdict `json:"closable"`
}

// Verdict is a yes or no, with the rules that say no.
type Verdict struct {
	Yes     bool     `json:"yes"`
	Reasons []Reason `json:"reasons,omitempty"`
}

// Reason is a rule that says no, and what would change it.
type Reason struct {
	Rule   string        `json:"rule"`
	Why    string        `json:"why"`
	Change remedy.Advice `json:"change,omitempty"`
}

// ExplainOf returns an explanation in brief.
func ExplainOf(e reading.ExplainOut) Explained {
	return Explained{Ready: verdictOf(e.Ready), Claimable: verdictOf(e.Claimable), Closable: verdictOf(e.Closable)}
}

func verdictOf(v reading.Verdict) Verdict {
	out := Verdict{Yes: v.Yes}
	for _, r := range v.Reasons {
		if !r.OK {
			out.Reasons = append(out.Reasons, Reason{r.Rule, r.Why, r.Change})
		}
	}
	return out
}
