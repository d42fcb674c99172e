package exporter

import (
	"io"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"tasker/internal/task"
	"tasker/internal/text/words"
)

// beads writes one line of JSON per task, as `bd import` reads it.
type beads struct {
	unframed
	w io.Writer
}

// bead is one such line.
type bead struct {
	ID          string    `json:"id"`
	Title       string    `json:"title"`
	Description string    `json:"description,omitzero"`
	Acceptance  string    `json:"acceptance_criteria,omitzero"`
	Status      string    `json:"status"`
	Priority    int       `json:"priority"`
	Type        string    `json:"issue_type"`
	Assignee    task.Opt  `json:"assignee,omitzero"`
	External    string    `json:"external_ref,omitzero"`
	Created     task.Time `json:"created_at"`
	Updated     task.Time `json:"updated_at"`
	Closed      task.Time `json:"closed_at,omitzero"`
	Reason      string    `json:"close_reason,omitzero"`
	Deps        []beadDep `json:"dependencies,omitempty"`
	Comments    []comment `json:"comments,omitempty"`
}

type beadDep struct {
	Issue string `json:"issue_id"`
	On    string `json:"depends_on_id"`
	Type  string `json:"type"`
}

type comment struct {
	Author  string    `json:"author"`
	Text    string    `json:"text"`
	Created task.Time `json:"created_at"`
}

var beadStatus = map[task.Status]string{
	task.Open: "open", task.InProgress: "in_progress", task.InReview: "in_progress", task.Done: "closed", task.Cancelled: "closed",
}

func (f *beads) Task(t *Task) error {
	b := bead{
		ID: t.Key, Title: t.Title, Description: string(t.Body), Status: beadStatus[t.Status], Priority: t.Priority, Type: "task",
		Assignee: t.PreferredActor, Created: t.CreatedAt, Updated: t.UpdatedAt, Closed: t.ClosedAt,
	}
	if t.Status == task.Cancelled {
		b.Reason = "cancelled"
	}
	b.Acceptance = strings.Join(words.Each(t.Criteria, func(c task.Criterion) string { return "- " + boxed(c) }), "\n")
	if i := slices.IndexFunc(t.Links, func(l task.Link) bool { return l.Kind == "url" }); i >= 0 {
		b.External = t.Links[i].Ref
	}
	for _, dep := range t.DepKeys {
		b.Deps = append(b.Deps, beadDep{t.Key, dep, "blocks"})
	}
	if t.ParentKey != "" {
		b.Deps = append(b.Deps, beadDep{t.Key, t.ParentKey, "parent-child"})
	}
	for _, n := range t.Notes {
		b.Comments = append(b.Comments, comment{n.Actor, n.Text, n.At})
	}
	text, err := json.Marshal(&b, jsontext.AllowInvalidUTF8(true))
	return write(f.w, string(text)+"\n", err)
}
